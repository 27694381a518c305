"""`citespan tagger`: train and measure the tagger and parser behind noun phrases."""

from citespan.cli.commands import Command, group

app = group(
    "Train and measure the tagger and parser behind noun phrases.",
    {
        "train": Command(
            "citespan.cli.tagger.train:train",
            "Train a spaCy pipeline on CoNLL-U; the same files give the same weights.",
        ),
        "evaluate": Command(
            "citespan.cli.tagger.evaluate:evaluate",
            "Measure a spaCy pipeline on texts that people have parsed, and its speed.",
        ),
    },
    epilog="Example: citespan tagger evaluate craft/dev/conllu",
)
