"""Zone models measured by cross-validation over abstracts (paper B, tables 1 and 2)."""

import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from operator import itemgetter

from citespan.pipelines.answers.labelled_sentences import without_sections
from citespan.pipelines.answers.zone_configuration import Configuration, FeatureName
from citespan.pipelines.answers.zone_features import Analysis, analyses, items
from citespan.pipelines.answers.zone_model import ZoneModel, opened
from citespan.pipelines.answers.zone_scores import Judgement, ZoneScores, zone_scores
from citespan.pipelines.answers.zone_training import example, train
from citespan.pipelines.corpus.abstract import Abstract
from citespan.pipelines.errors import InputError

FOLDS = 5
SEED = 0


@dataclass(frozen=True, slots=True)
class Analysed:
    """An abstract taken apart twice.

    Attributes:
        split: by its sections, whose ends are ends of sentences.
        joined: as one text without sections, as an unstructured abstract comes.
    """

    split: Analysis
    joined: Analysis


@dataclass(frozen=True, slots=True)
class CrossValidation:
    """How well a configuration does on abstracts that it was not trained on.

    Attributes:
        scores: sentences split by section.
        joined: the same sentences, each with the zone of that sentence of the joined text which
            holds most of it.
        glued: sentences of the joined texts that reach over the end of a labelled section.
    """

    scores: ZoneScores
    joined: ZoneScores
    glued: int


def analysed(abstracts: Sequence[Abstract], configuration: Configuration) -> list[Analysed]:
    """Those abstracts that have a labelled sentence, for all that is measured here."""
    split = analyses(abstracts, configuration)
    joined = analyses(map(without_sections, abstracts), configuration)
    pairs = (Analysed(*pair) for pair in zip(split, joined, strict=True))
    return [pair for pair in pairs if any(s.label for s in pair.split.sentences)]


def cross_validation(
    data: Sequence[Analysed],
    configuration: Configuration,
    folds: int = FOLDS,
    advance: Callable[[int], None] = lambda _: None,
) -> CrossValidation:
    """Train on all folds but one, tag that one; every abstract is tagged once.

    Args:
        data: from `analysed`, with a configuration of at least these features.
        folds: the abstracts are dealt to them in an order shuffled by a fixed seed.
        advance: called with 1 after each fold.

    Raises:
        InputError: if there are fewer abstracts than folds.
    """
    if len(data) < folds:
        raise InputError(f"{len(data)} abstracts with labels; {folds} folds need as many")
    prepared = [example(one.split, configuration) for one in data]
    split: list[Judgement] = []
    joined: list[Judgement] = []
    for held_out in _dealt(len(data), folds):
        others = sorted(set(range(len(data))).difference(held_out))
        model = opened(train([prepared[place] for place in others], configuration), configuration)
        for place in held_out:
            split += _judged(place, data[place].split, data[place].split, model)
            joined += _judged(place, data[place].split, data[place].joined, model)
        advance(1)
    glued = sum(_glued(one) for one in data)
    return CrossValidation(zone_scores(split), zone_scores(joined), glued)


def ablation(
    data: Sequence[Analysed],
    configuration: Configuration,
    folds: int = FOLDS,
    advance: Callable[[int], None] = lambda _: None,
) -> Iterator[tuple[FeatureName, CrossValidation]]:
    """Each feature group, and how well the configuration does without it."""
    for feature in configuration.features:
        rest = tuple(name for name in configuration.features if name != feature)
        yield (
            feature,
            cross_validation(data, replace(configuration, features=rest), folds, advance),
        )


def _dealt(count: int, folds: int) -> list[list[int]]:
    order = list(range(count))
    random.Random(SEED).shuffle(order)  # noqa: S311  no secret depends on it
    return [order[first::folds] for first in range(folds)]


def _judged(
    abstract: int, gold: Analysis, tagged: Analysis, model: ZoneModel
) -> Iterator[Judgement]:
    """The labelled sentences of `gold` with the zones that the model gives those of `tagged`."""
    found = model.tag(items(tagged, model.configuration))
    for sentence in gold.sentences:
        if sentence.label is None:
            continue
        shares = [
            min(sentence.end, other.end) - max(sentence.start, other.start)
            for other in tagged.sentences
        ]
        yield Judgement(abstract, sentence.label, found[shares.index(max(shares))][0])


def _glued(one: Analysed) -> int:
    """Sentences of the joined text which hold sentences of differently labelled sections."""
    holders = (
        (place, gold.label)
        for gold in one.split.sentences
        for place, other in enumerate(one.joined.sentences)
        if gold.label and other.start < gold.end and gold.start < other.end
    )
    return sum(
        len({label for _, label in group}) > 1 for _, group in groupby(holders, key=itemgetter(0))
    )
