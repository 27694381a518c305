"""Agreement among the annotators of a collection.

A. Cohan, L. Soldaini, N. Goharian, NAACL 2015 (paper A), section 3 and table 1.
"""

import statistics
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import chain
from typing import Any, Literal

from citespan.pipelines.corpus.collection import Citance, Collection
from citespan.pipelines.evaluation.published import TAC2014
from citespan.pipelines.intervals import Interval, union

Level = Literal["full", "all", "majority", "minority", "none"]
LEVELS: Mapping[Level, str] = {
    "full": "full agreement",
    "all": "partial agreement between all annotators",
    "majority": "partial agreement between a majority of annotators",
    "minority": "partial agreement between a minority of annotators",
    "none": "no agreement at all",
}


@dataclass(frozen=True, slots=True)
class LevelOfAgreement:
    """The citances of one level.

    Attributes:
        mean, deviation: of their overlaps, in per cent, the deviation being the sample's; None
            where there are too few citances for it, or none is printed.
    """

    count: int
    mean: float | None
    deviation: float | None

    def to_json(self) -> dict[str, Any]:
        """Return the figures by name."""
        return {"count": self.count, "overlap": self.mean, "deviation": self.deviation}


PUBLISHED: Mapping[Level, LevelOfAgreement] = {
    "full": LevelOfAgreement(2, 100.0, None),
    "all": LevelOfAgreement(66, 21.7, 15.4),
    "majority": LevelOfAgreement(121, 19.2, 11.4),
    "minority": LevelOfAgreement(113, 27.0, 15.9),
    "none": LevelOfAgreement(11, 0.0, None),
}
SOURCE = "Cohan, Soldaini and Goharian, NAACL 2015, table 1"


@dataclass(frozen=True, slots=True)
class Agreement:
    """How far the annotators of a collection agree.

    Attributes:
        levels: all of them, in the order of the table.
        total: how many citances these are.
        single: citances with one annotator, who has nobody to agree with.
        unmarked: citances with several annotators none of whom marked a character.
        published: whether the published figures are on this collection.
        caveat: why they can't be compared with these.
    """

    collection: str
    levels: Mapping[Level, LevelOfAgreement]
    total: int
    single: int
    unmarked: int
    published: bool
    caveat: str | None

    def to_json(self) -> dict[str, Any]:
        """Return what `citespan evaluate agreement --json` prints."""
        levels = [{"level": level, **found.to_json()} for level, found in self.levels.items()]
        for row, published in zip(levels, PUBLISHED.values(), strict=True):
            if self.published:
                row["published"] = published.to_json()
        return {
            "collection": self.collection,
            "levels": levels,
            "total": self.total,
            "single_annotator": self.single,
            "unmarked": self.unmarked,
            "published_source": SOURCE if self.published else None,
            "remark": self.caveat,
        }


def measure_agreement(collection: Collection) -> Agreement:
    """Sort the citances of a collection by how far their annotators agree."""
    overlaps: dict[Level, list[float]] = {level: [] for level in LEVELS}
    single = unmarked = 0
    for citance in collection.citances:
        if len(citance.annotations) < 2:
            single += 1
        elif not any(union(annotation.spans) for annotation in citance.annotations):
            unmarked += 1
        else:
            level, overlap = find_level(citance)
            overlaps[level].append(100 * overlap)
    return Agreement(
        collection.name,
        {level: _summarise(own) for level, own in overlaps.items()},
        sum(map(len, overlaps.values())),
        single,
        unmarked,
        TAC2014.matches(collection),
        TAC2014.caveat(collection),
    )


def find_level(citance: Citance) -> tuple[Level, float]:
    """Return the level of agreement on one citance of M ≥ 2 annotators, and the overlap, 0 to 1.

    Let k be the largest number of annotators who marked one and the same character. The level is
    "full" if all of them marked the same characters, else "all" if k = M, "majority" if
    M/2 < k < M, "minority" if 2 <= k <= M/2, and "none" if k < 2. With four annotators a majority
    is three and a minority two, as in the paper.

    The paper doesn't say what its overlap is; here it is the share of the characters marked by
    anybody that k annotators marked, so that it is 1 for "full", and 0 for "none".

    Raises:
        ValueError: if there are fewer than two annotators, or nobody marked a character.
    """
    annotators = len(citance.annotations)
    counts = _count_by_annotators([union(annotation.spans) for annotation in citance.annotations])
    if annotators < 2 or not counts:
        raise ValueError(f"there is nothing to agree on in citance {citance.id}")
    most = max(counts)
    overlap = counts[most] / sum(counts.values())
    if most < 2:
        return "none", 0.0
    if most == annotators:
        return ("full" if len(counts) == 1 else "all"), overlap
    return ("majority" if 2 * most > annotators else "minority"), overlap


def _count_by_annotators(marked: Iterable[Iterable[Interval]]) -> Counter[int]:
    """Count the characters that were marked by exactly 1, 2, … annotators."""
    changes: Counter[int] = Counter()
    for start, end in chain(*marked):
        changes[start] += 1
        changes[end] -= 1
    counts: Counter[int] = Counter()
    annotators = last = 0
    for place in sorted(changes):
        if annotators:
            counts[annotators] += place - last
        annotators += changes[place]
        last = place
    return counts


def _summarise(overlaps: list[float]) -> LevelOfAgreement:
    return LevelOfAgreement(
        len(overlaps),
        statistics.fmean(overlaps) if overlaps else None,
        statistics.stdev(overlaps) if len(overlaps) > 1 else None,
    )
