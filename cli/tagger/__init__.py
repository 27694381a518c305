"""Train and measure the tagger and parser behind noun phrases.

Example: citespan tagger evaluate craft/dev/conllu
"""

from citespan.cli.commands import lazy_group

app = lazy_group(
    __doc__,
    {
        "train": "citespan.cli.tagger.train:train",
        "evaluate": "citespan.cli.tagger.evaluate:evaluate",
    },
)
