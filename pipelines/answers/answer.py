"""An answer as it is shown: a sentence, or sentences, of an abstract or an article."""

from dataclasses import dataclass
from typing import Any, Literal

Source = Literal["label", "model", "heading"]
RANKER = "evidence"
"""The ranker that questions are answered with unless another is named."""
TOP = 10
PER_ABSTRACT = 1
"""How many answers of one abstract or article are shown at most, unless another number is named."""


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

    def to_json(self) -> dict[str, Any]:
        """Return the members that `citespan answers find --json` prints."""
        found = {
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
        return found if self.support is None else {**found, "support": self.support}
