"""A small ranker for tests, registered as one of another distribution would be."""

from collections.abc import Sequence

import numpy as np

from citespan.pipelines.ranking.ranker import Ranking, rankers
from citespan.pipelines.ranking.sentences import ArticleSentences
from citespan.pipelines.text.lucene import find_terms


@rankers.register
class LexicalRanker:
    """Ranks sentences by the share of the query's terms that they have."""

    name = "lexical"
    description = "share of the query's terms, for tests"
    version = "lexical 1"
    threshold = 0.3

    def rank(
        self, query: str, article: ArticleSentences, candidates: Sequence[int] | None = None
    ) -> Ranking:
        terms = set(find_terms(query))
        shares = np.array(
            [len(terms & set(find_terms(text))) / max(len(terms), 1) for text in article.texts]
        )
        scores = np.full(len(article), -np.inf)
        chosen = range(len(article)) if candidates is None else list(candidates)
        scores[chosen] = shares[chosen]
        return Ranking(
            scores, np.where(np.isfinite(scores), shares, 0.0), float(shares.max(initial=0.0))
        )
