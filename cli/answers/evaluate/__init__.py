"""`citespan answers evaluate`: models measured on abstracts with labels."""

from citespan.cli.commands import Command, group

app = group(
    "Evaluate zones and answer detection on abstracts with labels.",
    {
        "zones": Command(
            "citespan.cli.answers.evaluate.zones:zones",
            "Cross-validate zone models by abstract, with the labels of sections hidden from them.",
        ),
        "answers": Command(
            "citespan.cli.answers.evaluate.answers:answers",
            "Cross-validate detectors of answers, with all abstracts of a question in one fold.",
        ),
        "run": Command(
            "citespan.cli.answers.evaluate.run:run",
            "Print the tables of an experiment beside the published ones.",
        ),
    },
    epilog="Example: citespan answers evaluate zones pubmedqa.json --ablation",
)
