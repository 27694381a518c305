"""The sentences of a claim zone, with what answer detection knows of them (paper B, section 3.2).

The claim zone is Results and Conclusions. Of each sentence there are four features:

- role-label: which of the two zones it is in;
- st-sim, sq-sim: cosine with the abstract's title and with the question, as whole numbers from 0
  to 50;
- Z-score: how many standard deviations its st-sim is above the mean of the claim zone's, by
  equation (1) of the paper; 0 where all are alike. The paper leaves open which deviation it
  takes: here it is that of the population.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean, pstdev
from typing import Final, Literal

from citespan.pipelines.answers.title_similarity import similarities
from citespan.pipelines.answers.zoning import ZonedSentence
from citespan.pipelines.corpus.abstract import Abstract

FeatureName = Literal["role-label", "st-sim", "sq-sim", "Z-score"]

FEATURES: Final[tuple[FeatureName, ...]] = ("role-label", "st-sim", "sq-sim", "Z-score")
CLAIM_ZONE = ("Results", "Conclusions")
_LARGEST = 50


@dataclass(frozen=True, slots=True)
class ClaimSentence:
    """A sentence of the claim zone.

    Attributes:
        place: its number among all sentences of the abstract, from 0.
        values: of `FEATURES`, by name; role-label is 1 for Conclusions and 0 for Results.
    """

    place: int
    sentence: ZonedSentence
    values: dict[FeatureName, float]


def claim_sentences(
    question: str, abstract: Abstract, zoned: Sequence[ZonedSentence]
) -> list[ClaimSentence]:
    """The sentences of the claim zone in the order of the text.

    Args:
        zoned: all sentences of the abstract.
    """
    inside = [(place, one) for place, one in enumerate(zoned) if one.zone in CLAIM_ZONE]
    texts = [one.text for _, one in inside]
    title, asked = (
        [_scaled(one) for one in alike]
        for alike in similarities(abstract.text, (abstract.title, question), texts)
    )
    return [
        ClaimSentence(
            place,
            one,
            {
                "role-label": float(one.zone == "Conclusions"),
                "st-sim": st_sim,
                "sq-sim": sq_sim,
                "Z-score": z_score,
            },
        )
        for (place, one), st_sim, sq_sim, z_score in zip(
            inside, title, asked, _z_scores(title), strict=True
        )
    ]


def _scaled(similarity: float) -> int:
    return round(_LARGEST * similarity)


def _z_scores(values: Sequence[float]) -> list[float]:
    deviation = pstdev(values) if values else 0.0
    if not deviation:
        return [0.0] * len(values)
    mean = fmean(values)
    return [(value - mean) / deviation for value in values]
