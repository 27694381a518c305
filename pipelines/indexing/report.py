"""What a load did with every input."""

import time
from collections import Counter
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from citespan.pipelines.corpus.article import Rejected
from citespan.pipelines.counts import format_count
from citespan.pipelines.shown import Row, Shown, short_repr

if TYPE_CHECKING:  # a folder of articles has a report, and no segments
    from citespan.pipelines.store.segments import Merged

COUNTS = (
    *("indexed", "unchanged", "replaced", "abstracts"),
    *("sentences", "spans", "citations", "deletions", "deleted"),
)
"""The numbers of a report that can be added up, beside the lists of what was rejected."""
_TENTH = 10
Outcome = Literal["indexed", "unchanged", "replaced"]


@dataclass(frozen=True, slots=True)
class MissingArticles:
    """How many articles a load would delete, since their input does not exist any more.

    Attributes:
        corpus: the load's name for the place that the paths are in.
        paths: below which the load has looked for them.
        of: how many articles were read from there.
    """

    corpus: str
    paths: tuple[str, ...]
    articles: int
    of: int

    @property
    def are_many(self) -> bool:
        """Whether they are more than a tenth, as where a disk is not mounted."""
        return self.articles * _TENTH > self.of

    def __str__(self) -> str:
        return (
            f"{self.articles:,} of {format_count(self.of, 'article')} of the corpus "
            f"'{self.corpus}' below {', '.join(self.paths)}"
        )


@short_repr
@dataclass
class LoadReport(Shown):
    """Counts of inputs by outcome: inputs = indexed + unchanged + replaced + skipped + quarantined.

    Attributes:
        abstracts: how many of what was written are abstracts, which have no spans.
        sentences, spans, citations: how many were written, so an unchanged article counts in none.
        deletions: citations that Medline's files say are deleted; they are no inputs.
        deleted: those of them that were indexed.
        missing: articles deleted because their input does not exist any more.
        planned: how many these were to be; None if the load was not to delete any.
        seconds: how long the load took.
        merged: what was merged after it; None if nothing was to be.
    """

    html: ClassVar[str] = "counts"

    indexed: int = 0
    unchanged: int = 0
    replaced: int = 0
    abstracts: int = 0
    skipped: list[Rejected] = field(default_factory=list)
    quarantined: list[Rejected] = field(default_factory=list)
    sentences: int = 0
    spans: int = 0
    citations: int = 0
    deletions: int = 0
    deleted: int = 0
    missing: int = 0
    planned: MissingArticles | None = None
    started: float = field(default_factory=time.monotonic)
    seconds: float = 0.0
    merged: "Merged | None" = None

    @property
    def inputs(self) -> int:
        """How many inputs were read."""
        return self.articles + self.unchanged + len(self.skipped) + len(self.quarantined)

    @property
    def progress(self) -> str:
        """How far the load has come, for messages."""
        return f"{self.inputs:,} inputs"

    @property
    def articles(self) -> int:
        """How many articles or abstracts were written."""
        return self.indexed + self.replaced

    def count(
        self, outcome: Outcome, sentences: int = 0, spans: int = 0, citations: int = 0
    ) -> None:
        """Count one article or abstract that is in the index now."""
        setattr(self, outcome, getattr(self, outcome) + 1)
        if outcome != "unchanged":
            self.sentences += sentences
            self.spans += spans
            self.citations += citations
            self.abstracts += not spans

    def reject(self, rejected: Rejected) -> None:
        """Count one input that is not in the index."""
        (self.skipped if rejected.outcome == "skipped" else self.quarantined).append(rejected)

    def add(self, part: "LoadReport") -> None:
        """Add what another report counts."""
        for name in COUNTS:
            setattr(self, name, getattr(self, name) + getattr(part, name))
        self.skipped += part.skipped
        self.quarantined += part.quarantined

    def begin_anew(self) -> None:
        """Forget what became of all inputs, which are read again."""
        self.__init__(started=self.started, missing=self.missing)  # type: ignore[misc]

    def finish(self) -> None:
        """Stop the clock."""
        self.seconds = time.monotonic() - self.started

    @property
    def counted(self) -> dict[str, int]:
        """The number of inputs of each outcome."""
        rejected = {"skipped": len(self.skipped), "quarantined": len(self.quarantined)}
        return {name: getattr(self, name) for name in COUNTS[:3]} | rejected

    def to_rows(self) -> list[Row]:
        """Return a row for each outcome."""
        return [{"outcome": name, "inputs": number} for name, number in self.counted.items()]

    def to_json(self) -> dict[str, Any]:
        """Return the report as `citespan index --json` prints it."""
        return {
            "inputs": self.inputs,
            "indexed": self.indexed,
            "unchanged": self.unchanged,
            "replaced": self.replaced,
            "skipped": [rejected.to_json() for rejected in self.skipped],
            "skipped_by_reason": count_reasons(self.skipped),
            "quarantined": [rejected.to_json() for rejected in self.quarantined],
            "quarantined_by_reason": count_reasons(self.quarantined),
            "articles": self.articles,
            "sentences": self.sentences,
            "spans": self.spans,
            "citations": self.citations,
            "deletions": self.deletions,
            "missing": asdict(self.planned) if self.planned is not None else None,
            "deleted": self.deleted + self.missing,
            "seconds": round(self.seconds, 3),
            "merged": asdict(self.merged) if self.merged is not None else None,
        }


def count_reasons(rejected: list[Rejected]) -> dict[str, int]:
    """Return the number of inputs rejected for each reason, the most frequent first."""
    return dict(Counter(rejection.reason for rejection in rejected).most_common())
