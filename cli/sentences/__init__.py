"""`citespan sentences`: train and measure sentence splitters."""

from citespan.cli.commands import Command, group

app = group(
    "Train and measure sentence splitters.",
    {
        "train": Command(
            "citespan.cli.sentences.train:train",
            "Train Punkt on articles; the same articles give the same file, byte for byte.",
        ),
        "evaluate": Command(
            "citespan.cli.sentences.evaluate:evaluate",
            "Measure every splitter's boundaries against sentences that people have marked.",
        ),
    },
    epilog="Example: citespan sentences evaluate dev/conllu --text dev/txt",
)
