"""Retrieved spans with their text, where they stand, what matched, and what it scored."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Passage:
    """A retrieved span as it is shown.

    Attributes:
        start, end: character offsets into the article's text.
        matches: (start, end) of the query's terms, as offsets into `text`.
        before, after: the sentences around it; empty at either end of the article.
        term_scores: what each of the query's terms, as analysed, scored in the span itself; its
            score has those of merged spans added.
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

    def to_json(self) -> dict[str, Any]:
        """As `citespan search --json` prints it."""
        return {
            "rank": self.rank,
            "score": self.score,
            "first_sentence": self.first_sentence,
            "last_sentence": self.last_sentence,
            "start": self.start,
            "end": self.end,
            "section": self.section,
            "text": self.text,
            "matches": [list(match) for match in self.matches],
        }
