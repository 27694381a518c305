"""Zones of Medline abstracts, and answers to questions in them.

Example: citespan answers find "Does aspirin prevent stroke?" --year 2010-
"""

from citespan.cli.commands import lazy_group

app = lazy_group(
    __doc__,
    {
        "find": "citespan.cli.answers.find:find",
        "zone": "citespan.cli.answers.zone:zone",
        "train": "citespan.cli.answers.train:app",
        "evaluate": "citespan.cli.answers.evaluate:app",
    },
)
