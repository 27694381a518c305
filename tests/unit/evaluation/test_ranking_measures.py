"""Measures of a ranking, worked out by hand."""

from math import log2

import pytest
from made_outcomes import make_outcome, tens

from citespan.pipelines.evaluation.measure import measures
from citespan.pipelines.evaluation.outcome import Outcome

MARKED = [[(20, 29), (50, 59)]]  # sentences 2 and 5


def made(*spans: tuple[int, int]) -> Outcome:
    return make_outcome(tens(8), MARKED, spans)


def value(name: str, *run: Outcome) -> float:
    counts = measures[name].counts(run)
    return float(measures[name].value(counts.sum(axis=0, keepdims=True)))


@pytest.mark.parametrize(
    ("spans", "success", "reciprocal"),
    [
        ([(2, 2)], 1, 1),
        ([(1, 3)], 1, 1),
        ([(0, 0), (5, 5)], 0, 1 / 2),
        ([(0, 0), (1, 1), (3, 4), (2, 2)], 0, 1 / 4),
        ([(0, 0)], 0, 0),
        ([], 0, 0),
    ],
)
def test_the_first_marked_span(
    spans: list[tuple[int, int]], success: float, reciprocal: float
) -> None:
    assert value("success_1", made(*spans)) == success
    assert value("mrr_10", made(*spans)) == pytest.approx(reciprocal)


def test_gain_is_discounted_by_rank() -> None:
    ideal = 1 + 1 / log2(3)
    assert value("ndcg_10", made((2, 2), (0, 0), (5, 5))) == pytest.approx((1 + 1 / 2) / ideal)
    assert value("ndcg_10", made((2, 5))) == pytest.approx(1)
    assert value("ndcg_10", made((2, 2), (2, 3))) == pytest.approx(1 / ideal)


def test_the_mean_is_over_all_citances() -> None:
    assert value("success_1", made((2, 2)), made((0, 0)), made()) == pytest.approx(1 / 3)
