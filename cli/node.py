"""Start, stop and watch an Elasticsearch server.

Example: citespan node up
"""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Annotated

import typer
from rich.table import Table

from citespan.cli.commands import Group
from citespan.cli.console import standard_error
from citespan.cli.options import Json
from citespan.cli.output import out, print_json, warn
from citespan.deploy.node import Progress, lifecycle, silent
from citespan.deploy.node.errors import NodeCrashedError
from citespan.deploy.node.paths import folders
from citespan.deploy.node.state import FILE_NAME, USER, NodeState

app = Group(__doc__)

_OUT_OF_REACH = 3
_ORIGIN = {
    "url": "CITESPAN_ES_URL",
    "distribution": "the distribution at ES_HOME",
    "compose": "Docker Compose",
    "assembled": "a node assembled with Maven",
}
_OPEN = (
    "the distribution has no security, so every user and every web page on this machine can read "
    "and delete what is indexed"
)


@app.command()
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

    Example: citespan node up --port 9200
    """
    state = start_node(port, nodes)
    if json:
        print_json(state.to_json())
        return
    verb = "runs already" if state.found else "is up"
    out.print(f"Elasticsearch {state.version} {verb} at {state.addresses}", markup=False)
    out.print(_make_table(state))


def start_node(port: int | None = None, nodes: int | None = None) -> NodeState:
    """Find or start a server, and show each step.

    Raises:
        CitespanError: as `lifecycle.up`.
    """
    with _progress() as progress:
        try:
            return lifecycle.up(port, progress, nodes)
        except NodeCrashedError as error:
            _warn_log(error.last_lines)
            raise


@contextmanager
def _progress() -> Iterator[Progress]:
    """Show each step on one line of stderr when that is a terminal."""
    if not sys.stderr.isatty():
        yield silent
        return
    with standard_error.status("looking for Elasticsearch") as line:

        def show(task: str, part: float | None) -> None:
            line.update(task if part is None else f"{task} {min(part, 1):.0%}")

        yield show


@app.command()
def down(
    delete_data: Annotated[
        bool, typer.Option("--delete-data", help="Also delete its indices.")
    ] = False,
    json: Json = False,
) -> None:
    """Stop the node or cluster that `up` started. Its indices are kept for the next `up`.

    Example: citespan node down
    """
    stopped = lifecycle.down(delete_data)
    if json:
        url = stopped.node.addresses if stopped.node else None
        print_json({"stopped": url, "deleted": stopped.deleted or None})
        return
    if stopped.node:
        out.print(f"stopped the node at {stopped.node.addresses}", markup=False)
    else:
        out.print("no node of citespan's runs")
    if stopped.deleted:
        out.print(f"deleted {stopped.deleted}", markup=False)


@app.command()
def status(json: Json = False) -> None:
    """Show which server is in use and whether it answers; exit status 3 if none does.

    Example: citespan node status --json
    """
    found = lifecycle.check_status()
    if json:
        known = found.node.to_json() if found.node else {}
        known.pop("found", None)
        print_json(
            {
                "running": found.running,
                "problem": found.problem or None,
                **known,
                "last_lines": list(found.last_lines),
            }
        )
    elif found.running and found.node:
        out.print(
            f"Elasticsearch {found.node.version} answers at {found.node.addresses}", markup=False
        )
        out.print(_make_table(found.node))
        if found.problem:
            warn(f"citespan: {found.problem}")
    if not found.running:
        if not json:
            _warn_log(found.last_lines)
            warn(f"citespan: {found.problem}")
        raise typer.Exit(_OUT_OF_REACH)


@app.command()
def logs(
    lines: Annotated[int, typer.Option(min=1, help="Number of lines.")] = 50, json: Json = False
) -> None:
    """Show the last lines of the log of the node that `up` started.

    Example: citespan node logs --lines 200
    """
    found = lifecycle.read_logs(lines)
    if json:
        print_json({"lines": found})
        return
    for line in found:
        out.print(line, markup=False, soft_wrap=True)


def _make_table(state: NodeState) -> Table:
    """Make a table of where a server is from and where its files are."""
    table = Table.grid(padding=(0, 2))
    rows: list[tuple[str, object]] = [("source", _ORIGIN[state.source])]
    for node in state.nodes:
        if state.others:
            rows.append(("node", f"{node.url}{'' if node.pid else ' has ended'}"))
        rows += [("process", node.pid), ("indices", node.data), ("log", node.log)]
    if state.password:
        rows.append(("user", f"{USER}, with the password in {folders().state / FILE_NAME}"))
    elif state.source in ("distribution", "assembled"):
        rows.append(("user", f"anyone: {_OPEN}"))
    for name, value in rows:
        if value is not None:
            table.add_row(f"[dim]{name}[/dim]", str(value))
    return table


def _warn_log(lines: tuple[str, ...]) -> None:
    """Print the last lines of a log on stderr."""
    for line in lines:
        warn(f"  {line}")
