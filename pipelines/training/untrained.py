"""What untrained rankings of single sentences reach, beside which rankers are shown."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np

from citespan.pipelines.ranking.analysed_article import Floats
from citespan.pipelines.ranking.features.matching import score_model
from citespan.pipelines.ranking.pair import Pair, analyse_query
from citespan.pipelines.training.ranker_trees import TrainingSet

BM25: Final = "bm25"
DFR: Final = "dfr"
BM25_OTHERS: Final = "bm25, idf of other articles"
MOST: Final = 5
TOP: Final = 3
"""Sentences that are retrieved where nothing was there to choose a number by."""


def score_untrained(data: TrainingSet) -> dict[str, list[Floats]]:
    """Return, for each untrained ranking, the (N,) scores of each example's sentences."""
    scores: dict[str, list[Floats]] = {BM25: [], DFR: [], BM25_OTHERS: []}
    for example in data.examples:
        article = data.articles[example.article]
        pair = Pair(analyse_query(example.query), article, data.counts, counted=True)
        scores[BM25].append(score_model("bm25", pair))
        scores[DFR].append(score_model("dfr", pair))
        scores[BM25_OTHERS].append(pair.bm25_in_others)
    return scores


def choose_number(scores: Sequence[Floats], evidence: Sequence[frozenset[int]]) -> int:
    """Return how many sentences, 1 to 5, give the highest F1 over sentences, all queries pooled."""
    marked = sum(map(len, evidence))
    found = np.zeros(MOST)
    retrieved = np.zeros(MOST)
    for own, gold in zip(scores, evidence, strict=True):
        best = order(own)[:MOST]
        hits = np.cumsum([number in gold for number in best])
        for number in range(MOST):
            at = min(number, len(best) - 1)
            if at >= 0:
                found[number] += hits[at]
                retrieved[number] += at + 1
    return int(np.argmax(2 * found / np.maximum(retrieved + marked, 1))) + 1


def order(scores: Floats, above: float = 0.0) -> list[int]:
    """Return the numbers of sentences by falling score, those that have no more left out.

    Args:
        above: 0 for scores that are 0 where no term of the query is.
    """
    best = np.argsort(-scores, kind="stable")
    return [int(number) for number in best if scores[number] > above]


def choose_sentences(
    data: TrainingSet, scores: Sequence[Floats], folds: Sequence[int] | None
) -> list[list[int]]:
    """Return the sentences that a ranking retrieves for each example, best first.

    Args:
        scores: of each example's sentences.
        folds: of each example; how many are retrieved is then chosen on the other folds.
    """
    evidence = [example.evidence for example in data.examples]
    if folds is None:
        return [order(own)[:TOP] for own in scores]
    numbers = {
        fold: choose_number(
            [own for own, its in zip(scores, folds, strict=True) if its != fold],
            [gold for gold, its in zip(evidence, folds, strict=True) if its != fold],
        )
        for fold in set(folds)
    }
    return [order(own)[: numbers[fold]] for own, fold in zip(scores, folds, strict=True)]
