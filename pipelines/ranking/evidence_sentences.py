"""How many sentences are evidence, once a ranker has said how likely each is."""

from __future__ import annotations

import numpy as np

from citespan.pipelines.ranking.ranker import Ranking


def choose_evidence(ranking: Ranking) -> list[int]:
    """Return the sentences that are evidence, best first: as many as have the greatest expected F1.

    (D. D. Lewis, "Evaluating and optimizing autonomous text classification systems", SIGIR 1995;
    the expectation of F1 is approximated by the F1 of the expectations.) At least the best one.
    """
    order = np.argsort(-ranking.scores, kind="stable")
    chances = ranking.probabilities[order]
    expected = 2 * np.cumsum(chances) / (np.arange(1, len(order) + 1) + chances.sum())
    return [int(number) for number in order[: int(np.argmax(expected)) + 1]] if len(order) else []
