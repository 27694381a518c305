"""What became of every input of a load."""

import time
from collections import Counter
from dataclasses import dataclass, field
from typing import Any, Literal

from citespan.pipelines.corpus.article import Rejected

_SUMMED = ("indexed", "unchanged", "replaced", "sentences", "spans", "deletions", "deleted")
Outcome = Literal["indexed", "unchanged", "replaced"]


@dataclass
class Census:
    """inputs = indexed + unchanged + replaced + skipped + quarantined, always.

    `articles`, `sentences` and `spans` count what was written, so an unchanged article counts
    in none of them. An abstract is an article of which that is all.

    What was deleted is no input. Of citations that Medline has deleted, `deletions` counts those
    that were to be removed, and `deleted` those of them that were in the index. `missing` counts
    articles deleted because their input is gone (`--delete-missing`).
    """

    indexed: int = 0
    unchanged: int = 0
    replaced: int = 0
    skipped: list[Rejected] = field(default_factory=list)
    quarantined: list[Rejected] = field(default_factory=list)
    sentences: int = 0
    spans: int = 0
    deletions: int = 0
    deleted: int = 0
    missing: int = 0
    started: float = field(default_factory=time.monotonic)
    seconds: float = 0.0

    @property
    def inputs(self) -> int:
        """How many inputs have been dealt with."""
        return self.articles + self.unchanged + len(self.skipped) + len(self.quarantined)

    @property
    def articles(self) -> int:
        """How many articles were written."""
        return self.indexed + self.replaced

    def count(self, outcome: Outcome, sentences: int, spans: int) -> None:
        """Count one article that is in the index now."""
        setattr(self, outcome, getattr(self, outcome) + 1)
        if outcome != "unchanged":
            self.sentences += sentences
            self.spans += spans

    def reject(self, rejected: Rejected) -> None:
        """Count one input that is not."""
        (self.skipped if rejected.outcome == "skipped" else self.quarantined).append(rejected)

    def add(self, part: "Census") -> None:
        """Count what another census has counted."""
        for name in _SUMMED:
            setattr(self, name, getattr(self, name) + getattr(part, name))
        self.skipped += part.skipped
        self.quarantined += part.quarantined

    def finish(self) -> None:
        """Stop the clock."""
        self.seconds = time.monotonic() - self.started

    def to_json(self) -> dict[str, Any]:
        """As `citespan index --json` prints it."""

        def listed(rejected: list[Rejected]) -> list[dict[str, str]]:
            return [{"path": r.source, "reason": r.reason} for r in rejected]

        return {
            "inputs": self.inputs,
            "indexed": self.indexed,
            "unchanged": self.unchanged,
            "replaced": self.replaced,
            "skipped": listed(self.skipped),
            "skipped_by_reason": by_reason(self.skipped),
            "quarantined": listed(self.quarantined),
            "quarantined_by_reason": by_reason(self.quarantined),
            "articles": self.articles,
            "sentences": self.sentences,
            "spans": self.spans,
            "deletions": self.deletions,
            "deleted": self.deleted + self.missing,
            "seconds": round(self.seconds, 3),
        }


def by_reason(rejected: list[Rejected]) -> dict[str, int]:
    """How many inputs were rejected for each reason, the most frequent first."""
    return dict(Counter(one.reason for one in rejected).most_common())
