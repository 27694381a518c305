"""`citespan vocabulary`: build a concept store, look into it, see what it finds."""

from citespan.cli.commands import Command, group

app = group(
    "Vocabularies of concepts, such as UMLS, compiled for matching.",
    {
        "build": Command(
            "citespan.cli.vocabulary.build:build",
            "Compile a vocabulary to a concept store.",
        ),
        "match": Command(
            "citespan.cli.vocabulary.match:match",
            "Show the concepts that a text names, in their places.",
        ),
        "info": Command(
            "citespan.cli.vocabulary.info:info",
            "Show the counts and sources of a concept store.",
        ),
        "evaluate": Command(
            "citespan.cli.vocabulary.evaluate:evaluate",
            "Measure recognition against mentions that people have marked.",
        ),
    },
    epilog='Example: citespan vocabulary match "Loss of p53 in liver" --vocabulary go.vocabulary',
)
