"""Gradient-boosted trees, evaluated in NumPy.

LightGBM's own import takes longer than a whole search, so it is used for training only. Trees are
evaluated feature by feature, as QuickScorer does (C. Lucchese et al., "QuickScorer: a fast
algorithm to rank documents with additive ensembles of regression trees", SIGIR 2015): a comparison
that turns out false rules out the leaves on its left, and of the leaves that remain in a tree the
leftmost is the one that is reached. Which leaves all false comparisons of one feature rule out
depends only on how many of its thresholds are exceeded, so it is looked up.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from citespan.pipelines.errors import InputError

Floats = NDArray[np.float64]
Numbers = NDArray[np.int64]
Masks = NDArray[np.uint16]

MOST_LEAVES: Final = 16
"""Of a tree: one bit for each."""

ALL_LEAVES: Final = (1 << MOST_LEAVES) - 1
_BLOCK = 2**17  # masks at once: of rows times trees, as many as the processor's cache can hold


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
        rows = max(1, _BLOCK // len(self.values))
        blocks = (matrix[start : start + rows] for start in range(0, len(matrix), rows))
        return np.concatenate([np.zeros(0), *map(self._predict, blocks)])

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


_CATEGORICAL, _MISSING = 1, 12  # bits of decision_type

Fields = Mapping[str, str]


def read_trees(text: str, source: str) -> Trees:
    """Read a model that LightGBM wrote, or several of the same features, one behind the other,
    whose trees are then added up.

    Raises:
        InputError: naming `source`, if it is damaged, or has what is not supported here: trees of
            more than 16 leaves, categorical features, linear trees, missing values.
    """
    try:
        return _read(text)
    except (KeyError, ValueError, IndexError, OverflowError) as error:
        raise InputError(
            f"{source}: not a model of LightGBM's, or damaged; train it again"
        ) from error


def _read(text: str) -> Trees:
    *models, rest = text.split("end of trees")
    heads, blocks = zip(*(model.split("\nTree=", 1) for model in models), strict=True)
    if "\nTree=" in rest or len({_split_fields(head)["feature_names"] for head in heads}) > 1:
        raise ValueError("cut off, or of other features")
    features = tuple(_split_fields(heads[0])["feature_names"].split())
    trees = [_split_fields(tree) for block in blocks for tree in block.split("\nTree=")]
    leaves = np.array([int(tree["num_leaves"]) for tree in trees])
    if leaves.min() < 1 or leaves.max() > MOST_LEAVES:
        raise ValueError("too large")
    if any(tree.get("is_linear", "0") != "0" for tree in trees):
        raise ValueError("linear")
    compared, kinds, left, right = (
        np.array(_read_numbers(trees, name, leaves - 1, int), dtype=np.int64)
        for name in ("split_feature", "decision_type", "left_child", "right_child")
    )
    thresholds = np.array(_read_numbers(trees, "threshold", leaves - 1, float), dtype=np.float64)
    if np.any((compared < 0) | (compared >= len(features))):
        raise ValueError("unknown feature")
    if np.any(kinds & (_CATEGORICAL | _MISSING)):
        raise ValueError("categorical split, or missing values")
    places, remaining = _order_leaves(left, right, leaves)
    values = np.zeros((len(trees), MOST_LEAVES))
    values[np.repeat(np.arange(len(trees)), leaves), places] = _read_numbers(
        trees, "leaf_value", leaves, float
    )
    if np.isnan(thresholds).any() or np.isnan(values).any():
        raise ValueError("not a number")
    owners = np.repeat(np.arange(len(trees)), leaves - 1)
    tables = _tabulate(compared, thresholds, owners, remaining, len(trees))
    return Trees(features, tuple(tables), values)


def _split_fields(block: str) -> Fields:
    return dict(line.split("=", 1) for line in block.splitlines() if "=" in line)


def _read_numbers(trees: Sequence[Fields], name: str, counts: Numbers, kind: type) -> list[Any]:
    """Return the numbers of a field of all trees, of each tree as many as it must have."""
    numbers: list[Any] = []
    for tree, count in zip(trees, counts, strict=True):
        own = tree.get(name, "").split()
        if len(own) != count:
            raise ValueError(name)
        numbers += map(kind, own)
    return numbers


def _order_leaves(left: Numbers, right: Numbers, leaves: Numbers) -> tuple[Numbers, Masks]:
    """Order the leaves of each tree from left to right.

    Args:
        left, right: (nodes,), the children of the nodes of all trees.
        leaves: (trees,), how many each tree has.

    Returns:
        (leaves,), the place of each in its tree, and (nodes,), which leaves remain if a comparison
        is false: all but those on its left.
    """
    nodes, total = leaves - 1, len(left)
    first_node = np.repeat(np.cumsum(nodes) - nodes, nodes)
    first_leaf = np.repeat(total + np.cumsum(leaves) - leaves, nodes)
    number = np.arange(total) - first_node
    children = np.stack([left, right])
    inside = (children >= -np.repeat(leaves, nodes)) & (children < np.repeat(nodes, nodes))
    if not np.all(inside & ((children < 0) | (children > number))):
        raise ValueError("an invalid child index")
    # From here on, nodes and then leaves are numbered through all trees.
    children = np.where(children < 0, first_leaf + ~children, first_node + children)
    if np.any(np.bincount(children.ravel()) > 1):
        raise ValueError("a child of two nodes")
    levels = [np.flatnonzero(number == level) for level in range(MOST_LEAVES - 1)]
    below = np.ones(total + leaves.sum(), dtype=np.int64)  # how many leaves
    for level in reversed(levels):
        below[level] = below[children[:, level]].sum(axis=0)
    start = np.zeros_like(below)  # the place of the first of them
    for level in levels:
        start[children[0, level]] = start[level]
        start[children[1, level]] = start[level] + below[children[0, level]]
    ruled_out = (1 << (start[:total] + below[children[0]])) - (1 << start[:total])
    return start[total:], (ALL_LEAVES & ~ruled_out).astype(np.uint16)


def _tabulate(
    compared: Numbers, thresholds: Floats, owners: Numbers, remaining: Masks, trees: int
) -> Iterator[tuple[int, Floats, Masks]]:
    """Yield for each feature that is compared its number, its sorted thresholds, and what remains
    of each tree if the first 0, 1, 2 … are exceeded."""
    order = np.lexsort((owners, thresholds, compared))
    edges = np.flatnonzero(np.diff(compared[order])) + 1
    for rows in np.split(order, edges) if len(order) else ():
        masks = np.full((len(rows) + 1, trees), ALL_LEAVES, dtype=np.uint16)
        masks[np.arange(1, len(rows) + 1), owners[rows]] = remaining[rows]
        np.bitwise_and.accumulate(masks, axis=0, out=masks)
        yield int(compared[rows[0]]), thresholds[rows], masks
