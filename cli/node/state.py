"""What `node up` and `node status` print of a server."""

from rich.table import Table

from citespan.cli.output import warn
from citespan.deploy.node.state import NodeState

_ORIGIN = {
    "url": "CITESPAN_ES_URL",
    "distribution": "the distribution at ES_HOME",
    "compose": "Docker Compose",
    "assembled": "a node assembled with Maven",
}


def make_table(state: NodeState) -> Table:
    """Make a table of where a server is from and where its files are."""
    table = Table.grid(padding=(0, 2))
    rows: list[tuple[str, object]] = [("source", _ORIGIN[state.source])]
    for node in state.nodes:
        if state.others:
            rows.append(("node", f"{node.url}{'' if node.pid else ' has ended'}"))
        rows += [("process", node.pid), ("indices", node.data), ("log", node.log)]
    for name, value in rows:
        if value is not None:
            table.add_row(f"[dim]{name}[/dim]", str(value))
    return table


def warn_log(lines: tuple[str, ...]) -> None:
    """Print the last lines of a log on stderr."""
    for line in lines:
        warn(f"  {line}")
