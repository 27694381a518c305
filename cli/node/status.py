"""`citespan node status`: which server is in use, and whether it answers."""

import typer

from citespan.cli.node.state import make_table, warn_log
from citespan.cli.options import Json
from citespan.cli.output import out, print_json, warn
from citespan.deploy.node import lifecycle

EPILOG = "Example: citespan node status --json"

_OUT_OF_REACH = 3


def status(json: Json = False) -> None:
    """Show which server is in use and whether it answers; exit status 3 if none does."""
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
        out.print(make_table(found.node))
        if found.problem:
            warn(f"citespan: {found.problem}")
    if not found.running:
        if not json:
            warn_log(found.last_lines)
            warn(f"citespan: {found.problem}")
        raise typer.Exit(_OUT_OF_REACH)
