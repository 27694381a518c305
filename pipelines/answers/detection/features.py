"""The features of answer detection (paper B, section 3.2), and sets of them (section 4).

Candidates are the sentences of the claim zone, Results and Conclusions. Each has four features:

- role-label: which of the two zones it is in;
- st-sim, sq-sim: cosine with the abstract's title and with the question, as whole numbers from 0
  to 50;
- Z-score: how many standard deviations its st-sim is above the mean of the claim zone, by equation
  (1) of the paper; 0 if all are equal. The paper does not say which deviation it takes; here it is
  that of the population.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean, pstdev
from typing import TYPE_CHECKING, Final, Literal

from citespan.pipelines.answers.zones.words import compare_with_texts
from citespan.pipelines.errors import UnknownNameError

if TYPE_CHECKING:
    from citespan.pipelines.answers.zones.zoning import ZonedSentence
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
        values: its features by name; role-label is 1 for Conclusions and 0 for Results.
    """

    place: int
    sentence: "ZonedSentence"
    values: dict[FeatureName, float]


def extract_claim_sentences(
    question: str, abstract: "Abstract", zoned: "Sequence[ZonedSentence]"
) -> list[ClaimSentence]:
    """Return the sentences of the claim zone with their features, in the order of the text.

    Args:
        zoned: all sentences of the abstract.
    """
    inside = [
        (place, sentence) for place, sentence in enumerate(zoned) if sentence.zone in CLAIM_ZONE
    ]
    texts = [sentence.text for _, sentence in inside]
    title, asked = (
        [round(_LARGEST * similarity) for similarity in alike]
        for alike in compare_with_texts(abstract.text, (abstract.title, question), texts)
    )
    return [
        ClaimSentence(
            place,
            sentence,
            {
                "role-label": float(sentence.zone == "Conclusions"),
                "st-sim": st_sim,
                "sq-sim": sq_sim,
                "Z-score": z_score,
            },
        )
        for (place, sentence), st_sim, sq_sim, z_score in zip(
            inside, title, asked, _compute_z_scores(title), strict=True
        )
    ]


def _compute_z_scores(values: Sequence[float]) -> list[float]:
    deviation = pstdev(values) if values else 0.0
    if not deviation:
        return [0.0] * len(values)
    mean = fmean(values)
    return [(value - mean) / deviation for value in values]


FEATURE_SETS: dict[str, tuple[FeatureName, ...]] = {
    "1": ("st-sim", "sq-sim"),
    "2": ("Z-score", "sq-sim"),
    "3": ("st-sim", "role-label"),
    "4": ("Z-score", "role-label"),
    "5": ("st-sim", "sq-sim", "role-label"),
    "6": ("Z-score", "sq-sim", "role-label"),
    "question": ("sq-sim", "role-label"),
}
"""The paper's by number. "question" is citespan's own: in corpora made from titles, where the
title is the question, a detector that uses the title learns what does not hold for abstracts with
other titles."""

DEFAULT = "question"


def get_feature_set(name: str) -> tuple[FeatureName, ...]:
    """Return the features of a set.

    Raises:
        UnknownNameError: listing the known sets.
    """
    if name not in FEATURE_SETS:
        raise UnknownNameError("feature set", name, list(FEATURE_SETS))
    return FEATURE_SETS[name]
