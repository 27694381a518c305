"""How the contributions of citances become one figure: mean, micro, macro."""

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from citespan.pipelines.evaluation.measure import FloatArray


class Figures(NamedTuple):
    """Precision, recall and F1, each of the same shape."""

    precision: FloatArray
    recall: FloatArray
    f1: FloatArray


def mean_counts(values: Iterable[float]) -> FloatArray:
    """One value per citance as counts, of shape (citances, 2): the value, and 1."""
    column = np.fromiter(values, dtype=np.float64)
    return np.column_stack([column, np.ones_like(column)])


def mean(sums: FloatArray) -> FloatArray:
    """The mean over citances, from sums of `mean_counts`; shape (..., topics, 2) to (...)."""
    total = sums.sum(axis=-2)
    return _ratio(total[..., 0], total[..., 1])


def micro(sums: FloatArray) -> Figures:
    """Figures of all citances pooled.

    Args:
        sums: of shape (..., topics, k), the first three of k being what was found, retrieved
            and marked.
    """
    total = sums.sum(axis=-2)
    found, retrieved, marked = total[..., 0], total[..., 1], total[..., 2]
    return Figures(
        _ratio(found, retrieved), _ratio(found, marked), _ratio(2 * found, retrieved + marked)
    )


def macro(sums: FloatArray) -> Figures:
    """Means over topics of each topic's precision and recall, and the harmonic mean of those
    two, which is what CL-SciSumm's scorer reports as macro F1 (not the mean of topics' F1).

    Args:
        sums: of shape (..., topics, 4): found, retrieved, marked, and the number of citances;
            topics without a citance don't count.
    """
    found, retrieved, marked = sums[..., 0], sums[..., 1], sums[..., 2]
    topics = (sums[..., 3] > 0).sum(axis=-1).astype(np.float64)
    precision = _ratio(_ratio(found, retrieved).sum(axis=-1), topics)
    recall = _ratio(_ratio(found, marked).sum(axis=-1), topics)
    return Figures(precision, recall, _ratio(2 * precision * recall, precision + recall))


def _ratio(above: FloatArray, below: FloatArray) -> FloatArray:
    """above / below; zero where `below` is, as retrieval's measures have it."""
    return np.divide(above, below, out=np.zeros_like(above), where=below > 0)
