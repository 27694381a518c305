"""Passages as they are shown: with text, place, matches and the scores of terms."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, Self


@dataclass(frozen=True)
class Passage:
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
    """

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

    @property
    def pieces(self) -> list[tuple[str, bool]]:
        """The text in pieces, none empty, each with whether it is a match."""
        found = []
        at = 0
        for start, end in sorted(self.matches, key=lambda match: (match[0], -match[1])):
            start = max(start, at)
            if start < end:
                found += [(self.text[at:start], False), (self.text[start:end], True)]
                at = end
        return [one for one in (*found, (self.text[at:], False)) if one[0]]

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
        return {name: one for name, one in asdict(self).items() if (name, one) != ("page", None)}


def sort_term_scores(scores: Mapping[str, float]) -> dict[str, float]:
    """Return the scores of terms, the highest first."""
    return dict(sorted(scores.items(), key=lambda item: -item[1]))
