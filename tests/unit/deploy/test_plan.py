"""Fits of costs, and what follows from them: by exact power laws, and by the rows that ship."""

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from places import ROOT
from scipy import stats

from benchmarks.sizing import make_table
from citespan.deploy.plan import NODE_BYTES, Growth, Measured, fit, fit_all, make_plan, read_growth

NUMBERS = st.lists(st.integers(100, 10**6), min_size=3, max_size=12, unique=True)
FACTORS = st.floats(1e-3, 1e6)
EXPONENTS = st.floats(0, 1)


def make_rows(numbers: list[int], factor: float, exponent: float) -> list[Measured]:
    return [Measured("a", "b", 1, n, factor * n**exponent, "ms") for n in numbers]


@given(NUMBERS, FACTORS, EXPONENTS, st.integers(1, 10**9))
def test_power_laws_are_recovered(
    numbers: list[int], factor: float, exponent: float, articles: int
) -> None:
    found = fit(make_rows(numbers, factor, exponent))
    exact = factor * articles**exponent
    assert found.exponent == pytest.approx(exponent, abs=1e-6)
    figure, low, high = found.predict(articles)
    assert figure == pytest.approx(exact, rel=1e-3)
    assert low <= exact * (1 + 1e-6)
    assert high >= exact * (1 - 1e-6)
    assert high / low == pytest.approx(1, rel=1e-3)


@given(NUMBERS, FACTORS, EXPONENTS, st.floats(0.01, 0.5))
def test_intervals_contain_what_was_measured_and_widen(
    numbers: list[int], factor: float, exponent: float, noise: float
) -> None:
    """Of measurements that are off the line by turns, each is in the interval there."""
    rows = [
        replace(row, figure=row.figure * math.exp(noise * (-1) ** at))
        for at, row in enumerate(make_rows(sorted(numbers), factor, exponent))
    ]
    found = fit(rows)
    for row in rows:
        _, low, high = found.predict(row.articles)
        assert low <= row.figure <= high
    near, far = (found.predict(max(numbers) * times) for times in (1, 10_000))
    assert near[2] / near[1] <= far[2] / far[1]


def test_an_interval_is_that_of_the_t_distribution() -> None:
    articles, figures = np.array([1, 2, 4, 8]), np.array([1.0, 3.0, 7.0, 20.0])
    x, y = np.log(articles), np.log(figures)
    exponent, height = np.polyfit(x, y, 1)
    error = np.sqrt(np.sum((y - height - exponent * x) ** 2) / (len(x) - 2))
    rows = [Measured("", "", 0, n, y, "") for n, y in zip(articles, figures, strict=True)]
    for number in (1, 3, 8):
        away = (math.log(number) - x.mean()) ** 2 / np.sum((x - x.mean()) ** 2)
        half = stats.t.ppf(0.975, len(x) - 2) * error * np.sqrt(1 + 1 / len(x) + away)
        middle = height + exponent * math.log(number)
        expected = np.exp([middle, middle - half, middle + half])
        assert fit(rows).predict(number) == pytest.approx(expected, rel=1e-3)


@pytest.mark.parametrize(("exponent", "expected"), [(-0.5, 1.0), (0.5, 10.0), (2.0, 100.0)])
def test_beyond_what_was_measured_costs_neither_fall_nor_outgrow_the_articles(
    exponent: float, expected: float
) -> None:
    found = fit(make_rows([10, 100, 1000], 1.0, exponent))
    (at, *_), (beyond, *_) = found.predict(1000), found.predict(100_000)
    assert beyond / at == pytest.approx(expected)


def test_beyond_what_was_measured_the_interval_of_a_cost_that_fell_widens() -> None:
    rows = [
        replace(row, figure=row.figure * off)
        for row, off in zip(make_rows([10, 100, 1000], 1.0, -0.5), (1.0, 1.01, 1.0), strict=True)
    ]
    (_, low, high), (_, lower, higher) = fit(rows).predict(1000), fit(rows).predict(100_000)
    assert lower == pytest.approx(low)
    assert higher > 1.1 * high


def test_what_was_measured_too_seldom_or_was_nothing_is_not_fitted() -> None:
    rows = make_rows([10, 100, 1000], 2.0, 1.0)
    assert fit_all(rows).keys() == {"a: b"}
    assert not fit_all(rows[:2])
    assert not fit_all([*rows, replace(rows[0], figure=0.0)])


def test_twice_the_copies_take_twice_the_disk_and_more_of_the_processor() -> None:
    single, double = ({cost.name: cost for cost in make_plan(10**6, n).costs} for n in (1, 2))
    disk = "disk of the cluster"
    assert double[disk].figure == pytest.approx(2 * single[disk].figure)
    load = "load on 1 core"
    assert single[load].figure < double[load].figure < 2 * single[load].figure
    assert double["load on 12 cores"].figure == pytest.approx(double[load].figure / 12)
    assert (single["nodes"].figure, double["nodes"].figure) == (1, 2)


def test_costs_are_within_their_intervals_which_grow_with_the_articles() -> None:
    small, large = make_plan(5_000_000), make_plan(40_000_000)
    for less, more in zip(small.costs, large.costs, strict=True):
        assert 0 < less.low <= less.figure <= less.high
        if less.unit == "ms":
            assert more.high / more.low > less.high / less.low
    disk, _, nodes, of_node, *_ = large.costs
    assert nodes.figure == math.ceil(disk.figure / NODE_BYTES)
    assert of_node.figure <= NODE_BYTES
    assert large.extrapolated
    assert not make_plan(small.most).extrapolated


def test_a_figure_has_two_digits_and_a_unit_for_readers() -> None:
    costs = make_plan(5_000_000, 2, read_growth()).costs
    shown = {cost.name: replace(cost, figure=1234.5, low=1.5, high=5e4).show() for cost in costs}
    assert shown["search in an article, p50"] == ("1.2 s", "1.5 ms to 50 s")
    assert shown["load on 1 core"] == ("1,200 hours", "1.5 to 50,000 hours")
    assert shown["nodes"] == ("1,234", "2 to 50,000")
    bytes_ = replace(costs[0], figure=2.34e12, low=9.99e8, high=9.99e8)
    assert bytes_.show() == ("2.3 TB", "1 GB")


def test_the_page_has_what_the_command_prints() -> None:
    page = (ROOT / "deploy" / "sizing.md").read_text(encoding="utf-8")
    assert f"<!-- python -m benchmarks.sizing -->\n\n{make_table()}\n\n<!-- end -->" in page, (
        "run: python -m benchmarks.sizing"
    )


def test_what_is_not_in_the_rows_is_named() -> None:
    growth = read_growth()
    less = Growth(growth.machine, tuple(row for row in growth.rows if row.group != "link"))
    with pytest.raises(KeyError, match="link: bytes of links"):
        make_plan(1000, 2, less)
