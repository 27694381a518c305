"""Evaluate zones and answer detection on abstracts with labels.

Example: citespan answers evaluate zones pubmedqa.json --ablation
"""

from citespan.cli.commands import lazy_group

app = lazy_group(
    __doc__,
    {
        "zones": "citespan.cli.answers.evaluate.zones:zones",
        "answers": "citespan.cli.answers.evaluate.answers:answers",
        "run": "citespan.cli.answers.evaluate.run:run",
    },
)
