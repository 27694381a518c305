"""Train and measure sentence splitters.

Example: citespan sentences evaluate dev/conllu --text dev/txt
"""

from citespan.cli.commands import lazy_group

app = lazy_group(
    __doc__,
    {
        "train": "citespan.cli.sentences.train:train",
        "evaluate": "citespan.cli.sentences.evaluate:evaluate",
    },
)
