"""What became of every input of a load."""

import time
from dataclasses import dataclass, field
from typing import Any, Literal

from citespan.pipelines.corpus.article import Rejected

Outcome = Literal["indexed", "unchanged", "replaced"]


@dataclass
class Census:
    """inputs = indexed + unchanged + replaced + skipped + quarantined, always.

    `articles`, `sentences` and `spans` count what was written, so an unchanged article counts
    in none of them. An abstract is an article of which that is all.

    A citation that Medline has deleted is no input: `deletions` counts those that were to be
    removed, and `deleted` those of them that were in the index.
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
            "quarantined": listed(self.quarantined),
            "articles": self.articles,
            "sentences": self.sentences,
            "spans": self.spans,
            "deletions": self.deletions,
            "deleted": self.deleted,
            "seconds": round(self.seconds, 3),
        }
