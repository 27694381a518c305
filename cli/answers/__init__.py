"""`citespan answers`: zones of abstracts, and the sentences that answer a question."""

from citespan.cli.commands import Command, group

app = group(
    "Zones of Medline abstracts, and answers to questions in them.",
    {
        "find": Command(
            "citespan.cli.answers.find:find",
            "Find the sentences that answer a question, best first over all abstracts and "
            "articles.",
        ),
        "zone": Command(
            "citespan.cli.answers.zone:zone",
            "Show the zone of each sentence: Introduction, Methods, Results or Conclusions.",
        ),
        "train": Command("citespan.cli.answers.train:app", "Train models on your own abstracts."),
        "evaluate": Command(
            "citespan.cli.answers.evaluate:app",
            "Evaluate zones and answer detection on abstracts with labels.",
        ),
    },
    epilog='Example: citespan answers find "Does aspirin prevent stroke?" --year 2010-',
)
