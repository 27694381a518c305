"""`citespan background`: document frequencies of corpora."""

from citespan.cli.commands import Command, group

app = group(
    "Count background corpora, for the reformulations keywords, domain-terms and prf.",
    {
        "build": Command(
            "citespan.cli.background.build:build",
            "Count how many documents of a corpus contain each term, and how often it occurs.",
        ),
    },
    epilog="Example: citespan background build articles/ --out background.json.gz",
)
