"""The paired test by which a system is told from the baseline."""

import numpy as np

from citespan.pipelines.evaluation.measure import FloatArray

_SAME = 1e-12
"""Values lie between 0 and 1; differences that vary by less are rounding, not variance."""


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
