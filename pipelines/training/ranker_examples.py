"""Queries whose evidence is known, with their articles and the features of each sentence."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from citespan.pipelines.corpus.article import Article
from citespan.pipelines.corpus.collection import Citance
from citespan.pipelines.evaluation.outcome import Outcome
from citespan.pipelines.ranking.analysed_article import K1, AnalysedArticle, B, Floats, analyse
from citespan.pipelines.ranking.features.families import FAMILIES, compute_features
from citespan.pipelines.ranking.pair import (
    AnalysedQuery,
    Pair,
    TermCounts,
    analyse_query,
    count_terms,
)
from citespan.pipelines.ranking.sentences import take_sentences


@dataclass(frozen=True, eq=False)
class Example:
    """A query with the sentences that are its evidence.

    Attributes:
        group: what folds keep together: the article that it is about.
        article: the number of its article among those of the collection.
        evidence: the numbers of the sentences.
    """

    query: str
    group: str
    article: int
    evidence: frozenset[int]


@dataclass(frozen=True, eq=False)
class TrainingSet:
    """Examples with the articles that they are about.

    Terms are counted in all articles. Features of a query and an article leave that article out
    of the counts, so that they are as if it had never been seen.
    """

    articles: Sequence[AnalysedArticle]
    examples: Sequence[Example]

    @cached_property
    def counts(self) -> TermCounts:
        """In how many of the articles each term is."""
        return count_terms(self.articles)

    @cached_property
    def features(self) -> list[Floats]:
        """The features of each example and its article."""
        return [self.compute_features(one.query, one.article) for one in self.examples]

    def compute_features(self, query: str, article: int) -> Floats:
        """Return the (N, features) features of a query and an article."""
        pair = Pair(analyse_query(query), self.articles[article], self.counts, counted=True)
        return compute_features(pair, FAMILIES)

    def mark_evidence(self, example: Example) -> Floats:
        """Return (N,) labels of the sentences of an example's article: 1 for evidence."""
        labels = np.zeros(len(self.articles[example.article]))
        labels[sorted(example.evidence)] = 1.0
        return labels


def make_examples(articles: Mapping[str, Article], citances: Sequence[Citance]) -> TrainingSet:
    """Make an example of each citance: a sentence is evidence if any annotator marked it.

    Args:
        articles: by id, split into sentences.
    """
    numbers = {identifier: number for number, identifier in enumerate(articles)}
    examples = [
        Example(
            citance.text,
            citance.topic,
            numbers[citance.article_id],
            Outcome(citance, articles[citance.article_id], ()).gold_sentences,
        )
        for citance in citances
    ]
    analysed = [analyse(take_sentences(article)) for article in articles.values()]
    return TrainingSet(analysed, examples)


class ArticleIndex:
    """BM25 over whole articles.

    Args:
        articles: A of them.
    """

    def __init__(self, articles: Sequence[AnalysedArticle]) -> None:
        import bm25s  # slow to import, and for training only

        self._articles = len(articles)
        tokens = [
            np.array(list(article.vocabulary), dtype=object)[article.tokens].tolist()
            for article in articles
        ]
        self._index: bm25s.BM25 | None = None
        if any(tokens):
            self._index = bm25s.BM25(method="lucene", k1=K1, b=B, dtype="float64")
            self._index.index(tokens, show_progress=False)

    def score(self, query: AnalysedQuery) -> Floats:
        """Return the (A,) scores of the articles, with the factor k1 + 1 that Elasticsearch has."""
        tokens = [term for term, times in query.terms for _ in range(times)]
        if self._index is None or not tokens:
            return np.zeros(self._articles)
        scores: Floats = self._index.get_scores(tokens) * (K1 + 1)
        return scores


def choose_mismatches(index: ArticleIndex, example: Example, seed: int) -> dict[str, int]:
    """Return the number of a random article other than the example's, and that of the one whose
    BM25 score for the query is highest; none where there is no other article."""
    scores = index.score(analyse_query(example.query))
    if len(scores) < 2:
        return {}
    random = int(np.random.default_rng([1, seed]).integers(len(scores) - 1))
    scores[example.article] = -np.inf
    return {
        "random": random + (random >= example.article),
        "hardest": int(np.argmax(scores)),
    }
