"""What an article has for a query: its passages, and how far they can be trusted."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any, ClassVar, Final, overload

from citespan.es_mappings.links import Difference, Verdict, split_query
from citespan.pipelines.corpus.notices import Notice
from citespan.pipelines.ranking.ranker import NONE
from citespan.pipelines.retrieval.passage import Passage
from citespan.pipelines.shown import Row, Shown, flatten, short_repr

FOUND_MEANS: Final = "Found means a passage about the same matter, not that the two agree."
"""What every page and report says beside verdicts."""
ABSTRACT_MEANS: Final = (
    "Only the abstract is indexed, and was searched; what is cited may stand in the full text."
)
"""What they say beside evidence from an abstract."""
DIFFERS_MEANS: Final = (
    "Differs means found, but numbers, directions, negations, comparisons, groups or quoted words "
    "are not the same in citation and passage; read both."
)
"""What they say beside what differs."""


@short_repr
@dataclass(frozen=True, slots=True)
class ScoredSentence:
    """A sentence of an article with what a ranker says of it.

    Attributes:
        number: from 0.
        score: the higher the better; of use only within one article and query.
        probability: that it is evidence.
        start, end: character offsets into the article's text.
    """

    number: int
    score: float
    probability: float
    start: int
    end: int
    section: str
    text: str


@dataclass(frozen=True, slots=True)
class Rival:
    """An indexed article that fits a query better than the one that was searched.

    Attributes:
        lead: by how much its score is higher (`rivals.py`).
    """

    article: str
    title: str
    lead: float


@short_repr
@dataclass(frozen=True)
class Evidence(Sequence[Passage], Shown):
    """The passages of one article for one query, best first; a sequence of them.

    Attributes:
        article: its id.
        ranker: the name of the ranker; "none" for paper A's method.
        support: the ranker's probability that the article has any evidence; None without one.
        threshold: below this support, the passages are weak.
        missing: the words and concepts of the query that are nowhere in the article, as the
            query writes them; empty without a ranker.
        sentences: all sentences of the article, in order, if they were asked for.
        rival: an article that fits the query better, if rivals were asked for and one does.
        differences: between the query and the passages, in the order of the query.
        notices: what later publications say of the article, such as that it is retracted.
        abstract_only: whether only the article's abstract is indexed, and was searched.
    """

    html: ClassVar[str] = "evidence"

    article: str
    title: str
    passages: tuple[Passage, ...]
    ranker: str = NONE
    support: float | None = None
    threshold: float = 0.0
    missing: tuple[str, ...] = ()
    sentences: tuple[ScoredSentence, ...] = ()
    rival: Rival | None = None
    differences: tuple[Difference, ...] = ()
    notices: tuple[Notice, ...] = ()
    abstract_only: bool = False

    @property
    def verdict(self) -> Verdict | None:
        """ "found", or "differs" if they are not the same as the query in what they say; "weak" if
        the passages are below the threshold; "none" if there are none.

        None without a ranker.
        """
        if self.support is None:
            return None
        if not self.passages:
            return "none"
        if self.support < self.threshold:
            return "weak"
        return "differs" if self.differences else "found"

    def split_query(self, query: str) -> list[tuple[str, bool]]:
        """Return the text of the query in pieces, each with whether it differs from a passage."""
        return split_query(query, self.differences)

    def __len__(self) -> int:
        return len(self.passages)

    @overload
    def __getitem__(self, place: int) -> Passage: ...

    @overload
    def __getitem__(self, place: slice) -> tuple[Passage, ...]: ...

    def __getitem__(self, place: int | slice) -> Passage | tuple[Passage, ...]:
        return self.passages[place]

    def to_json(self) -> dict[str, Any]:
        """Return it as `citespan search --json` prints it, without the query."""
        results = [passage.to_json() for passage in self.passages]
        about = {
            "article": self.article,
            "abstract_only": self.abstract_only,
            "notices": [notice.to_json() for notice in self.notices],
        }
        if self.support is None:
            return {**about, "results": results}
        scored = (
            {"sentences": [asdict(sentence) for sentence in self.sentences]}
            if self.sentences
            else {}
        )
        return {
            **about,
            "ranker": self.ranker,
            "support": self.support,
            "verdict": self.verdict,
            "missing": list(self.missing),
            "better": self.rival.article if self.rival is not None else None,
            "differences": [difference.to_json() for difference in self.differences],
            **scored,
            "results": [
                {**result, "article": self.article, "title": self.title} for result in results
            ],
        }

    def to_rows(self) -> list[Row]:
        """Return its passages as rows."""
        about: Row = {"article": self.article, "title": self.title}
        if self.support is not None:
            about |= {"verdict": self.verdict, "support": self.support}
        return [flatten({**about, **passage.to_json()}) for passage in self.passages]
