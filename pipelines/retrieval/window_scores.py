"""The spans of an article and their scores, from how often terms occur in its sentences.

A term's frequency in a window of sentences is the sum over them, and so is a window's length; so
document frequencies and averages follow for windows of any lengths.

Scores have the precision of the server's: a term's score has 32 bits, and each sum of scores is
made in 64 and kept in 32. So spans with equal scores on the server, which are in reading order
there, have equal scores here.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import groupby

import numpy as np
from numpy.typing import NDArray

from citespan.pipelines.indexing.documents.windows import SpanLengths
from citespan.pipelines.retrieval.idf import ARTICLE, Idf
from citespan.pipelines.retrieval.lengths import round_lengths
from citespan.pipelines.retrieval.merge import ScoredSpan
from citespan.pipelines.retrieval.model import Floats, RetrievalModel, Statistics
from citespan.pipelines.retrieval.query_dsl import Clause, Phrase

Numbers = NDArray[np.int64]
Rows = NDArray[np.intp]


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

    def sum_over(self, values: Floats) -> Floats:
        """Return (W, T) sums over the sentences of each window of (S, T) values."""
        sums = np.zeros((len(values) + 1, *values.shape[1:]))
        np.cumsum(values, axis=0, out=sums[1:])
        return np.concatenate([sums[size:] - sums[:-size] for size in self._sizes])

    @cached_property
    def lengths(self) -> Floats:
        """(W,), of the windows in terms."""
        return self.sum_over(self._lengths.astype(np.float64))

    def statistics(self, frequencies: Floats) -> Statistics:
        """Return what a retrieval model scores from, for terms of weight 1.

        Args:
            frequencies: (W, T), of terms in the windows.
        """
        documents = int(np.count_nonzero(self.lengths))
        total_length = int(self.lengths.sum())
        return Statistics(
            frequencies=frequencies,
            lengths=self._rounded_lengths,
            average_length=total_length / max(documents, 1),
            document_frequencies=np.count_nonzero(frequencies, axis=0).astype(np.float64),
            total_frequencies=frequencies.sum(axis=0),
            documents=documents,
            total_length=total_length,
            weights=np.ones(frequencies.shape[1]),
        )

    @cached_property
    def _rounded_lengths(self) -> Floats:
        # A span without terms is never scored; any length will do that can be divided by.
        lengths = np.maximum(self.lengths.astype(np.int64), 1)
        return round_lengths(lengths).astype(np.float64)[:, None]


class WindowScores:
    """The W spans of an article, to be scored for any clauses of its T terms and P phrases.

    Args:
        windows: the spans.
        terms: the column of each term.
        frequencies: (W, T), of the terms in the spans.
        phrases: the column of each phrase.
        phrase_frequencies: (W, P), of the phrases.
        idf: the collection in which the terms are counted.
    """

    def __init__(
        self,
        windows: Windows,
        terms: Mapping[str, int],
        frequencies: Floats,
        phrases: Mapping[Phrase, int],
        phrase_frequencies: Floats,
        idf: Idf = ARTICLE,
    ) -> None:
        self._windows = windows
        self._terms = terms
        self._phrases = phrases
        self._phrase_frequencies = phrase_frequencies
        statistics = windows.statistics(frequencies)
        self._searchable = statistics.documents > 0
        self._statistics = idf.count(statistics, list(terms))

    def best(
        self, clauses: Sequence[Clause], model: RetrievalModel, most: int, *, singles: bool = False
    ) -> list[ScoredSpan]:
        """Return the spans that fulfil any clause, by falling score; ties in reading order.

        Args:
            most: how many spans to return at most.
            singles: whether to return spans of one sentence only.
        """
        totals = np.zeros(len(self._windows.first))
        matched = np.zeros(len(self._windows.first), dtype=bool)
        if not self._searchable:
            return []
        for rows, scores in self._score(clauses, model):
            totals[rows] += scores
            matched[rows] = True
        if singles:
            matched &= self._windows.first == self._windows.last
        return self._select_best(np.flatnonzero(matched), totals.astype(np.float32), most)

    def explain(
        self, clauses: Sequence[Clause], model: RetrievalModel, spans: Sequence[ScoredSpan]
    ) -> list[dict[str, float]]:
        """Return the score of each clause in each of the spans, by the clause's name; clauses
        that a span doesn't fulfil are left out."""
        found: list[dict[str, float]] = [{} for _ in spans]
        places = [(span.first_sentence, span.last_sentence) for span in spans]
        for clause in clauses:
            scored = self.best([clause], model, len(self._windows.first))
            scores = {(span.first_sentence, span.last_sentence): span.score for span in scored}
            for place, of_span in zip(places, found, strict=True):
                if place in scores:
                    of_span[clause.name] = of_span.get(clause.name, 0.0) + scores[place]
        return found

    def _select_best(self, rows: Rows, totals: NDArray[np.float32], most: int) -> list[ScoredSpan]:
        if len(rows) > most:
            least = np.partition(totals[rows], -most)[-most]
            rows = rows[totals[rows] >= least]
        first, last, scores = self._windows.first[rows], self._windows.last[rows], totals[rows]
        order = np.lexsort((last, first, -scores))[:most]
        columns = (first[order].tolist(), last[order].tolist(), scores[order].tolist())
        return [ScoredSpan(*span) for span in zip(*columns, strict=True)]

    def _score(
        self, clauses: Sequence[Clause], model: RetrievalModel
    ) -> Iterator[tuple[Rows, Floats]]:
        """Yield the spans that fulfil a clause, and its scores; words of one weight are one
        clause, as in `query_dsl.spans_query`."""
        words = sorted((c for c in clauses if len(c.terms) == 1), key=lambda clause: -clause.weight)
        for weight, group in groupby(words, key=lambda clause: clause.weight):
            statistics = self._select_terms([clause.terms[0] for clause in group], weight)
            rows = np.flatnonzero(statistics.frequencies.any(axis=1))
            scores = _round(model.score(_select_rows(statistics, rows))).sum(axis=1)
            # Lucene inlines a clause of words that has no boost into the whole query.
            yield rows, scores if weight == 1.0 else _round(scores)
        for clause in clauses:
            if clause.phrase is not None:
                yield self._score_phrase(clause, clause.phrase, model)
            elif len(clause.terms) > 1:
                statistics = self._select_terms(clause.terms, clause.weight)
                rows = np.flatnonzero(statistics.frequencies.all(axis=1))
                yield rows, _round(_round(model.score(_select_rows(statistics, rows))).sum(axis=1))

    def _score_phrase(
        self, clause: Clause, phrase: Phrase, model: RetrievalModel
    ) -> tuple[Rows, Floats]:
        """Score a phrase as if each of its terms occurred where it does, and nowhere else."""
        frequencies = self._phrase_frequencies[:, self._phrases[phrase]]
        rows = np.flatnonzero(frequencies)
        statistics = replace(
            _select_rows(self._select_terms(phrase.terms, clause.weight), rows),
            frequencies=np.repeat(frequencies[rows, None], len(set(phrase.terms)), axis=1),
        )
        return rows, _round(model.score(statistics).sum(axis=1))

    def _select_terms(self, terms: Sequence[str], weight: float) -> Statistics:
        """Return the statistics of some terms, which all have that weight. A repeated term gets
        twice the weight, as org.apache.lucene.search.BooleanQuery rewrites clauses."""
        times = Counter(terms)
        columns = [self._terms[term] for term in times]
        every = self._statistics
        return replace(
            every,
            frequencies=every.frequencies[:, columns],
            document_frequencies=every.document_frequencies[columns],
            total_frequencies=every.total_frequencies[columns],
            weights=weight * np.array(list(times.values()), dtype=np.float64),
        )


def _select_rows(statistics: Statistics, rows: Rows) -> Statistics:
    """Return the statistics of some of the spans."""
    return replace(
        statistics, frequencies=statistics.frequencies[rows], lengths=statistics.lengths[rows]
    )


def _round(values: Floats) -> Floats:
    return values.astype(np.float32).astype(np.float64)
