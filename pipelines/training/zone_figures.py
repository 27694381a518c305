"""Cross-validate zone models over abstracts (paper B, tables 1 and 2)."""

import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from operator import itemgetter
from typing import NamedTuple

from citespan.pipelines.answers.zones.configuration import Configuration, FeatureName
from citespan.pipelines.answers.zones.features import Analysis, analyse_abstracts, make_items
from citespan.pipelines.answers.zones.model import ZoneModel, make_example, open_model, train
from citespan.pipelines.answers.zones.sentences import hide_sections
from citespan.pipelines.corpus.abstract import Abstract
from citespan.pipelines.corpus.section_categories import ZONES, Zone
from citespan.pipelines.counts import format_count
from citespan.pipelines.errors import InputError


class Judgement(NamedTuple):
    """A sentence: the number of its abstract, its zone, and the zone that the model gave it."""

    abstract: int
    gold: Zone
    found: Zone


@dataclass(frozen=True, slots=True)
class ZoneScore:
    """Scores of one zone; `sentences` is the number of sentences that have it."""

    precision: float
    recall: float
    f1: float
    sentences: int


@dataclass(frozen=True, slots=True)
class ZoneScores:
    """Scores of all zones.

    Attributes:
        overall: weighted by the number of sentences, as in paper B's tables.
        sentence_accuracy: the share of sentences with the right zone.
        abstract_accuracy: the share of abstracts with the right zone for every sentence.
    """

    zones: dict[Zone, ZoneScore]
    overall: ZoneScore
    sentence_accuracy: float
    abstract_accuracy: float
    abstracts: int


def score_zones(judgements: Sequence[Judgement]) -> ZoneScores:
    """Score at least one sentence; those of an abstract are adjacent."""
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


FOLDS = 5
SEED = 0


@dataclass(frozen=True, slots=True)
class SplitAndJoined:
    """An abstract analysed twice.

    Attributes:
        split: with its sections; the end of a section ends a sentence.
        joined: as one text without sections, like an unstructured abstract.
    """

    split: Analysis
    joined: Analysis


@dataclass(frozen=True, slots=True)
class CrossValidation:
    """Scores of a configuration on abstracts that it was not trained on.

    Attributes:
        scores: of the sentences split by section.
        joined: of the same sentences, each with the zone of the sentence of the joined text
            that contains most of it.
        glued: number of sentences of the joined texts that cross the end of a labelled section.
    """

    scores: ZoneScores
    joined: ZoneScores
    glued: int


def analyse_split_and_joined(
    abstracts: Sequence[Abstract], configuration: Configuration
) -> list[SplitAndJoined]:
    """Analyse the abstracts that have a labelled sentence, for cross-validation."""
    split = analyse_abstracts(abstracts, configuration)
    joined = analyse_abstracts(map(hide_sections, abstracts), configuration)
    pairs = (SplitAndJoined(*pair) for pair in zip(split, joined, strict=True))
    return [pair for pair in pairs if any(s.label for s in pair.split.sentences)]


def cross_validate(
    data: Sequence[SplitAndJoined],
    configuration: Configuration,
    folds: int = FOLDS,
    advance: Callable[[int], None] = lambda _: None,
) -> CrossValidation:
    """Train on all folds but one and tag that one, so that every abstract is tagged once.

    Args:
        data: from `analysed`, with a configuration of at least these features.
        folds: the number of folds; a fixed seed shuffles the abstracts.
        advance: called with 1 after each fold.

    Raises:
        InputError: if there are fewer abstracts than folds.
    """
    if len(data) < folds:
        raise InputError(
            f"{format_count(len(data), 'abstract')} with labels; {folds} folds need as many"
        )
    prepared = [make_example(one.split, configuration) for one in data]
    split: list[Judgement] = []
    joined: list[Judgement] = []
    for held_out in _deal(len(data), folds):
        others = sorted(set(range(len(data))).difference(held_out))
        model = open_model(
            train([prepared[place] for place in others], configuration), configuration
        )
        for place in held_out:
            split += _judge(place, data[place].split, data[place].split, model)
            joined += _judge(place, data[place].split, data[place].joined, model)
        advance(1)
    glued = sum(_count_glued(one) for one in data)
    return CrossValidation(score_zones(split), score_zones(joined), glued)


def ablate(
    data: Sequence[SplitAndJoined],
    configuration: Configuration,
    folds: int = FOLDS,
    advance: Callable[[int], None] = lambda _: None,
) -> Iterator[tuple[FeatureName, CrossValidation]]:
    """Cross-validate the configuration without each feature group in turn."""
    for feature in configuration.features:
        rest = tuple(name for name in configuration.features if name != feature)
        yield (
            feature,
            cross_validate(data, replace(configuration, features=rest), folds, advance),
        )


def _deal(count: int, folds: int) -> list[list[int]]:
    order = list(range(count))
    random.Random(SEED).shuffle(order)  # noqa: S311  no secret depends on it
    return [order[first::folds] for first in range(folds)]


def _judge(
    abstract: int, gold: Analysis, tagged: Analysis, model: ZoneModel
) -> Iterator[Judgement]:
    """Judge the labelled sentences of `gold` by the model's zones of those of `tagged`."""
    found = model.tag(make_items(tagged, model.configuration))
    for sentence in gold.sentences:
        if sentence.label is None:
            continue
        shares = [
            min(sentence.end, other.end) - max(sentence.start, other.start)
            for other in tagged.sentences
        ]
        yield Judgement(abstract, sentence.label, found[shares.index(max(shares))][0])


def _count_glued(one: SplitAndJoined) -> int:
    """Count the joined text's sentences that contain sentences of differently labelled sections."""
    holders = (
        (place, gold.label)
        for gold in one.split.sentences
        for place, other in enumerate(one.joined.sentences)
        if gold.label and other.start < gold.end and gold.start < other.end
    )
    return sum(
        len({label for _, label in group}) > 1 for _, group in groupby(holders, key=itemgetter(0))
    )
