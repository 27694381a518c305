"""Train models on your own abstracts.

Example: citespan answers train zones pubmed26n0001.xml.gz --out my-zones
"""

from citespan.cli.commands import lazy_group

app = lazy_group(
    __doc__,
    {
        "zones": "citespan.cli.answers.train.zones:zones",
        "answers": "citespan.cli.answers.train.answers:answers",
        "directions": "citespan.cli.answers.train.directions:directions",
    },
)
