"""Gradient-boosted trees, evaluated in NumPy.

LightGBM's own import takes longer than a whole search, so it is used for training only. Trees are
evaluated feature by feature, as QuickScorer does (C. Lucchese et al., "QuickScorer: a fast
algorithm to rank documents with additive ensembles of regression trees", SIGIR 2015): a comparison
that turns out false rules out the leaves on its left, and of the leaves that remain in a tree the
leftmost is the one that is reached. Which leaves all false comparisons of one feature rule out
depends only on how many of its thresholds are exceeded, so it is looked up.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Numbers = NDArray[np.int64]
Masks = NDArray[np.uint16]

MOST_LEAVES: Final = 16
"""Of a tree: one bit for each."""

ALL_LEAVES: Final = (1 << MOST_LEAVES) - 1
_BLOCK = 1024  # rows at once, whose masks the processor's cache can hold


@dataclass(frozen=True, eq=False)
class Trees:
    """T trees.

    Attributes:
        features: names of the features, in order.
        thresholds: for each feature that is compared, its number, its sorted thresholds, and the
            (thresholds + 1, T) leaves that remain if so many of them are exceeded.
        values: (T, 16), of the leaves, from left to right.
    """

    features: tuple[str, ...]
    thresholds: tuple[tuple[int, Floats, Masks], ...]
    values: Floats

    def predict(self, matrix: Floats) -> Floats:
        """Return the sum of the trees' values for each row.

        Args:
            matrix: (rows, features), without NaN.
        """
        return np.concatenate(
            [
                np.zeros(0),
                *(
                    self._predict(matrix[start : start + _BLOCK])
                    for start in range(0, len(matrix), _BLOCK)
                ),
            ]
        )

    def _predict(self, matrix: Floats) -> Floats:
        remaining = np.full((len(matrix), len(self.values)), ALL_LEAVES, dtype=np.uint16)
        columns = np.ascontiguousarray(matrix.T)
        for feature, thresholds, masks in self.thresholds:
            exceeded = thresholds.searchsorted(columns[feature])
            remaining &= masks.take(exceeded, axis=0)
        leaves = _LEFTMOST.take(remaining)
        leaves += np.arange(len(self.values)) * MOST_LEAVES
        sums: Floats = self.values.take(leaves).sum(axis=1)
        return sums


def _find_leftmost() -> Numbers:
    """Return for each mask the number of its lowest bit."""
    found = np.zeros(ALL_LEAVES + 1, dtype=np.int64)
    for bit in range(MOST_LEAVES):
        found[1 << bit :: 2 << bit] = bit
    return found


_LEFTMOST: Final = _find_leftmost()
