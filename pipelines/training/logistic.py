"""Fit multinomial logistic regression to examples that have features or have them not."""

from collections import Counter
from collections.abc import Collection, Sequence
from typing import Any, Final

import numpy as np

from citespan.pipelines.logistic_model import LogisticModel

_DECIMALS: Final = 4


def fit_logistic_model(
    features: Sequence[Collection[str]],
    classes: Sequence[str],
    weights: Sequence[float],
    penalty: float,
    least: int = 1,
    tolerance: float = 1e-8,
) -> LogisticModel:
    """Fit a model; the same examples give the same one.

    Args:
        features: of each example.
        classes: that of each example.
        weights: how much each example counts.
        penalty: scikit-learn's C: the lower, the stronger.
        least: features of fewer examples than this are left out.
        tolerance: of the gradient, at which fitting stops.
    """
    from scipy.sparse import csr_matrix  # slow to import, and for training only
    from sklearn.linear_model import LogisticRegression

    counts = Counter(feature for own in features for feature in set(own))
    names = sorted(feature for feature, count in counts.items() if count >= least)
    named = sorted(set(classes))
    if len(named) == 1:
        return LogisticModel(tuple(named), (0.0,), {})
    places = {name: place for place, name in enumerate(names)}
    rows = [sorted({places[feature] for feature in own if feature in places}) for own in features]
    starts = np.cumsum([0, *map(len, rows)])
    columns = np.array([place for row in rows for place in row], dtype=np.int64)
    matrix = csr_matrix((np.ones(len(columns)), columns, starts), shape=(len(rows), len(names)))
    model = LogisticRegression(C=penalty, max_iter=5_000, tol=tolerance)
    model.fit(matrix, list(classes), np.array(weights))
    table, intercepts = _spell_out(model.coef_), _spell_out(model.intercept_)
    return LogisticModel(
        tuple(named),
        tuple(intercepts.tolist()),
        {name: tuple(own) for name, own in zip(names, table.T.tolist(), strict=True) if any(own)},
    )


def _spell_out(fitted: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """Round the weights. A model of two classes has one row: the first's is its negative."""
    both = np.stack([-fitted[0], fitted[0]]) if len(fitted) == 1 else fitted
    rounded: np.ndarray[Any, Any] = np.round(both, _DECIMALS) + 0.0
    return rounded
