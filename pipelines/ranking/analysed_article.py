"""An article as features see it: its terms as numbers, and what does not depend on a query."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np
from numpy.typing import NDArray

from citespan.pipelines.ranking.section_kinds import SentencePlace, find_places, remove_headings
from citespan.pipelines.ranking.sentences import ArticleSentences
from citespan.pipelines.ranking.short_forms import find_short_forms
from citespan.pipelines.text.lucene import find_terms

Floats = NDArray[np.float64]
Numbers = NDArray[np.int64]

K1, B = 1.2, 0.75
STEM_LENGTH = 5
_KEPT = 16


@dataclass(frozen=True, eq=False)
class AnalysedArticle:
    """N sentences with L terms in all, V different ones.

    Attributes:
        texts: (N,), without headings that stood in them.
        places: (N,), the kinds of section that they are in.
        sections: (N,), their headings.
        vocabulary: number of each term.
        tokens: (L,), the numbers of all terms in order.
        rows: (L,), the sentence of each.
    """

    texts: tuple[str, ...]
    places: tuple[SentencePlace, ...]
    sections: tuple[str, ...]
    vocabulary: Mapping[str, int]
    tokens: Numbers
    rows: Numbers

    def __len__(self) -> int:
        return len(self.texts)

    @cached_property
    def section_numbers(self) -> Numbers:
        """(N,), the number of the section that each sentence is in."""
        keys = [*zip(self.sections, self.places, strict=True)]
        return np.cumsum(
            [key != before for key, before in zip(keys, keys[:1] + keys, strict=False)]
        )

    @cached_property
    def lengths(self) -> Floats:
        """(N,), of the sentences in terms."""
        return np.bincount(self.rows, minlength=len(self)).astype(np.float64)

    @cached_property
    def relative_lengths(self) -> Floats:
        """(N,), lengths divided by the average of the sentences that have any term."""
        total, filled = self.lengths.sum(), np.count_nonzero(self.lengths)
        return self.lengths * (filled / total) if total else self.lengths

    @cached_property
    def _postings(self) -> tuple[Numbers, Numbers, Floats]:
        size = max(len(self.vocabulary), 1)
        keys, counts = np.unique(self.rows * size + self.tokens, return_counts=True)
        return keys // size, keys % size, counts.astype(np.float64)

    @cached_property
    def document_frequencies(self) -> Floats:
        """(V,), in how many sentences each term occurs."""
        return np.bincount(self._postings[1], minlength=len(self.vocabulary)).astype(np.float64)

    @cached_property
    def total_frequencies(self) -> Floats:
        """(V,), how often each term occurs."""
        return np.bincount(self.tokens, minlength=len(self.vocabulary)).astype(np.float64)

    @cached_property
    def _saturated(self) -> Floats:
        rows, _, counts = self._postings
        norms = K1 * (1 - B + B * self.relative_lengths[rows])
        return counts * (K1 + 1) / (counts + norms)

    def score_bm25(self, weights: Floats) -> Floats:
        """Return the (N,) BM25 scores of a query.

        Args:
            weights: (V,), idf times weight in the query; zero for a term that is not in it.
        """
        rows, terms, _ = self._postings
        return sum_by(rows, self._saturated * weights[terms], len(self))

    def weigh_terms(self, sentences: Floats) -> Floats:
        """Return the (V,) relative frequencies of terms in sentences that have (N,) weights."""
        rows, terms, counts = self._postings
        shares = counts * (sentences / np.maximum(self.lengths, 1))[rows]
        return sum_by(terms, shares, len(self.vocabulary))

    def cosines(self, idf: Floats, direction: Floats) -> Floats:
        """Return (N,) cosines of the sentences, as log tf times idf, with a (V,) vector."""
        rows, terms, counts = self._postings
        values: Floats = (1 + np.log(counts)) * idf[terms]
        norms = np.sqrt(sum_by(rows, values * values, len(self)))
        dots = sum_by(rows, values * direction[terms], len(self))
        scale = norms * np.sqrt(direction @ direction)
        found: Floats = np.divide(dots, scale, out=np.zeros(len(self)), where=scale > 0)
        return found

    @cached_property
    def stems(self) -> tuple[Mapping[str, int], Numbers]:
        """The beginnings of terms, numbered, and (V,), that of each term."""
        numbers: dict[str, int] = {}
        of_terms = [
            numbers.setdefault(term[:STEM_LENGTH], len(numbers)) for term in self.vocabulary
        ]
        return numbers, np.array(of_terms, dtype=np.int64)

    @cached_property
    def short_forms(self) -> tuple[tuple[str, frozenset[str]], ...]:
        """The terms that are short forms, each with the terms of its long form."""
        return tuple(find_short_forms(self.texts).items())


def round_off(values: Floats) -> Floats:
    """Return values in single precision: processors differ in the last digits of logarithms and
    products of matrices, and all should learn the same trees and rank alike."""
    return values.astype(np.float32).astype(np.float64)


def sum_by(numbers: Numbers, values: Floats, size: int) -> Floats:
    """Return the (size,) sums of the values that have each number."""
    return np.bincount(numbers, values, minlength=size).astype(np.float64, copy=False)


@lru_cache(maxsize=_KEPT)
def analyse(article: ArticleSentences) -> AnalysedArticle:
    """Analyse an article; the latest few are remembered."""
    texts = tuple(map(remove_headings, article.texts))
    terms: list[str] = []
    ends: list[int] = []
    for text in texts:
        terms += find_terms(text)
        ends.append(len(terms))
    vocabulary = {term: number for number, term in enumerate(dict.fromkeys(terms))}
    return AnalysedArticle(
        texts,
        find_places(article),
        article.sections,
        vocabulary,
        np.fromiter(map(vocabulary.__getitem__, terms), np.int64, len(terms)),
        np.repeat(np.arange(len(texts)), np.diff(ends, prepend=0)),
    )
