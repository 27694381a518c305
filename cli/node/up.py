"""`citespan node up`: find or start a server."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Annotated

import typer

from citespan.cli.console import standard_error
from citespan.cli.node.state import make_table, warn_log
from citespan.cli.options import Json
from citespan.cli.output import out, print_json
from citespan.deploy.node import Progress, lifecycle, silent
from citespan.deploy.node.errors import NodeCrashedError

EPILOG = "Example: citespan node up --port 9200"


def up(
    port: Annotated[
        int | None,
        typer.Option(
            help="HTTP port of a new node, those of further nodes follow; by default any that are "
            "free."
        ),
    ] = None,
    nodes: Annotated[
        int | None,
        typer.Option(
            min=1,
            help="Number of nodes of a new cluster, 1 by default. Three keep going when one ends.",
        ),
    ] = None,
    json: Json = False,
) -> None:
    """Find or start a server, and show its address.

    The first of these is used: the server at CITESPAN_ES_URL; the node that is already running;
    an unpacked distribution at ES_HOME; Docker Compose, if an engine answers; a node assembled
    with Maven, which downloads 1.1 GB once. Of a cluster that was started before, nodes that
    have ended are started again, at their old addresses.

    CITESPAN_ES_API_KEY is the key for CITESPAN_ES_URL, CITESPAN_ES_CA the file with the
    certificate of its authority. CITESPAN_ES_HEAP is the heap of each new node (1g by default),
    CITESPAN_HOME the folder for everything that is stored.
    """
    with _progress() as progress:
        try:
            state = lifecycle.up(port, progress, nodes)
        except NodeCrashedError as error:
            warn_log(error.last_lines)
            raise
    if json:
        print_json(state.to_json())
        return
    verb = "runs already" if state.found else "is up"
    out.print(f"Elasticsearch {state.version} {verb} at {state.addresses}", markup=False)
    out.print(make_table(state))


@contextmanager
def _progress() -> Iterator[Progress]:
    """Show each step on one line of stderr when that is a terminal."""
    if not sys.stderr.isatty():
        yield silent
        return
    with standard_error.status("looking for Elasticsearch") as line:

        def show(what: str, part: float | None) -> None:
            line.update(what if part is None else f"{what} {min(part, 1):.0%}")

        yield show
