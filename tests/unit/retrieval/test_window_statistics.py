"""Statistics of windows are those that counting every window by itself gives."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from citespan.pipelines.indexing.documents.windows import SpanLengths, windows
from citespan.pipelines.retrieval.window_scores import Windows

_SENTENCE = st.lists(st.integers(0, 3), min_size=3, max_size=3)


@st.composite
def span_lengths(draw: st.DrawFn) -> SpanLengths:
    shortest = draw(st.integers(1, 6))
    return SpanLengths(shortest, draw(st.integers(shortest, 8)))


@given(st.lists(_SENTENCE, min_size=1, max_size=15), span_lengths())
def test_statistics_are_those_of_all_windows(counts: list[list[int]], spans: SpanLengths) -> None:
    frequencies = np.array(counts, dtype=float)
    lengths = frequencies.sum(axis=1).astype(int) * 30
    made = Windows(lengths, spans)
    places = list(zip(made.first.tolist(), made.last.tolist(), strict=True))
    expected = windows(len(counts), spans)
    assert sorted(places) == expected

    summed = made.sum_over(frequencies)
    counted = made.statistics(summed)
    by_window = np.array([frequencies[a : b + 1].sum(axis=0) for a, b in places])
    total = [int(lengths[a : b + 1].sum()) for a, b in places]
    assert np.array_equal(summed, by_window)
    assert np.array_equal(made.lengths, total)
    assert np.array_equal(counted.document_frequencies, (by_window > 0).sum(axis=0))
    assert np.array_equal(counted.total_frequencies, by_window.sum(axis=0))
    assert counted.documents == sum(frequency > 0 for frequency in total)
    assert counted.total_length == sum(total)
    assert (counted.lengths > 0).all()
