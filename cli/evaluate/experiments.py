"""`citespan evaluate experiments`: what ships, and how it is run."""

from dataclasses import asdict

from citespan.cli.options import Json
from citespan.cli.output import out, print_json
from citespan.cli.tables import listing
from citespan.pipelines.evaluation import shipped

EPILOG = "Example: citespan evaluate experiments"


def list_experiments(json: Json = False) -> None:
    """List the experiments that ship with citespan."""
    found = shipped.list_experiments()
    if json:
        print_json([asdict(one) for one in found])
        return
    table = listing("experiment", "description", "run by")
    for one in found:
        table.add_row(one.name, one.description, one.command)
    out.print(table)
