"""Pseudo relevance feedback: the terms of the best sentences are searched for too.

RM3: N. A. Jaleel et al., "UMass at TREC 2004: Novelty and HARD", 2004.
"""

import numpy as np

from citespan.pipelines.ranking.analysed_article import Floats
from citespan.pipelines.ranking.features.family import Columns, Family
from citespan.pipelines.ranking.pair import Pair, divide_by_maximum

_SENTENCES = 8
_TERMS = 25
_WEIGHT = 0.5  # of the query as it was


def _compute(pair: Pair) -> Columns:
    article, scores = pair.article, pair.bm25_in_others
    best = np.argsort(-scores, kind="stable")[:_SENTENCES]
    trust = np.zeros(len(article))
    trust[best] = scores[best] / max(scores[best].sum(), 1e-9)
    weights = article.weigh_terms(trust) * pair.idf_in_others
    if len(weights) > _TERMS:
        weights = np.where(weights >= np.partition(weights, -_TERMS)[-_TERMS], weights, 0.0)
    query = pair.weigh(pair.background_idf * pair.times)
    mixed = _share(query) * _WEIGHT + _share(weights) * (1 - _WEIGHT)
    expanded = article.score_bm25(mixed)
    others = article.score_bm25(np.where(query > 0, 0.0, weights))
    return [divide_by_maximum(expanded), divide_by_maximum(others)]


def _share(weights: Floats) -> Floats:
    shares: Floats = weights / max(weights.sum(), 1e-9)
    return shares


FAMILY = Family(
    "feedback",
    "relevance feedback (RM3): scores with terms of the best sentences added, and by those alone",
    ("feedback_share", "feedback_only_share"),
    _compute,
)
