"""The paired tests by which systems are told from the baseline."""

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from citespan.pipelines.evaluation.holm import holm
from citespan.pipelines.evaluation.measure import FloatArray
from citespan.pipelines.evaluation.randomisation import randomisation_test

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
    """Tests of every system, for each measure.

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
    """The two-sided p-value of Student's paired t-test (paper A, table 2).

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
