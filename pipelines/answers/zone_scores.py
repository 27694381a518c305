"""Precision, recall and F1 of zones, and how many sentences and whole abstracts are right."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import NamedTuple

from citespan.pipelines.corpus.section_categories import ZONES, Zone


class Judgement(NamedTuple):
    """A sentence: the abstract it is in, the zone it has, the zone that was found."""

    abstract: int
    gold: Zone
    found: Zone


@dataclass(frozen=True, slots=True)
class ZoneScore:
    """Of one zone; `sentences` is how many have it."""

    precision: float
    recall: float
    f1: float
    sentences: int


@dataclass(frozen=True, slots=True)
class ZoneScores:
    """Of all zones.

    Attributes:
        overall: weighted by the number of sentences, as in paper B's tables.
        sentence_accuracy: share of sentences with the right zone.
        abstract_accuracy: share of abstracts all of whose sentences have the right zone.
    """

    zones: dict[Zone, ZoneScore]
    overall: ZoneScore
    sentence_accuracy: float
    abstract_accuracy: float
    abstracts: int


def zone_scores(judgements: Sequence[Judgement]) -> ZoneScores:
    """Scores of sentences; those of an abstract stand together. At least one is needed."""
    from sklearn.metrics import precision_recall_fscore_support

    gold = [one.gold for one in judgements]
    found = [one.found for one in judgements]
    columns = precision_recall_fscore_support(gold, found, labels=list(ZONES), zero_division=0.0)
    weighted = precision_recall_fscore_support(
        gold, found, labels=list(ZONES), average="weighted", zero_division=0.0
    )
    right = [
        all(one.gold == one.found for one in inside)
        for _, inside in groupby(judgements, key=lambda one: one.abstract)
    ]
    return ZoneScores(
        zones={
            zone: ZoneScore(float(p), float(r), float(f), int(n))
            for zone, p, r, f, n in zip(ZONES, *columns, strict=True)
        },
        overall=ZoneScore(
            float(weighted[0]), float(weighted[1]), float(weighted[2]), len(judgements)
        ),
        sentence_accuracy=sum(one.gold == one.found for one in judgements) / len(judgements),
        abstract_accuracy=sum(right) / len(right),
        abstracts=len(right),
    )
