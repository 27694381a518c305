"""`citespan evaluate`: systems compared on a collection of citances."""

from citespan.cli.commands import Command, group

app = group(
    "Compare systems on a collection of citances.",
    {
        "run": Command(
            "citespan.cli.evaluate.run:run",
            "Run an experiment: index, search every citance, measure, write TREC run and qrels "
            "files.",
        ),
        "experiments": Command(
            "citespan.cli.evaluate.experiments:list_experiments",
            "List the experiments that ship with citespan.",
        ),
        "measures": Command(
            "citespan.cli.evaluate.measures:list_measures",
            "List the measures.",
        ),
        "compare": Command(
            "citespan.cli.evaluate.compare:compare",
            "List the citances that differ most between two systems, with their texts and spans.",
        ),
        "summaries": Command(
            "citespan.cli.evaluate.summaries:evaluate",
            "Measure summaries from citations against those that people wrote.",
        ),
        "report": Command(
            "citespan.cli.evaluate.report:report",
            "Write a page about runs that needs no network: tables, plots, and citances on which "
            "systems differ, with what each of them retrieved.",
        ),
        "agreement": Command(
            "citespan.cli.evaluate.agreement:show_agreement",
            "Show how far the annotators of a collection agree, as in table 1 of Cohan et al. "
            "2015.",
        ),
    },
    epilog="Example: citespan evaluate run models --collection scisumm:data/train",
)
