"""The paired tests by which systems are told from the baseline."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from citespan.pipelines.evaluation.measure import FloatArray

PERMUTATIONS = 10_000
_BLOCK = 1_000
_ROUNDING = 1e-12
"""Values lie between 0 and 1; per citance, sums may be this far from what they are."""
_SAME = 1e-12
"""Values lie between 0 and 1; differences that vary by less are rounding, not variance."""


class Significance(NamedTuple):
    """Two-sided p-values of one system on one measure against the baseline.

    Attributes:
        p_value: of Student's paired t-test; None where it isn't defined.
        p_randomisation: of the paired randomisation test.
        p_value_corrected, p_randomisation_corrected: the same by Holm's correction over the
            systems that were tested on this measure.
    """

    p_value: float | None = None
    p_value_corrected: float | None = None
    p_randomisation: float | None = None
    p_randomisation_corrected: float | None = None


UNTESTED = Significance()


def against_baseline(
    values: Mapping[str, FloatArray], baseline: FloatArray, seed: int = 0
) -> dict[str, list[Significance]]:
    """Test every system against the baseline, for each measure.

    Args:
        values: by system, its values, of shape (citances, measures).
        baseline: those of the baseline, of the same shape.
    """
    if not values or not baseline.size:
        return {system: [UNTESTED] * baseline.shape[1] for system in values}
    randomisation = randomisation_test(
        np.hstack([theirs - baseline for theirs in values.values()]), seed=seed
    ).reshape(len(values), -1)
    tests: dict[str, list[Significance]] = {system: [] for system in values}
    for number, own in enumerate(baseline.T):
        student = [paired_t_test(theirs[:, number], own) for theirs in values.values()]
        exchanged = [float(p_value) for p_value in randomisation[:, number]]
        columns = (student, holm(student), exchanged, holm(exchanged))
        for system, *p_values in zip(values, *columns, strict=True):
            tests[system].append(Significance(*p_values))
    return tests


def paired_t_test(values: FloatArray, baseline: FloatArray) -> float | None:
    """Return the two-sided p-value of Student's paired t-test (paper A, table 2).

    Args:
        values: one value per citance, of shape (citances,).
        baseline: those of the baseline on the same citances, in the same order.

    Returns:
        None where the test isn't defined: fewer than two citances, or the same difference on
        every one, as between a system and itself.

    Raises:
        ValueError: if the shapes differ.
    """
    from scipy import stats  # takes most of a second, which other commands need not wait for

    if values.shape != baseline.shape:
        raise ValueError(f"{values.shape} values can't be paired with {baseline.shape}")
    if len(values) < 2 or np.ptp(values - baseline) < _SAME:
        return None
    return float(stats.ttest_rel(values, baseline).pvalue)


def randomisation_test(
    differences: FloatArray, *, permutations: int = PERMUTATIONS, seed: int = 0
) -> FloatArray:
    """Test paired differences by randomisation, all columns under the same exchanges.

    R. A. Fisher, The Design of Experiments, 1935; for retrieval: M. D. Smucker, J. Allan and
    B. Carterette, "A comparison of statistical significance tests for information retrieval
    evaluation", CIKM 2007. If two systems are alike, either could have had either value of each
    citance: so the values are exchanged at random, and the p-value is how often the means then
    lie at least as far apart as they did.

    With so few citances that all exchanges are fewer than `permutations`, each is tried once
    and the p-values are exact; else they are estimated from exchanges drawn at random, the one
    that was observed among them, so that no p-value is zero.

    Args:
        differences: value less the baseline's, of shape (citances, k).

    Returns:
        Two-sided p-values of shape (k,), each over 0 and at most 1.

    Raises:
        ValueError: if there is no citance.
    """
    citances = len(differences)
    least = np.abs(differences.sum(axis=0)) - _ROUNDING * citances
    exchanges = _Exchanges(citances, permutations, seed)
    as_far = np.zeros(differences.shape[1])
    for exchanged in exchanges.blocks():
        signs = 1.0 - 2.0 * exchanged
        as_far += (np.abs(signs @ differences) >= least).sum(axis=0)
    return exchanges.p_values(as_far)


def pooled_randomisation_test(
    values: Sequence[tuple[FloatArray, FloatArray]],
    figures: Sequence[Callable[[FloatArray], FloatArray]],
    *,
    permutations: int = PERMUTATIONS,
    seed: int = 0,
) -> FloatArray:
    """Test measures that pool all citances by randomisation, as `randomisation_test` does.

    What each citance contributes is exchanged, and the figures are computed of the sums: so are
    differences of F1 tested in A. Yeh, "More accurate tests for the statistical significance of
    result differences", COLING 2000.

    Args:
        values: for each comparison, the contributions of both systems, each of shape (citances, k).
        figures: for each comparison, what sums of shape (..., k) give.

    Returns:
        Two-sided p-values of shape (comparisons,).

    Raises:
        ValueError: if there is no citance.
    """
    sums = [(own.sum(axis=0), other.sum(axis=0)) for own, other in values]
    changes = [other - own for own, other in values]
    pairs = zip(figures, sums, strict=True)
    observed = [np.abs(figure(own) - figure(other)) for figure, (own, other) in pairs]
    exchanges = _Exchanges(len(changes[0]) if changes else 0, permutations, seed)
    as_far = np.zeros(len(figures))
    for exchanged in exchanges.blocks():
        mask = exchanged.astype(np.float64)
        for place, (figure, change, (own, other)) in enumerate(
            zip(figures, changes, sums, strict=True)
        ):
            moved = mask @ change
            apart = np.abs(figure(own + moved) - figure(other - moved))
            as_far[place] += (apart >= observed[place] - _ROUNDING).sum()
    return exchanges.p_values(as_far)


class _Exchanges:
    """Which citances are exchanged: every choice once if they are few, else choices at random.

    Raises:
        ValueError: if there is no citance.
    """

    def __init__(self, citances: int, permutations: int, seed: int) -> None:
        if not citances:
            raise ValueError("there is no citance to exchange")
        self._citances = citances
        self._exact = citances < 60 and 2**citances <= permutations
        self._tried = 2**citances if self._exact else permutations
        self._seed = seed

    def blocks(self) -> Iterator[NDArray[np.integer[Any]]]:
        """Yield choices, of shape (some, citances), 1 for a citance that is exchanged."""
        generator = np.random.default_rng(self._seed)
        for first in range(0, self._tried, _BLOCK):
            size = min(_BLOCK, self._tried - first)
            if self._exact:
                codes = np.arange(first, first + size)[:, np.newaxis]
                yield codes >> np.arange(self._citances) & 1
            else:
                yield generator.integers(0, 2, size=(size, self._citances), dtype=np.int8)

    def p_values(self, as_far: FloatArray) -> FloatArray:
        """Return p-values from how many choices lay at least as far apart as what was observed."""
        return as_far / self._tried if self._exact else (as_far + 1) / (self._tried + 1)


def holm(p_values: Sequence[float | None]) -> list[float | None]:
    """Correct p-values for many comparisons, in the order given.

    With a corrected p-value below .05 called significant, the chance that any such call is wrong
    is at most 5%. None, where a test wasn't defined, stays None and is not counted as a
    comparison.

    S. Holm, "A simple sequentially rejective multiple test procedure", Scandinavian Journal of
    Statistics 6, 1979: as safe as Bonferroni's, under any dependence of the tests, and never
    weaker.
    """
    places = [place for place, p_value in enumerate(p_values) if p_value is not None]
    places.sort(key=lambda place: p_values[place] or 0.0)
    corrected: list[float | None] = [None] * len(p_values)
    largest = 0.0
    for done, place in enumerate(places):
        largest = max(largest, min(1.0, (len(places) - done) * (p_values[place] or 0.0)))
        corrected[place] = largest
    return corrected
