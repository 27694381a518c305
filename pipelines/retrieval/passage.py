"""Passages as they are shown: with text, place, matches and the scores of terms."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from itertools import chain, pairwise
from typing import Any, ClassVar, NamedTuple, Self

from citespan.pipelines.intervals import union
from citespan.pipelines.shown import Row, Shown, flatten, short_repr


class Piece(NamedTuple):
    """A piece of a passage.

    Attributes:
        is_match: whether it is a term of the query, or a part of one.
        differs: whether it is what differs from the query.
    """

    text: str
    is_match: bool
    differs: bool


@short_repr
@dataclass(frozen=True)
class Passage(Shown):
    """A passage of an article as it is shown: a retrieved span, or what a ranker selects.

    Attributes:
        score: of the retrieval model; of a ranker, if that has selected the passage.
        start, end: character offsets into the article's text.
        matches: (start, end) of the query's terms, as offsets into `text`.
        before, after: the sentences around it; empty at either end of a section.
        term_scores: the score in the span itself of each of the query's terms, as analysed, the
            highest first; empty unless asked for. `score` has those of merged spans added.
        probability: that it is evidence, by a ranker; None if none was asked.
        matched: the words and concepts of the query that a ranker's passage has, as the query
            writes them.
        weaker: whether a ranker does not take it for evidence; it follows what is.
        page: that it begins on; None for an article without pages.
        differing: (start, end) of what differs from the query, as offsets into `text`.
    """

    html: ClassVar[str] = "passage"

    rank: int
    score: float
    first_sentence: int
    last_sentence: int
    start: int
    end: int
    section: str
    text: str
    matches: tuple[tuple[int, int], ...]
    before: str
    after: str
    term_scores: Mapping[str, float]
    probability: float | None = None
    matched: tuple[str, ...] = ()
    weaker: bool = False
    page: int | None = None
    differing: tuple[tuple[int, int], ...] = ()

    @property
    def pieces(self) -> list[Piece]:
        """The text in pieces, none empty."""
        matches, differing = union(self.matches), union(self.differing)
        edges = sorted({0, len(self.text), *chain.from_iterable((*matches, *differing))})
        return [
            Piece(
                self.text[start:end],
                any(first <= start and end <= last for first, last in matches),
                any(first <= start and end <= last for first, last in differing),
            )
            for start, end in pairwise(edges)
        ]

    def to_json(self) -> dict[str, Any]:
        """Return it as `citespan search --json` prints it."""
        found: dict[str, Any] = {
            "rank": self.rank,
            "score": self.score,
            "first_sentence": self.first_sentence,
            "last_sentence": self.last_sentence,
            "start": self.start,
            "end": self.end,
            "section": self.section,
            **({"page": self.page} if self.page is not None else {}),
            "text": self.text,
            "matches": [list(match) for match in self.matches],
        }
        if self.term_scores:
            found["terms"] = dict(self.term_scores)
        if self.probability is not None:
            found |= {
                "probability": self.probability,
                "weaker": self.weaker,
                "before": self.before,
                "after": self.after,
                "matched": list(self.matched),
            }
        return found

    def to_rows(self) -> list[Row]:
        """Return it as one row."""
        return [flatten(self.to_json())]


@short_repr
@dataclass(frozen=True, slots=True)
class ShownSentence:
    """A sentence of an indexed article.

    Attributes:
        number: from 0.
        start, end: character offsets into the article's text.
        section: the title of its section.
        page: that it begins on; None for an article without pages.
    """

    number: int
    start: int
    end: int
    section: str
    text: str
    page: int | None = field(default=None, kw_only=True)

    @classmethod
    def of(cls, number: int, document: Mapping[str, Any], **more: Any) -> Self:
        """Return the sentence that is stored in a document; `more` are fields of a subclass."""
        text = str(document["text"]).rstrip()
        return cls(number, document["start"], document["end"], document["section"], text, **more)

    def to_json(self) -> dict[str, Any]:
        """Return it as commands print it with `--json`."""
        return {
            name: value for name, value in asdict(self).items() if (name, value) != ("page", None)
        }


def sort_term_scores(scores: Mapping[str, float]) -> dict[str, float]:
    """Return the scores of terms, the highest first."""
    return dict(sorted(scores.items(), key=lambda item: -item[1]))
