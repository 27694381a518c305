"""Spans are all windows of so many sentences."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citespan.pipelines.errors import InputError
from citespan.pipelines.indexing.documents.windows import SpanLengths, window_count, windows


def test_three_sentences_in_reading_order_shorter_first() -> None:
    assert windows(3, SpanLengths(1, 2)) == [(0, 0), (0, 1), (1, 1), (1, 2), (2, 2)]


def test_an_article_shorter_than_the_shortest_span_is_one_span() -> None:
    assert windows(1, SpanLengths(2, 5)) == [(0, 0)]


def test_no_sentence_no_span() -> None:
    assert windows(0, SpanLengths()) == []
    assert window_count(0, SpanLengths()) == 0


@given(st.integers(1, 60), st.integers(1, 6), st.integers(0, 6))
def test_every_window_once(sentences: int, shortest: int, more: int) -> None:
    lengths = SpanLengths(shortest, shortest + more)
    found = windows(sentences, lengths)
    least = min(shortest, sentences)
    expected = {
        (first, last)
        for first in range(sentences)
        for last in range(first, sentences)
        if least <= last - first + 1 <= lengths.longest
    }
    assert len(found) == len(set(found)) == window_count(sentences, lengths)
    assert set(found) == expected


@pytest.mark.parametrize(("shortest", "longest"), [(0, 5), (3, 2), (1, 21)])
def test_impossible_lengths_are_refused(shortest: int, longest: int) -> None:
    with pytest.raises(InputError, match="1 <= shortest <= longest <= 20"):
        SpanLengths(shortest, longest)
