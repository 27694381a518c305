"""`citespan node logs`: the last lines of its log."""

from typing import Annotated

import typer

from citespan.cli.options import Json
from citespan.cli.output import out, print_json
from citespan.deploy.node import lifecycle

EPILOG = "Example: citespan node logs --lines 200"


def logs(
    lines: Annotated[int, typer.Option(min=1, help="Number of lines.")] = 50,
    json: Json = False,
) -> None:
    """Show the last lines of the log of the node that `up` started."""
    found = lifecycle.read_logs(lines)
    if json:
        print_json({"lines": found})
        return
    for line in found:
        out.print(line, markup=False, soft_wrap=True)
