"""All families of features, and the matrix that they make."""

from collections.abc import Iterable
from typing import Final

import numpy as np

from citespan.pipelines.errors import UnknownNameError
from citespan.pipelines.ranking.analysed_article import Floats, round_off
from citespan.pipelines.ranking.features import (
    coverage,
    feedback,
    matching,
    neighbours,
    parts,
    phrases,
    query,
    salience,
    stems,
    structure,
    wording,
)
from citespan.pipelines.ranking.features.family import Family
from citespan.pipelines.ranking.pair import Pair

FAMILIES: Final[dict[str, Family]] = {
    module.FAMILY.name: module.FAMILY
    for module in (
        *(matching, coverage, stems, parts, neighbours, phrases, structure, wording, feedback),
        *(salience, query),
    )
}


def feature_names(families: Iterable[str]) -> tuple[str, ...]:
    """Return the names of the features of some families, in order.

    Raises:
        UnknownNameError: for a family that there is not.
    """
    return tuple(name for family in families for name in find_family(family).names)


def find_family(name: str) -> Family:
    """Return the family of a name.

    Raises:
        UnknownNameError: if there is none.
    """
    if name not in FAMILIES:
        raise UnknownNameError("family of features", name, list(FAMILIES))
    return FAMILIES[name]


def compute_features(pair: Pair, families: Iterable[str]) -> Floats:
    """Return the features of all sentences, of shape (N, features)."""
    columns = [column for family in families for column in FAMILIES[family].compute(pair)]
    matrix = np.empty((len(pair.article), len(columns)), dtype=np.float64)
    for number, column in enumerate(columns):
        matrix[:, number] = column
    return round_off(matrix)
