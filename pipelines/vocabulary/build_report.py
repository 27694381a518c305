"""What became of the rows of a vocabulary that was built."""

from collections import Counter
from dataclasses import dataclass, field

from citespan.pipelines.corpus.article import Rejected

_EXAMPLES = 1000


@dataclass
class BuildReport:
    """The counts of a build: rows = terms + those skipped + those quarantined.

    Attributes:
        rows: terms and rejected rows that were given.
        concepts, terms: in the store.
        sources: terms of each source.
        skipped: rows left out, by reason.
        quarantined: how many rows could not be read.
        examples: the first thousand of these.
    """

    rows: int = 0
    concepts: int = 0
    terms: int = 0
    sources: dict[str, int] = field(default_factory=dict)
    skipped: Counter[str] = field(default_factory=Counter)
    quarantined: int = 0
    examples: list[Rejected] = field(default_factory=list)

    def reject(self, rejected: Rejected) -> None:
        """Count a row that is no term."""
        if rejected.outcome == "skipped":
            self.skipped[rejected.reason] += 1
            return
        self.quarantined += 1
        if len(self.examples) < _EXAMPLES:
            self.examples.append(rejected)
