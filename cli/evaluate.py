"""Compare systems on a collection of citances.

Example: citespan evaluate run models --collection scisumm:data/train
"""

from dataclasses import asdict

from citespan.cli.commands import lazy_group
from citespan.cli.options import Json
from citespan.cli.output import out, print_json
from citespan.cli.tables import listing
from citespan.pipelines.evaluation import shipped
from citespan.pipelines.evaluation.measure import measures

app = lazy_group(
    __doc__,
    {
        "run": "citespan.cli.experiments:run",
        "experiments": "citespan.cli.evaluate:list_experiments",
        "measures": "citespan.cli.evaluate:list_measures",
        "compare": "citespan.cli.experiments:compare",
        "summaries": "citespan.cli.summaries:evaluate",
        "report": "citespan.cli.report:report",
        "agreement": "citespan.cli.experiments:show_agreement",
    },
)


def list_experiments(json: Json = False) -> None:
    """List the experiments that ship with citespan.

    Example: citespan evaluate experiments
    """
    found = shipped.list_experiments()
    if json:
        print_json([asdict(one) for one in found])
        return
    table = listing("experiment", "description", "run by")
    for one in found:
        table.add_row(one.name, one.description, one.command)
    out.print(table)


def list_measures(json: Json = False) -> None:
    """List the measures.

    Example: citespan evaluate measures
    """
    if json:
        print_json(
            [{"name": m.name, "description": m.description, "source": m.source} for m in measures]
        )
        return
    table = listing("measure", "description", "source")
    for measure in measures:
        table.add_row(measure.name, measure.description, measure.source)
    out.print(table)
