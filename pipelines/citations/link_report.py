"""What became of all stored citations when they were linked."""

import time
from collections import Counter
from dataclasses import dataclass, field
from typing import Any, Final, Literal, get_args

from citespan.pipelines.ranking.evidence import Verdict

Outcome = Literal[
    "linked",
    "unchanged",
    "not indexed",
    "ambiguous",
    "unidentifiable",
    "no reference",
    "itself",
    "deleted",
    "failed",
]

OUTCOMES: Final[tuple[Outcome, ...]] = get_args(Outcome)
VERDICTS: Final[tuple[Verdict, ...]] = get_args(Verdict)


@dataclass(frozen=True, slots=True)
class Problem:
    """Why citations of an article were not linked.

    Attributes:
        citation: the id of the only one; "" for all of its citations.
    """

    article: str
    citation: str
    reason: str


@dataclass
class LinkReport:
    """Counts of citations by outcome; together they are all citations.

    Attributes:
        counts: "linked" now; "unchanged", linked before; "not indexed", of an article that is not;
            "ambiguous", several articles fit; "unidentifiable", the reference has neither an
            identifier nor a title and author; "no reference", the list has no such entry;
            "itself", an article cites itself; "deleted", one of the two articles was deleted or
            replaced meanwhile; "failed", the cited article could not be searched.
        verdicts: of those that were linked now.
        problems: why citations are "deleted" or "failed".
        removed: links that were deleted, since the citation is not there any more or cites
            something else now.
        articles: how many articles cite.
        seconds: how long it took.
    """

    counts: Counter[Outcome] = field(default_factory=Counter)
    verdicts: Counter[Verdict] = field(default_factory=Counter)
    problems: list[Problem] = field(default_factory=list)
    removed: int = 0
    articles: int = 0
    started: float = field(default_factory=time.monotonic)
    seconds: float = 0.0

    @property
    def citations(self) -> int:
        """How many citations there are."""
        return self.counts.total()

    @property
    def progress(self) -> str:
        """How far it has come, for messages."""
        return f"{self.citations:,} citations"

    def reject(self, outcome: Outcome, problem: Problem, citations: int = 1) -> None:
        """Count citations that could not be linked."""
        self.counts[outcome] += citations
        self.problems.append(problem)

    def finish(self) -> None:
        """Stop the clock."""
        self.seconds = time.monotonic() - self.started

    def to_json(self) -> dict[str, Any]:
        """Return the report as `citespan link --json` prints it."""
        return {
            "citations": self.citations,
            **{outcome.replace(" ", "_"): self.counts[outcome] for outcome in OUTCOMES},
            "verdicts": {verdict: self.verdicts[verdict] for verdict in VERDICTS},
            "problems": [
                {"article": one.article, "citation": one.citation, "reason": one.reason}
                for one in self.problems
            ],
            "removed": self.removed,
            "articles": self.articles,
            "seconds": round(self.seconds, 3),
        }
