"""How much a sentence is about what its article is about."""

from functools import lru_cache

import numpy as np

from citespan.pipelines.ranking.analysed_article import AnalysedArticle
from citespan.pipelines.ranking.features.family import Columns, Family
from citespan.pipelines.ranking.pair import Pair, TermCounts, divide_by_maximum, weigh_vocabulary


def _compute(pair: Pair) -> Columns:
    return _describe(pair.counts, pair.article, pair.counted)


@lru_cache(maxsize=16)
def _describe(counts: TermCounts, article: AnalysedArticle, counted: bool) -> Columns:
    """Return what does not depend on the query."""
    idf = weigh_vocabulary(counts, article, counted)
    whole = article.cosines(idf, np.log1p(article.total_frequencies) * idf)
    kinds = [place.kind for place in article.places]
    head = np.array([kind in ("title", "abstract") for kind in kinds], dtype=np.float64)
    if not head.any():
        head[:5] = 1.0
    title = np.zeros(len(article))
    title[0] = 1.0
    return [
        whole,
        divide_by_maximum(whole),
        article.cosines(idf, article.weigh_terms(head) * idf),
        article.cosines(idf, (article.weigh_terms(title) > 0) * idf),
    ]


FAMILY = Family(
    "salience",
    "likeness to the whole article, to its abstract and to its first sentence",
    ("like_article", "like_article_share", "like_abstract", "like_title"),
    _compute,
)
