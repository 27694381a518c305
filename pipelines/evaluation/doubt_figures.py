"""How far probabilities can be relied on, and how well support tells right articles from wrong."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

import numpy as np

from citespan.pipelines.evaluation.measure import FloatArray

BINS: Final = 10


def area_under_roc(right: FloatArray, wrong: FloatArray) -> float:
    """Return the probability that a value of `right` is greater than one of `wrong`, ties half."""
    ordered = np.sort(wrong)
    below = np.searchsorted(ordered, right, "left")
    ties = np.searchsorted(ordered, right, "right") - below
    return float((below + ties / 2).mean() / len(wrong))


def reliability(
    probabilities: FloatArray, labels: FloatArray, weights: FloatArray | None = None
) -> list[dict[str, float]]:
    """Return the points of a reliability curve: ten bins of equal width, those with any value.

    Args:
        probabilities: (rows,), from 0 to 1.
        labels: (rows,), 1 for what came true.
        weights: (rows,), by default all 1.
    """
    weights = np.ones(len(labels)) if weights is None else weights
    bins = np.minimum((probabilities * BINS).astype(int), BINS - 1)
    share, said, true = (
        np.bincount(bins, weights * values, minlength=BINS)
        for values in (np.ones(len(labels)), probabilities, labels)
    )
    return [
        {
            "share": float(share[place] / weights.sum()),
            "probability": float(said[place] / share[place]),
            "frequency": float(true[place] / share[place]),
        }
        for place in np.flatnonzero(share)
    ]


def calibration_error(points: Sequence[dict[str, float]]) -> float:
    """Return the expected calibration error of a reliability curve: the mean distance between
    what was said and what came true (Naeini et al. 2015)."""
    return sum(point["share"] * abs(point["probability"] - point["frequency"]) for point in points)


def describe_support(
    right: FloatArray, wrong: Mapping[str, FloatArray], thresholds: FloatArray
) -> dict[str, Any]:
    """Return the figures of support, right and wrong articles weighing the same, as in training.

    Args:
        right: (queries,), of the articles that they are about.
        wrong: (queries,), of articles that they are not about, by how these were chosen.
        thresholds: (queries,), below which an article has no evidence.
    """
    mismatched = np.concatenate([*wrong.values()])
    labels = np.concatenate([np.ones(len(right)), np.zeros(len(mismatched))])
    weights = np.concatenate([np.full(len(right), len(wrong)), np.ones(len(mismatched))])
    points = reliability(np.concatenate([right, mismatched]), labels, weights)
    return {
        "auroc": {kind: area_under_roc(right, values) for kind, values in wrong.items()},
        "calibration_error": calibration_error(points),
        "reliability": points,
        "right_below_threshold": float((right < thresholds).mean()),
        "wrong_below_threshold": {
            kind: float((values < thresholds).mean()) for kind, values in wrong.items()
        },
    }
