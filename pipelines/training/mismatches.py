"""Articles that a query is not about, to learn doubt from: a random one, and the most similar."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from citespan.pipelines.ranking.analysed_article import K1, AnalysedArticle, B, Floats
from citespan.pipelines.ranking.pair import AnalysedQuery, analyse_query
from citespan.pipelines.training.ranker_trees import Example


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
