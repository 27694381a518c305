"""`citespan evaluate measures`: what is measured, and where it is defined."""

from citespan.cli.options import Json
from citespan.cli.output import out, print_json
from citespan.cli.tables import listing
from citespan.pipelines.evaluation.measure import measures

EPILOG = "Example: citespan evaluate measures"


def list_measures(json: Json = False) -> None:
    """List the measures."""
    if json:
        print_json(
            [{"name": m.name, "description": m.description, "source": m.source} for m in measures]
        )
        return
    table = listing("measure", "description", "source")
    for measure in measures:
        table.add_row(measure.name, measure.description, measure.source)
    out.print(table)
