"""`citespan node down`: stop the node."""

from typing import Annotated

import typer

from citespan.cli.options import Json
from citespan.cli.output import out, print_json
from citespan.deploy.node import lifecycle

EPILOG = "Example: citespan node down"


def down(
    delete_data: Annotated[
        bool, typer.Option("--delete-data", help="Also delete its indices.")
    ] = False,
    json: Json = False,
) -> None:
    """Stop the node or cluster that `up` started. Its indices are kept for the next `up`."""
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
