"""Compare systems on a collection of citances.

Example: citespan evaluate run models --collection scisumm:data/train
"""

from citespan.cli.commands import lazy_group

app = lazy_group(
    __doc__,
    {
        "run": "citespan.cli.evaluate.run:run",
        "experiments": "citespan.cli.evaluate.experiments:list_experiments",
        "measures": "citespan.cli.evaluate.measures:list_measures",
        "compare": "citespan.cli.evaluate.compare:compare",
        "summaries": "citespan.cli.evaluate.summaries:evaluate",
        "report": "citespan.cli.evaluate.report:report",
        "agreement": "citespan.cli.evaluate.agreement:show_agreement",
    },
)
