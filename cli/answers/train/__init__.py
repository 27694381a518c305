"""`citespan answers train`: models trained on other abstracts."""

from citespan.cli.commands import Command, group

app = group(
    "Train models on your own abstracts.",
    {
        "zones": Command(
            "citespan.cli.answers.train.zones:zones",
            "Train a zone model on structured abstracts; the same abstracts give the same model.",
        ),
        "answers": Command(
            "citespan.cli.answers.train.answers:answers",
            "Train a detector of answers on abstracts that have a question as title.",
        ),
    },
    epilog="Example: citespan answers train zones pubmed26n0001.xml.gz --out my-zones",
)
