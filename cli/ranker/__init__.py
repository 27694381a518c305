"""`citespan ranker`: the rankers of sentences, trained and measured."""

from citespan.cli.commands import Command, group

app = group(
    "Rankers of sentences: list, train and measure them.",
    {
        "list": Command("citespan.cli.ranker.list:list_rankers", "List the rankers there are."),
        "show": Command(
            "citespan.cli.ranker.show:show",
            "Show a ranker's card: on what data it was trained, by which features, and its "
            "figures.",
        ),
        "train": Command(
            "citespan.cli.ranker.train:train",
            "Train a ranker on citances; the same collections give the same files, byte for byte.",
        ),
        "cross-validate": Command(
            "citespan.cli.ranker.cross_validate:cross_validate",
            "Measure rankers that are trained on the other topics of a collection.",
        ),
        "evaluate": Command(
            "citespan.cli.ranker.evaluate:evaluate",
            "Measure a ranker as it is on a collection.",
        ),
    },
    epilog="Example: citespan ranker show citance",
)
