"""The tests against the baseline, and their correction for many comparisons."""

import math
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from citespan.pipelines.evaluation.significance import (
    PERMUTATIONS,
    against_baseline,
    holm,
    paired_t_test,
    pooled_randomisation_test,
    randomisation_test,
)

VALUES = st.sampled_from([0.0, 0.1, 0.25, 0.3, 1.0])
P_VALUES = st.lists(st.floats(1e-6, 1), min_size=1, max_size=12)


def column(*differences: float) -> np.ndarray:
    return np.array(differences)[:, np.newaxis]


def enumerated(differences: list[float]) -> float:
    """The share of all exchanges whose mean is as far from zero, one exchange after another."""
    observed = abs(math.fsum(differences))
    exchanges = list(product((1, -1), repeat=len(differences)))
    as_far = sum(
        abs(
            math.fsum(
                sign * difference for sign, difference in zip(signs, differences, strict=True)
            )
        )
        >= observed - 1e-9
        for signs in exchanges
    )
    return as_far / len(exchanges)


def test_paired_t_test_by_hand() -> None:
    # Differences .1 .2 .3 0: mean .15, variance .05/3, t = .15 / sqrt(.05 / 12), 3 degrees.
    values, baseline = np.array([0.5, 0.7, 0.9, 0.6]), np.array([0.4, 0.5, 0.6, 0.6])
    t = 0.15 / math.sqrt(0.05 / 12)
    x = t / math.sqrt(3)
    upper = 0.5 - (x / (1 + x * x) + math.atan(x)) / math.pi
    assert paired_t_test(values, baseline) == pytest.approx(2 * upper)
    assert paired_t_test(baseline, values) == pytest.approx(2 * upper)


@pytest.mark.parametrize(
    ("values", "baseline"),
    [([0.5], [0.25]), ([0.5, 0.1], [0.5, 0.1]), ([0.7, 0.3], [0.5, 0.1]), ([], [])],
)
def test_paired_t_test_undefined(values, baseline) -> None:
    assert paired_t_test(np.array(values), np.array(baseline)) is None


def test_values_of_other_citances_are_no_pairs() -> None:
    with pytest.raises(ValueError, match="paired"):
        paired_t_test(np.zeros(3), np.zeros(1))


def test_randomisation_by_hand() -> None:
    # Of the eight exchanges of .1 .2 .3 only none and all leave the sum .6 away from zero.
    assert randomisation_test(column(0.1, 0.2, 0.3))[0] == 2 / 8
    # .3 -.1: sums .2 .4 -.4 -.2, all at least .2 away.
    assert randomisation_test(column(0.3, -0.1))[0] == 1


@given(pairs=st.lists(st.tuples(VALUES, VALUES), min_size=1, max_size=9))
def test_randomisation_of_few_citances_is_exact(pairs: list[tuple[float, float]]) -> None:
    differences = [first - other for first, other in pairs]
    assert randomisation_test(column(*differences))[0] == pytest.approx(enumerated(differences))


@given(
    pairs=st.lists(st.tuples(VALUES, VALUES), min_size=10, max_size=12), seed=st.integers(0, 2**32)
)
def test_randomisation_by_drawing_is_near_the_exact_one(
    pairs: list[tuple[float, float]], seed: int
) -> None:
    differences = column(*(first - other for first, other in pairs))
    exact = randomisation_test(differences)[0]
    drawn = randomisation_test(differences, permutations=900, seed=seed)[0]
    # Six standard errors, and the exchange that was observed.
    assert drawn == pytest.approx(exact, abs=6 * math.sqrt(0.25 / 900) + 1 / 900)
    assert drawn >= 1 / 901


def test_randomisation_agrees_with_scipy() -> None:
    generator = np.random.default_rng(7)
    values, baseline = generator.random(80), generator.random(80) - 0.05
    theirs = stats.permutation_test(
        (values, baseline),
        lambda x, y, axis: np.mean(x - y, axis=axis),
        permutation_type="samples",
        vectorized=True,
        n_resamples=PERMUTATIONS,
        random_state=1,
    )
    ours = randomisation_test((values - baseline)[:, np.newaxis])[0]
    assert ours == pytest.approx(theirs.pvalue, abs=0.03)
    assert ours == pytest.approx(paired_t_test(values, baseline), abs=0.03)


def test_randomisation_is_uniform_where_systems_are_alike() -> None:
    differences = np.random.default_rng(3).normal(size=(40, 1000)) / 10
    p_values = randomisation_test(differences)
    assert stats.kstest(p_values, "uniform").pvalue > 0.001


def test_randomisation_again_gives_the_same() -> None:
    differences = np.random.default_rng(5).normal(size=(50, 3)) + 0.2
    first = randomisation_test(differences, seed=1)
    assert np.array_equal(first, randomisation_test(differences, seed=1))
    assert not np.array_equal(first, randomisation_test(differences, seed=2))


def test_a_system_that_is_always_better_is_never_at_zero() -> None:
    assert randomisation_test(np.full((500, 1), 0.5))[0] == 1 / (PERMUTATIONS + 1)


def test_no_citance_is_an_error() -> None:
    with pytest.raises(ValueError, match="no citance"):
        randomisation_test(np.empty((0, 2)))


def test_holm_by_hand() -> None:
    # Sorted .01 .02 .03 .04, times 4 3 2 1, and never less than the one before.
    assert holm([0.04, 0.01, 0.03, 0.02]) == pytest.approx([0.06, 0.04, 0.06, 0.06])
    assert holm([0.5, 0.9]) == [1.0, 1.0]
    assert holm([0.02]) == [0.02]


def test_holm_leaves_out_what_was_not_tested() -> None:
    assert holm([None, 0.02, None, 0.03]) == [None, pytest.approx(0.04), None, pytest.approx(0.04)]
    assert holm([None]) == [None]
    assert holm([0.0, None]) == [0.0, None]
    assert holm([]) == []


@given(p_values=P_VALUES)
def test_holm_keeps_the_order_and_lies_between_none_and_bonferroni(p_values: list[float]) -> None:
    corrected = holm(p_values)
    for p_value, mine in zip(p_values, corrected, strict=True):
        assert p_value <= mine <= min(1, len(p_values) * p_value) + 1e-12
    for value, mine in zip(p_values, corrected, strict=True):
        for other, theirs in zip(p_values, corrected, strict=True):
            assert value > other or mine <= theirs


@given(p_values=P_VALUES, place=st.integers(0, 11), factor=st.floats(0, 1))
def test_holm_is_monotone(p_values: list[float], place: int, factor: float) -> None:
    smaller = list(p_values)
    smaller[place % len(smaller)] *= factor
    for mine, before in zip(holm(smaller), holm(p_values), strict=True):
        assert mine <= before + 1e-12


def test_systems_are_corrected_together_measure_by_measure() -> None:
    generator = np.random.default_rng(11)
    baseline = generator.random((30, 2))
    values = {
        "near": baseline + generator.normal(size=(30, 2)) / 50,
        "far": baseline + 0.02 + generator.normal(size=(30, 2)) / 20,
        "same": baseline.copy(),
    }
    tests = against_baseline(values, baseline)
    for measure in range(2):
        student = [
            paired_t_test(values[system][:, measure], baseline[:, measure]) for system in values
        ]
        assert [tests[system][measure].p_value for system in values] == student
        assert [tests[system][measure].p_value_corrected for system in values] == holm(student)
        exchanged = [tests[system][measure].p_randomisation for system in values]
        assert [tests[system][measure].p_randomisation_corrected for system in values] == holm(
            exchanged
        )
        assert tests["same"][measure].p_value is None
        assert tests["same"][measure].p_randomisation == 1


def test_a_baseline_alone_has_no_tests() -> None:
    assert against_baseline({}, np.zeros((3, 2))) == {}


def _share(sums: np.ndarray) -> np.ndarray:
    return sums[..., 0] / np.maximum(sums[..., 1], 1)


@pytest.mark.parametrize("seed", range(3))
def test_pooled_figures_are_tested_by_every_exchange_of_few_citances(seed: int) -> None:
    generator = np.random.default_rng(seed)
    own = generator.integers(0, 5, size=(6, 2)).astype(float)
    other = generator.integers(0, 5, size=(6, 2)).astype(float)
    observed = abs(_share(own.sum(axis=0)) - _share(other.sum(axis=0)))
    as_far = 0
    for choice in product((False, True), repeat=6):
        mask = np.array(choice)[:, np.newaxis]
        swapped = np.where(mask, other, own).sum(axis=0)
        kept = np.where(mask, own, other).sum(axis=0)
        as_far += abs(_share(swapped) - _share(kept)) >= observed - 1e-12
    [p_value] = pooled_randomisation_test([(own, other)], [_share])
    assert p_value == pytest.approx(as_far / 64)


def test_pooled_figures_of_many_citances() -> None:
    generator = np.random.default_rng(1)
    base = np.column_stack([generator.integers(0, 2, 200), np.ones(200)]).astype(float)
    better = np.column_stack(
        [np.minimum(1, base[:, 0] + (generator.random(200) < 0.3)), base[:, 1]]
    )
    p_values = pooled_randomisation_test([(base, base), (better, base)], [_share, _share])
    assert p_values[0] == 1
    assert p_values[1] < 0.001
    # A share of citances is a mean of them, so both tests are the same.
    again = randomisation_test(better[:, :1] - base[:, :1])
    assert p_values[1] == pytest.approx(again[0])
