"""What became of the citations that `linking.py` has dealt with."""

import time
from collections import Counter
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, ClassVar, Final, Literal, get_args

from citespan.es_mappings.links import VERDICTS, Verdict
from citespan.pipelines.shown import Row, Shown, short_repr

Outcome = Literal[
    "linked",
    "unchanged",
    "not indexed",
    "ambiguous",
    "unidentifiable",
    "no reference",
    "itself",
    "notice",
    "deleted",
    "failed",
]

OUTCOMES: Final[tuple[Outcome, ...]] = get_args(Outcome)


@dataclass(frozen=True, slots=True)
class LinkProblem:
    """Why citations of an article were not linked.

    Attributes:
        citation: the id of the only one; "" for all of its citations.
    """

    article: str
    citation: str
    reason: str


@short_repr
@dataclass
class LinkReport(Shown):
    """Counts of citations by outcome; together they are all citations.

    Attributes:
        counts: "linked" now; "unchanged", linked before; "not indexed", of an article that is not;
            "ambiguous", several articles fit; "unidentifiable", the reference has neither an
            identifier nor a title and author; "no reference", the list has no such entry;
            "itself", an article cites itself; "notice", the cited one retracts or doubts another
            and is no evidence; "deleted", one of the two articles was deleted or
            replaced meanwhile; "failed", the cited article could not be searched.
        verdicts: of those that were linked now.
        better: how many of those another article fits better, if rivals were looked for.
        problems: why citations are "deleted" or "failed".
        citances: articles about which others say something else now, or nothing any more.
        removed: links that were deleted, since the citation is not there any more or cites
            something else now.
        articles: how many articles cite.
        seconds: how long it took.
    """

    html: ClassVar[str] = "counts"

    counts: Counter[Outcome] = field(default_factory=Counter)
    verdicts: Counter[Verdict] = field(default_factory=Counter)
    problems: list[LinkProblem] = field(default_factory=list)
    better: int = 0
    removed: int = 0
    citances: int = 0
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

    @property
    def counted(self) -> Mapping[str, int]:
        """The number of citations of each outcome."""
        return {outcome: self.counts[outcome] for outcome in OUTCOMES}

    def to_rows(self) -> list[Row]:
        """Return a row for each outcome."""
        return [{"outcome": name, "citations": number} for name, number in self.counted.items()]

    def reject(self, outcome: Outcome, problem: LinkProblem, citations: int = 1) -> None:
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
            **{outcome.replace(" ", "_"): number for outcome, number in self.counted.items()},
            "verdicts": {verdict: self.verdicts[verdict] for verdict in VERDICTS},
            "better": self.better,
            "problems": [asdict(problem) for problem in self.problems],
            "removed": self.removed,
            "citances": self.citances,
            "articles": self.articles,
            "seconds": round(self.seconds, 3),
        }
