"""The spans of an article and their statistics, from those of its sentences.

What a term's frequency is in a window of sentences is the sum over them, and so is a window's
length; so document frequencies and averages follow for any lengths of windows.
"""

from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from citespan.pipelines.indexing.documents.windows import SpanLengths
from citespan.pipelines.retrieval.length_encoding import lucene_length
from citespan.pipelines.retrieval.model import Floats, Statistics

Numbers = NDArray[np.int64]


class Windows:
    """All spans of an article of S sentences: W windows, the shorter ones first.

    Args:
        lengths: (S,), of the sentences in terms.
        spans: the least and the greatest number of sentences.

    Attributes:
        first, last: (W,), numbers of the sentences, both included.
    """

    def __init__(self, lengths: Numbers, spans: SpanLengths) -> None:
        count = len(lengths)
        self._sizes = range(min(spans.shortest, count), min(spans.longest, count) + 1)
        self._lengths = lengths
        starts = [np.arange(count - size + 1) for size in self._sizes]
        self.first: Numbers = np.concatenate(starts)
        self.last: Numbers = np.concatenate(
            [start + size - 1 for start, size in zip(starts, self._sizes, strict=True)]
        )

    def summed(self, values: Floats) -> Floats:
        """(W, T) sums over the sentences of each window of (S, T) values."""
        sums = np.zeros((len(values) + 1, *values.shape[1:]))
        np.cumsum(values, axis=0, out=sums[1:])
        return np.concatenate([sums[size:] - sums[:-size] for size in self._sizes])

    @cached_property
    def lengths(self) -> Floats:
        """(W,), of the windows in terms."""
        return self.summed(self._lengths.astype(np.float64))

    def statistics(self, frequencies: Floats) -> Statistics:
        """What a retrieval model scores from, for terms of weight 1.

        Args:
            frequencies: (W, T), of terms in the windows.
        """
        return Statistics(
            frequencies=frequencies,
            lengths=self._encoded,
            document_frequencies=np.count_nonzero(frequencies, axis=0).astype(np.float64),
            total_frequencies=frequencies.sum(axis=0),
            documents=int(np.count_nonzero(self.lengths)),
            total_length=int(self.lengths.sum()),
            weights=np.ones(frequencies.shape[1]),
        )

    @cached_property
    def _encoded(self) -> Floats:
        # A span without terms is never scored; any length will do that can be divided by.
        lengths = np.maximum(self.lengths.astype(np.int64), 1)
        return lucene_length(lengths).astype(np.float64)[:, None]
