"""A query as features see it, alone and together with an article."""

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any

import numpy as np

from citespan.pipelines.citing.marker_patterns import remove_markers
from citespan.pipelines.ranking.analysed_article import AnalysedArticle, Floats, Numbers, round_off
from citespan.pipelines.text.lucene import find_terms

MOST_TERMS = 256
"""Different terms of a query that count, the first ones; a citing sentence has some twenty."""
_MOST_CHARACTERS = 20_000

_MARKED_UP = re.compile(r"</?[A-Za-z][^<>]{0,200}>")
_BETWEEN_PARTS = re.compile(
    r"[:;,()\[\]—?!]\s|\s[([–-]|\.\s"
    r"|\b(?:compared (?:with|to)|versus|vs\.?|relative to|rather than|in (?:the )?(?:patients|"
    r"people|children|adults|women|men|subjects|participants|mice|rats))\b",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class AnalysedQuery:
    """A query of T different terms.

    Attributes:
        text: without citation markers and tags.
        tokens: all terms in order.
        terms: (T,), each once, with how often it occurs.
        parts: the terms of each part that has any, in order.
        cites: whether it has a citation marker.
    """

    text: str
    tokens: tuple[str, ...]
    terms: tuple[tuple[str, int], ...]
    parts: tuple[frozenset[str], ...]
    cites: bool


@lru_cache(maxsize=8)
def analyse_query(query: str) -> AnalysedQuery:
    """Analyse a citing sentence or question; of a long one the first 20,000 characters, and the
    first 256 different terms, count."""
    written = _MARKED_UP.sub(" ", query[:_MOST_CHARACTERS])
    text = remove_markers(written)
    tokens = find_terms(text)
    terms = dict(Counter(tokens).items())
    kept = dict(list(terms.items())[:MOST_TERMS])
    tokens = [term for term in tokens if term in kept]
    parts = (frozenset(find_terms(part)) & kept.keys() for part in _BETWEEN_PARTS.split(text))
    return AnalysedQuery(
        text,
        tuple(tokens),
        tuple(kept.items()),
        tuple(filter(None, parts)) or (frozenset(),),
        text.split() != written.split(),
    )


@dataclass(frozen=True, eq=False)
class TermCounts:
    """Articles that have each term.

    Attributes:
        articles: how many were counted.
        counts: of each term.
    """

    articles: int
    counts: Mapping[str, int]

    def idf(self, terms: Iterable[str], counted: bool) -> Floats:
        """Return ln(1 + (articles - df + .5) / (df + .5)) of each term, as of a term in no
        article where it was not counted.

        Args:
            counted: whether the terms are those of an article that was counted, so that they are
                in one other article less.
        """
        counts, less = self.counts, int(counted)
        df = np.array([counts.get(term, less) - less for term in terms], dtype=np.float64)
        return round_off(np.log1p((self.articles - less - df + 0.5) / (df + 0.5)))

    def to_json(self) -> dict[str, Any]:
        """Return the counts as JSON, terms sorted."""
        return {"articles": self.articles, "counts": dict(sorted(self.counts.items()))}


def count_terms(articles: Iterable[AnalysedArticle]) -> TermCounts:
    """Count in how many articles each term occurs."""
    counts: Counter[str] = Counter()
    number = 0
    for article in articles:
        counts.update(article.vocabulary.keys())
        number += 1
    return TermCounts(number, dict(counts))


@dataclass(frozen=True, eq=False)
class Pair:
    """A query of T different terms, P parts, and an article of N sentences, V terms.

    Attributes:
        counts: in how many other articles terms occur.
        counted: whether the article is among those, as in training; it is then left out of them.
    """

    query: AnalysedQuery
    article: AnalysedArticle
    counts: TermCounts
    counted: bool = False

    @cached_property
    def terms(self) -> Numbers:
        """(T,), the numbers of the query's terms in the article, -1 for those it has not."""
        known = self.article.vocabulary
        return np.array([known.get(term, -1) for term, _ in self.query.terms], dtype=np.int64)

    @cached_property
    def times(self) -> Floats:
        """(T,), how often each term occurs in the query."""
        return np.array([times for _, times in self.query.terms], dtype=np.float64)

    @cached_property
    def frequencies(self) -> Floats:
        """(N, T), how often each sentence has each term."""
        article, size = self.article, len(self.terms)
        columns = np.full(len(article.vocabulary) + 1, -1)
        columns[self.terms] = np.arange(size)
        columns[-1] = -1
        found = columns[article.tokens]
        inside = found >= 0
        cells = article.rows[inside] * size + found[inside]
        counted = np.bincount(cells, minlength=len(article) * size)
        return counted.reshape(len(article), size).astype(np.float64)

    @cached_property
    def present(self) -> Floats:
        """(N, T), 1 where a sentence has a term, else 0."""
        return (self.frequencies > 0).astype(np.float64)

    @cached_property
    def idf_in_others(self) -> Floats:
        """(V,), ln(1 + (N - df + .5) / (df + .5)), N other articles, df of them with the term."""
        return weigh_vocabulary(self.counts, self.article, self.counted)

    @cached_property
    def article_idf(self) -> Floats:
        """(T,), idf in the article of the query's terms."""
        df = np.append(self.article.document_frequencies, 0)[self.terms]
        return round_off(np.log1p((len(self.article) - df + 0.5) / (df + 0.5)))

    @cached_property
    def background_idf(self) -> Floats:
        """(T,), idf in other articles of the query's terms."""
        idf = self.counts.idf(tuple(term for term, _ in self.query.terms), False)
        inside = self.terms >= 0
        idf[inside] = self.idf_in_others[self.terms[inside]]
        return idf

    @cached_property
    def members(self) -> Floats:
        """(P, T), 1 where a part of the query has a term, else 0."""
        return np.array(
            [[term in part for term, _ in self.query.terms] for part in self.query.parts],
            dtype=np.float64,
        ).reshape(len(self.query.parts), len(self.terms))

    def weigh(self, weights: Floats) -> Floats:
        """Return weights of the query's terms, (T,), as weights of the article's terms, (V,)."""
        spread = np.zeros(len(self.article.vocabulary) + 1)
        spread[self.terms] = weights
        return spread[:-1]

    @cached_property
    def bm25_in_article(self) -> Floats:
        """(N,), BM25 with idf of the article."""
        return self.article.score_bm25(self.weigh(self.article_idf * self.times))

    @cached_property
    def bm25_in_others(self) -> Floats:
        """(N,), BM25 with idf of other articles."""
        return self.article.score_bm25(self.weigh(self.background_idf * self.times))

    @cached_property
    def coverage(self) -> Floats:
        """(N,), the share of the query's terms that a sentence has, weighted by both idfs."""
        weights = self.background_idf * self.article_idf
        covered: Floats = self.present @ weights / max(weights.sum(), 1e-9)
        return covered


@lru_cache(maxsize=16)
def weigh_vocabulary(counts: TermCounts, article: AnalysedArticle, counted: bool) -> Floats:
    """Return `Pair.idf_in_others`, which does not depend on the query."""
    return counts.idf(article.vocabulary, counted)


def divide_by_maximum(values: Floats) -> Floats:
    """Return values of at least 0 as shares of the largest; zeros if all are zero."""
    largest = values.max(initial=0.0)
    return values / largest if largest > 0 else values


def shift(values: Floats, by: int) -> Floats:
    """Return the values of the sentences `by` places on, zero beyond either end."""
    moved = np.zeros_like(values)
    if by > 0:
        moved[:-by] = values[by:]
    else:
        moved[-by:] = values[: len(values) + by]
    return moved


def rank(values: Floats) -> Floats:
    """Return for each value how many are greater."""
    ordered = np.sort(values)
    greater = len(values) - np.searchsorted(ordered, values, side="right")
    return greater.astype(np.float64)


def rank_shares(values: Floats) -> Floats:
    """Return for each value the share of the others that are greater."""
    return rank(values) / max(len(values), 1)
