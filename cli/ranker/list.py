"""`citespan ranker list`: the rankers there are."""

from citespan.cli.options import Json
from citespan.cli.output import out, print_json
from citespan.cli.tables import listing
from citespan.pipelines.ranking.ranker import rankers

EPILOG = "Example: citespan ranker list"


def list_rankers(json: Json = False) -> None:
    """List the rankers there are.

    Those of other distributions are listed too.
    """
    rows = [
        {
            "name": one.name,
            "description": one.description,
            "version": one.version,
            "threshold": one.threshold,
        }
        for one in rankers
    ]
    if json:
        print_json({"rankers": rows})
        return
    table = listing("name", "description", "version", "threshold")
    for row in rows:
        table.add_row(
            str(row["name"]),
            str(row["description"]),
            str(row["version"]),
            f"{row['threshold']:.3f}",
        )
    out.print(table)
