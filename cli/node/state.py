"""What `node up` and `node status` print of a server."""

from rich.table import Table

from citespan.cli.output import warn
from citespan.deploy.node.paths import folders
from citespan.deploy.node.state import FILE_NAME, USER, NodeState

_ORIGIN = {
    "url": "CITESPAN_ES_URL",
    "distribution": "the distribution at ES_HOME",
    "compose": "Docker Compose",
    "assembled": "a node assembled with Maven",
}

OPEN = (
    "the distribution has no security, so every user and every web page on this machine can read "
    "and delete what is indexed"
)


def make_table(state: NodeState) -> Table:
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
        rows.append(("user", f"anyone: {OPEN}"))
    for name, value in rows:
        if value is not None:
            table.add_row(f"[dim]{name}[/dim]", str(value))
    return table


def warn_log(lines: tuple[str, ...]) -> None:
    """Print the last lines of a log on stderr."""
    for line in lines:
        warn(f"  {line}")
