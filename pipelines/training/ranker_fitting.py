"""Scores out of fold, and probabilities fitted to them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
from numpy.typing import NDArray

from citespan.pipelines.errors import InputError
from citespan.pipelines.ranking.analysed_article import Floats
from citespan.pipelines.ranking.calibration import (
    ARTICLE_INPUTS,
    SENTENCE_INPUTS,
    describe_article,
    describe_sentences,
    fit_logistic,
)
from citespan.pipelines.ranking.model import Calibration
from citespan.pipelines.training.mismatches import ArticleIndex, choose_mismatches
from citespan.pipelines.training.ranker_trees import Example, TrainingSet, train_trees

FOLDS: Final = 5
THRESHOLD: Final = 0.5
"""Of support: from here on, an article more likely has evidence than not, if right articles and
others are asked equally often."""
_SEED = 1

Advance = Callable[[int], None]


@dataclass(frozen=True, eq=False)
class Scored:
    """What trees that have not seen an example's article say of it.

    Attributes:
        fold: the number of the fold that it was left out in.
        scores, labels: (N,), of the sentences.
        inputs: (1, inputs) of `describe_article`.
        mismatched: the same of articles that the query is not about, by how they were chosen,
            each with the fold that the article is left out in.
    """

    example: Example
    fold: int
    scores: Floats
    labels: Floats
    inputs: Floats
    mismatched: dict[str, tuple[int, Floats]]


def assign_folds(groups: Sequence[str], folds: int = FOLDS) -> NDArray[np.int64]:
    """Return the fold of each example, all of one group in the same.

    Args:
        groups: that of each example.

    Raises:
        InputError: if there are fewer groups than folds.
    """
    names = sorted(set(groups))
    if len(names) < folds:
        raise InputError(f"{len(names)} topics or articles can't be {folds} folds; give more data")
    order = np.random.default_rng(_SEED).permutation(len(names))
    places = {names[number]: place % folds for place, number in enumerate(order)}
    return np.array([places[group] for group in groups], dtype=np.int64)


def score_out_of_fold(
    data: TrainingSet,
    folds: int = FOLDS,
    without: Sequence[str] = (),
    advance: Advance = lambda _: None,
) -> list[Scored]:
    """Score each example by trees trained on the other folds, in the order of the examples.

    Args:
        advance: called with 1 after each training.
    """
    numbers = assign_folds([example.group for example in data.examples], folds)
    index = ArticleIndex(data.articles)
    of_article = {
        example.article: int(fold) for example, fold in zip(data.examples, numbers, strict=True)
    }
    found: dict[int, Scored] = {}
    for fold in range(folds):
        ensemble = train_trees(data, np.flatnonzero(numbers != fold), without, advance).ensemble
        for place in map(int, np.flatnonzero(numbers == fold)):
            example, features = data.examples[place], data.features[place]
            wrong: dict[str, tuple[int, Floats]] = {}
            for kind, other in choose_mismatches(index, example, place).items():
                theirs = data.compute_features(example.query, other)
                inputs = describe_article(ensemble.score(theirs), theirs)
                wrong[kind] = of_article.get(other, -1), inputs
            scores = ensemble.score(features)
            inputs = describe_article(scores, features)
            found[place] = Scored(example, fold, scores, data.mark_evidence(example), inputs, wrong)
    return [found[place] for place in range(len(data.examples))]


def leave_out(scored: Sequence[Scored], fold: int) -> list[Scored]:
    """Return what was scored of other folds, without articles of this one: a calibration that has
    seen an article as the right or the wrong one could know it again."""
    return [
        replace(
            one, mismatched={kind: its for kind, its in one.mismatched.items() if its[0] != fold}
        )
        for one in scored
        if one.fold != fold
    ]


def calibrate(scored: Sequence[Scored]) -> Calibration:
    """Fit probabilities to scores out of fold."""
    inputs = [describe_sentences(one.scores) for one in scored]
    labels = [one.labels for one in scored]
    sentence = fit_logistic(SENTENCE_INPUTS, np.concatenate(inputs), np.concatenate(labels))
    rows, right, weights = [], [], []
    for one in scored:
        rows += [one.inputs, *(inputs for _, inputs in one.mismatched.values())]
        right += [1.0, *[0.0] * len(one.mismatched)]
        weights += (
            [1.0, *[1.0 / len(one.mismatched)] * len(one.mismatched)] if one.mismatched else [1.0]
        )
    article = fit_logistic(ARTICLE_INPUTS, np.concatenate(rows), np.array(right), np.array(weights))
    return Calibration(sentence, article, THRESHOLD)
