"""Percentile bootstrap over citances (Efron and Tibshirani 1993, chapter 13)."""

from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from citespan.pipelines.evaluation.measure import FloatArray, Measure

RESAMPLES = 10_000
LEVEL = 0.95
_CHUNK = 250


def sum_by_topic(counts: FloatArray, topics: Sequence[str]) -> FloatArray:
    """Sum `counts` over the citances of each topic: (citances, k) to (topics, k)."""
    names, places = np.unique(np.array(topics, dtype=object), return_inverse=True)
    sums = np.zeros((len(names), counts.shape[1]))
    np.add.at(sums, places, counts)
    return sums


def estimate_intervals(
    counted: Sequence[tuple[Measure, FloatArray]],
    topics: Sequence[str],
    *,
    resamples: int = RESAMPLES,
    seed: int = 0,
) -> FloatArray:
    """Return the 2.5th and 97.5th percentile of each measure over resamples of the citances.

    Citances are drawn with replacement from all of them, whatever their topic; a topic that
    isn't drawn doesn't count in that resample. All pairs see the same resamples, so that
    systems given together are drawn together.

    Args:
        counted: measures with their `counts`, each of shape (citances, k).
        topics: the topic of each citance, as many as there are citances.

    Returns:
        Of shape (len(counted), 2): low and high.

    Raises:
        ValueError: if there is no citance.
    """
    if not topics:
        raise ValueError("there is no citance to draw from")
    order, edges = _group_by_topic(topics)
    # Measures of one family have their counts in common: each column is summed once.
    stacked, places = np.unique(
        np.hstack([counts for _, counts in counted])[order], axis=1, return_inverse=True
    )
    widths = np.cumsum([0, *(counts.shape[1] for _, counts in counted)])
    drawn = np.empty((len(counted), resamples))
    generator = np.random.default_rng(seed)
    for first in range(0, resamples, _CHUNK):
        size = min(_CHUNK, resamples - first)
        weights = _draw_weights(generator, size, len(topics))
        sums = np.empty((size, len(edges) - 1, stacked.shape[1]))
        for topic, (start, end) in enumerate(pairwise(edges)):
            sums[:, topic] = weights[:, start:end] @ stacked[start:end]
        for row, (measure, _) in enumerate(counted):
            columns = places[widths[row] : widths[row + 1]]
            drawn[row, first : first + size] = measure.value(sums[:, :, columns])
    tail = (1 - LEVEL) / 2
    bounds: FloatArray = np.quantile(drawn, [tail, 1 - tail], axis=1).T
    return bounds


def _group_by_topic(topics: Sequence[str]) -> tuple[list[int], list[int]]:
    """Return the citances in the order of their topics, and where each topic begins and ends."""
    order = sorted(range(len(topics)), key=lambda place: topics[place])
    edges = [
        place for place in range(1, len(order)) if topics[order[place]] != topics[order[place - 1]]
    ]
    return order, [0, *edges, len(order)]


def _draw_weights(generator: np.random.Generator, resamples: int, citances: int) -> FloatArray:
    """Draw citances, and return how often each was drawn, of shape (resamples, citances)."""
    draws = generator.integers(0, citances, size=(resamples, citances))
    draws += np.arange(resamples)[:, np.newaxis] * citances
    counts = np.bincount(draws.ravel(), minlength=resamples * citances)
    return counts.reshape(resamples, citances).astype(np.float64)
