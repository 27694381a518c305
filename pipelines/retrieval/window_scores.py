"""Scores of the spans of one article, from how often terms occur in its sentences.

In the precision in which the server scores: a term's score in 32 bits, and each sum of scores in
64 and then in 32. So spans that the layout `spans` ranks by reading order, because they score the
same, score the same here.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import groupby

import numpy as np
from numpy.typing import NDArray

from citespan.pipelines.retrieval.clauses import Clause, Phrase
from citespan.pipelines.retrieval.merge import ScoredSpan
from citespan.pipelines.retrieval.model import Floats, RetrievalModel, Statistics
from citespan.pipelines.retrieval.window_statistics import Windows

Rows = NDArray[np.intp]


class WindowScores:
    """The W spans of an article, to be scored for any clauses of its T terms and P phrases.

    Args:
        windows: the spans.
        terms: the column of each term.
        frequencies: (W, T), of the terms in the spans.
        phrases: the column of each phrase.
        phrase_frequencies: (W, P), of the phrases.
    """

    def __init__(
        self,
        windows: Windows,
        terms: Mapping[str, int],
        frequencies: Floats,
        phrases: Mapping[Phrase, int],
        phrase_frequencies: Floats,
    ) -> None:
        self._windows = windows
        self._terms = terms
        self._phrases = phrases
        self._phrase_frequencies = phrase_frequencies
        self._statistics = windows.statistics(frequencies)

    def best(self, clauses: Sequence[Clause], model: RetrievalModel, most: int) -> list[ScoredSpan]:
        """The spans that fulfil any clause, by falling score; ties in reading order.

        Args:
            most: how many at most.
        """
        totals = np.zeros(len(self._windows.first))
        matched = np.zeros(len(self._windows.first), dtype=bool)
        if not self._statistics.documents:
            return []
        for rows, scores in self._scored(clauses, model):
            totals[rows] += scores
            matched[rows] = True
        return self._ranked(np.flatnonzero(matched), totals.astype(np.float32), most)

    def of_clauses(
        self, clauses: Sequence[Clause], model: RetrievalModel, span: ScoredSpan
    ) -> dict[str, float]:
        """What each clause scores in one span, by its name; those that score nothing are left
        out."""
        place = (span.first_sentence, span.last_sentence)
        found: dict[str, float] = {}
        for clause in clauses:
            for one in self.best([clause], model, len(self._windows.first)):
                if (one.first_sentence, one.last_sentence) == place:
                    found[clause.name] = found.get(clause.name, 0.0) + one.score
        return found

    def _ranked(self, rows: Rows, totals: NDArray[np.float32], most: int) -> list[ScoredSpan]:
        if len(rows) > most:
            least = np.partition(totals[rows], -most)[-most]
            rows = rows[totals[rows] >= least]
        first, last, scores = self._windows.first[rows], self._windows.last[rows], totals[rows]
        order = np.lexsort((last, first, -scores))[:most]
        columns = (first[order].tolist(), last[order].tolist(), scores[order].tolist())
        return [ScoredSpan(*span) for span in zip(*columns, strict=True)]

    def _scored(
        self, clauses: Sequence[Clause], model: RetrievalModel
    ) -> Iterator[tuple[Rows, Floats]]:
        """The spans that fulfil a clause, and its score; words of one weight are one clause, as
        in `query_dsl.spans_query`."""
        words = sorted((c for c in clauses if len(c.terms) == 1), key=lambda clause: -clause.weight)
        for weight, group in groupby(words, key=lambda clause: clause.weight):
            statistics = self._of([clause.terms[0] for clause in group], weight)
            rows = np.flatnonzero(statistics.frequencies.any(axis=1))
            scores = _rounded(model.score(_at(statistics, rows))).sum(axis=1)
            # Without a weight of its own, a clause of words is dissolved into the whole query.
            yield rows, scores if weight == 1.0 else _rounded(scores)
        for clause in clauses:
            if clause.phrase is not None:
                yield self._phrase(clause, clause.phrase, model)
            elif len(clause.terms) > 1:
                statistics = self._of(clause.terms, clause.weight)
                rows = np.flatnonzero(statistics.frequencies.all(axis=1))
                yield rows, _rounded(_rounded(model.score(_at(statistics, rows))).sum(axis=1))

    def _phrase(self, clause: Clause, phrase: Phrase, model: RetrievalModel) -> tuple[Rows, Floats]:
        """A phrase scores as if each of its terms occurred where it does, and nowhere else."""
        frequencies = self._phrase_frequencies[:, self._phrases[phrase]]
        rows = np.flatnonzero(frequencies)
        statistics = replace(
            _at(self._of(phrase.terms, clause.weight), rows),
            frequencies=np.repeat(frequencies[rows, None], len(set(phrase.terms)), axis=1),
        )
        return rows, _rounded(model.score(statistics).sum(axis=1))

    def _of(self, terms: Sequence[str], weight: float) -> Statistics:
        """The statistics of some terms, which all have that weight. One that is there twice is
        one of twice the weight, as org.apache.lucene.search.BooleanQuery rewrites clauses."""
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


def _at(statistics: Statistics, rows: Rows) -> Statistics:
    """The statistics, to score some of the spans only."""
    return replace(
        statistics, frequencies=statistics.frequencies[rows], lengths=statistics.lengths[rows]
    )


def _rounded(values: Floats) -> Floats:
    return values.astype(np.float32).astype(np.float64)
