"""Rankers of sentences: list, train and measure them.

Example: citespan ranker show citance
"""

from citespan.cli.commands import lazy_group

app = lazy_group(
    __doc__,
    {
        "list": "citespan.cli.ranker.list:list_rankers",
        "show": "citespan.cli.ranker.show:show",
        "train": "citespan.cli.ranker.train:train",
        "cross-validate": "citespan.cli.ranker.cross_validate:cross_validate",
        "evaluate": "citespan.cli.ranker.evaluate:evaluate",
    },
)
