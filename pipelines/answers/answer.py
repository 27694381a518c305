"""An answer as it is shown: a sentence, or sentences, of an abstract or an article."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final, Literal

from citespan.pipelines.shown import Row, flatten, short_repr

if TYPE_CHECKING:  # help needs nothing that judges
    from citespan.pipelines.answers.directions.model import Direction

Source = Literal["label", "model", "heading"]
RANKER = "evidence"
"""The ranker that questions are answered with unless another is named."""
LIKELY: Final = 0.5
"""The support from which on an answer is shown unless all are asked for."""
TOP = 10
PER_ABSTRACT = 1
"""How many answers of one abstract or article are shown at most, unless another number is named."""


@short_repr
@dataclass(frozen=True, slots=True)
class Answer:
    """What may answer a question.

    Attributes:
        rank: from 1.
        id: the PMID of an abstract, or the id of an article.
        pmid, doi: of the abstract or article; None where it has none.
        full_text: whether it is from an article.
        zone: of an abstract, one of paper B's; of an article, the heading of the section.
        zone_from: whether the section's label gave the zone, a model, or the article's heading.
        zone_probability: the model's; 1 if the text itself gives the zone.
        start, end: character offsets into the text of the abstract or article.
        before, after: the text around it; "" at either end.
        probability: that it answers the question, given that its abstract or article has an answer.
        score: what answers are ordered by.
        support: a ranker's probability that the abstract or article has an answer; None of a
            detector.
        direction: what the trial found, where a comparison is asked for.
    """

    rank: int
    id: str
    pmid: str | None
    doi: str | None
    full_text: bool
    title: str
    year: int | None
    zone: str
    zone_from: Source
    zone_probability: float
    text: str
    start: int
    end: int
    before: str
    after: str
    probability: float
    score: float
    support: float | None = None
    direction: Direction | None = None

    @property
    def is_likely(self) -> bool:
        """Whether its abstract or article likely has an answer; so say all of a detector's."""
        return self.support is None or self.support >= LIKELY

    def to_json(self) -> dict[str, Any]:
        """Return the members that `citespan answers find --json` prints."""
        found: dict[str, Any] = {
            "rank": self.rank,
            "article": self.id if self.full_text else None,
            "pmid": self.pmid,
            "doi": self.doi,
            "year": self.year,
            "zone": self.zone,
            "zone_from": self.zone_from,
            "score": self.score,
            "probability": self.probability,
            "sentence": self.text,
            "title": self.title,
            "start": self.start,
            "end": self.end,
        }
        if self.support is not None:
            found["support"] = self.support
        if self.direction is not None:
            found["direction"] = self.direction.to_json()
        return found

    def to_row(self) -> Row:
        """Return it as a row of numbers and texts."""
        row = flatten(self.to_json())
        if self.direction is not None:
            row["direction"] = self.direction.said
            row["direction_probability"] = self.direction.probability
        return row


def order_answers(answers: Iterable[Answer], top: int) -> list[Answer]:
    """Return the `top` answers of the highest scores, best first, with their ranks; of equal scores
    in the order given."""
    best = sorted(answers, key=lambda answer: -answer.score)[:top]
    return [replace(answer, rank=rank) for rank, answer in enumerate(best, start=1)]


def list_directions(found: Iterable[Answer]) -> list[Direction]:
    """Return what the trials that likely have an answer found, each once: an article and its
    abstract are one trial."""
    directions: dict[str, Direction] = {}
    for answer in found:
        if answer.is_likely and answer.direction is not None:
            directions.setdefault(answer.pmid or answer.id, answer.direction)
    return list(directions.values())
