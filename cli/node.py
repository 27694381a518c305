"""`citespan node`: a running Elasticsearch."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Annotated

import typer
from rich.table import Table

from citespan.cli.options import Json
from citespan.cli.output import complain, err, out, print_json
from citespan.deploy import node
from citespan.deploy.node.errors import NodeCrashedError
from citespan.deploy.node.progress import Progress, silent
from citespan.deploy.node.state import NodeState

app = typer.Typer(no_args_is_help=True, help="Have a running Elasticsearch, and be rid of it.")

_OUT_OF_REACH = 3
_ORIGIN = {
    "url": "CITESPAN_ES_URL",
    "distribution": "the distribution at ES_HOME",
    "compose": "Docker Compose",
    "assembled": "a node assembled with Maven",
}


@app.command(epilog="Example: citespan node up --port 0")
def up(
    port: Annotated[
        int | None,
        typer.Option(help="HTTP port of a new node, 9200 by default; 0 picks a free one."),
    ] = None,
    json: Json = False,
) -> None:
    """Give a running server, found or started.

    Taken is the first of these: the server at CITESPAN_ES_URL; the node that
    runs already; an unpacked distribution at ES_HOME; Docker Compose, if an
    engine answers; a node assembled with Maven, which fetches 1.1 GB once.

    CITESPAN_ES_API_KEY is the key for CITESPAN_ES_URL, CITESPAN_ES_CA the file
    with the certificate of its authority. CITESPAN_ES_HEAP is the heap of a new
    node (1g), CITESPAN_HOME the folder for all that is kept.
    """
    with _progress() as progress:
        try:
            state = node.up(port, progress)
        except NodeCrashedError as error:
            _show_log(error.last_lines)
            raise
    if json:
        print_json(state.public())
        return
    verb = "runs already" if state.found else "is up"
    out.print(f"Elasticsearch {state.version} {verb} at {state.url}", markup=False)
    out.print(_table(state))


@app.command(epilog="Example: citespan node down --delete-data")
def down(
    delete_data: Annotated[
        bool, typer.Option("--delete-data", help="Delete its indices as well.")
    ] = False,
    json: Json = False,
) -> None:
    """Stop the node that `up` started. Its indices stay for the next `up`."""
    stopped = node.down(delete_data)
    if json:
        url = stopped.node.url if stopped.node else None
        print_json({"stopped": url, "deleted": stopped.deleted or None})
        return
    if stopped.node:
        out.print(f"stopped the node at {stopped.node.url}", markup=False)
    else:
        out.print("no node of citespan's runs")
    if stopped.deleted:
        out.print(f"deleted {stopped.deleted}", markup=False)


@app.command(epilog="Example: citespan node status --json")
def status(json: Json = False) -> None:
    """Show which server is in use and whether it answers; exit status 3 if none does."""
    found = node.status()
    if json:
        known = found.node.public() if found.node else {}
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
        out.print(f"Elasticsearch {found.node.version} answers at {found.node.url}", markup=False)
        out.print(_table(found.node))
    if not found.running:
        if not json:
            _show_log(found.last_lines)
            complain(f"citespan: {found.problem}")
        raise typer.Exit(_OUT_OF_REACH)


@app.command(epilog="Example: citespan node logs --lines 200")
def logs(
    lines: Annotated[int, typer.Option(min=1, help="How many of the last lines.")] = 50,
    json: Json = False,
) -> None:
    """Show the last lines of the log of the node that `up` started."""
    found = node.logs(lines)
    if json:
        print_json({"lines": found})
        return
    for line in found:
        out.print(line, markup=False, soft_wrap=True)


def _table(state: NodeState) -> Table:
    table = Table.grid(padding=(0, 2))
    rows = {
        "source": _ORIGIN[state.source],
        "process": state.pid,
        "indices": state.data,
        "log": state.log,
    }
    for name, value in rows.items():
        if value is not None:
            table.add_row(f"[dim]{name}[/dim]", str(value))
    return table


def _show_log(lines: tuple[str, ...]) -> None:
    for line in lines:
        complain(f"  {line}")


@contextmanager
def _progress() -> Iterator[Progress]:
    """What is going on, on one line of stderr when that is a terminal."""
    if not err.is_terminal:
        yield silent
        return
    with err.status("looking for Elasticsearch") as line:

        def tell(what: str, part: float | None) -> None:
            line.update(what if part is None else f"{what} {min(part, 1):.0%}")

        yield tell
