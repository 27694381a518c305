"""Merging, on a case worked by hand and on random sets of windows."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citespan.pipelines.retrieval.merge import ScoredSpan, merge, merge_best, sort_by_score


def spans(*rows: tuple[int, int, float]) -> list[ScoredSpan]:
    return [ScoredSpan(*row) for row in rows]


def test_the_papers_rule_on_a_case_worked_by_hand() -> None:
    # 4-6 holds 5-5 and 4-5, and 5-5 is inside 4-5 as well: each adds its own score once.
    retrieved = spans((4, 6, 3.0), (4, 5, 2.0), (5, 5, 1.5), (9, 9, 4.0), (6, 8, 0.5))
    assert merge(retrieved) == spans((4, 6, 6.5), (9, 9, 4.0), (6, 8, 0.5))


def test_overlap_without_containment_is_left_alone() -> None:
    assert merge(spans((0, 2, 1.0), (1, 3, 2.0))) == spans((1, 3, 2.0), (0, 2, 1.0))


def test_nothing_retrieved() -> None:
    assert merge([]) == []


@st.composite
def retrieved_sets(draw: st.DrawFn) -> list[ScoredSpan]:
    windows = draw(
        st.sets(st.tuples(st.integers(0, 30), st.integers(0, 6)), min_size=0, max_size=60)
    )
    return [
        ScoredSpan(f, f + n, draw(st.floats(0.01, 100, allow_nan=False)))
        for f, n in sorted(windows)
    ]


def contains(outer: ScoredSpan, inner: ScoredSpan) -> bool:
    return (
        outer.first_sentence <= inner.first_sentence
        and inner.last_sentence <= outer.last_sentence
        and (outer.first_sentence, outer.last_sentence)
        != (inner.first_sentence, inner.last_sentence)
    )


@given(retrieved_sets())
def test_equals_the_rule_written_out(retrieved: list[ScoredSpan]) -> None:
    expected = {
        (s.first_sentence, s.last_sentence): s.score
        + sum(other.score for other in retrieved if contains(s, other))
        for s in retrieved
        if not any(contains(other, s) for other in retrieved)
    }
    merged = merge(retrieved)
    assert {(s.first_sentence, s.last_sentence): s.score for s in merged} == pytest.approx(expected)
    assert [s.score for s in merged] == sorted((s.score for s in merged), reverse=True)


@given(retrieved_sets(), st.randoms(use_true_random=False))
def test_the_order_of_retrieval_does_not_matter(
    retrieved: list[ScoredSpan], shuffler: random.Random
) -> None:
    shuffled = retrieved[:]
    shuffler.shuffle(shuffled)
    assert merge(shuffled) == merge(retrieved)


@given(retrieved_sets())
def test_idempotent_and_no_span_inside_another(retrieved: list[ScoredSpan]) -> None:
    merged = merge(retrieved)
    assert not any(contains(a, b) for a in merged for b in merged)
    assert merge(merged) == merged


def test_no_more_are_merged_than_leave_enough() -> None:
    # 4-6 swallows 5-5; with 9-9 there are two outermost, so 8-9 stays out of it.
    retrieved = spans((5, 5, 5.0), (4, 6, 4.0), (9, 9, 3.0), (8, 9, 2.0))
    assert merge_best(retrieved, 2) == spans((4, 6, 9.0), (9, 9, 3.0))
    assert merge_best(retrieved, 1) == spans((5, 5, 5.0))
    assert merge_best(retrieved, 3) == spans((4, 6, 9.0), (8, 9, 5.0))


@given(retrieved_sets(), st.integers(1, 4))
def test_best_is_the_merge_of_the_shortest_prefix_that_is_enough(
    retrieved: list[ScoredSpan], top: int
) -> None:
    order = sort_by_score(retrieved)
    prefixes = (merge(order[:count]) for count in range(1, len(order) + 1))
    expected = next((merged for merged in prefixes if len(merged) >= top), merge(order))
    assert merge_best(order, top) == expected
