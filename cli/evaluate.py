"""Compare systems on a collection of citances.

Example: citespan evaluate run models --collection scisumm:data/train
"""

from dataclasses import asdict

from citespan.cli.commands import lazy_group
from citespan.cli.options import Csv, Json
from citespan.cli.output import print_result
from citespan.cli.tables import print_rows
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


def list_experiments(json: Json = False, csv: Csv = False) -> None:
    """List the experiments that ship with citespan.

    Example: citespan evaluate experiments
    """
    rows = [asdict(experiment) for experiment in shipped.list_experiments()]
    headings = {"name": "experiment", "description": "description", "command": "run by"}
    print_result(json, rows, print_rows, rows, headings, csv=csv)


def list_measures(json: Json = False, csv: Csv = False) -> None:
    """List the measures.

    Example: citespan evaluate measures
    """
    rows = [{"name": m.name, "description": m.description, "source": m.source} for m in measures]
    headings = {"name": "measure", "description": "description", "source": "source"}
    print_result(json, rows, print_rows, rows, headings, csv=csv)
