"""How much a sentence is about what its article is about."""

import numpy as np

from citespan.pipelines.ranking.features.family import Columns, Family
from citespan.pipelines.ranking.pair import Pair, divide_by_maximum


def _compute(pair: Pair) -> Columns:
    article, idf = pair.article, pair.idf_in_others
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
