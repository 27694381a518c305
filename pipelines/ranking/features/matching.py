"""Scores of retrieval models for the whole query."""

import numpy as np

from citespan.pipelines.ranking.analysed_article import Floats
from citespan.pipelines.ranking.features.family import Columns, Family
from citespan.pipelines.ranking.pair import Pair, divide_by_maximum, rank_shares
from citespan.pipelines.retrieval.model import Statistics, models


def _compute(pair: Pair) -> Columns:
    article = pair.article
    both = article.score_bm25(pair.weigh(pair.background_idf * pair.article_idf * pair.times))
    idf = pair.idf_in_others
    logs = 1 + np.log(np.maximum(pair.times, 1))
    cosines = article.cosines(idf, pair.weigh(pair.background_idf * logs))
    dfr = score_model("dfr", pair)
    return [
        pair.bm25_in_article,
        divide_by_maximum(pair.bm25_in_article),
        pair.bm25_in_others,
        divide_by_maximum(pair.bm25_in_others),
        rank_shares(pair.bm25_in_others),
        divide_by_maximum(both),
        dfr,
        divide_by_maximum(dfr),
        cosines,
        divide_by_maximum(cosines),
    ]


def score_model(name: str, pair: Pair) -> Floats:
    """Return the (N,) scores of a retrieval model with statistics of the article's sentences."""
    article = pair.article
    columns = np.append(article.document_frequencies, 0), np.append(article.total_frequencies, 0)
    documents = max(int(np.count_nonzero(article.lengths)), 1)
    total_length = max(len(article.tokens), 1)
    statistics = Statistics(
        frequencies=pair.frequencies,
        lengths=np.maximum(article.lengths, 1)[:, np.newaxis],
        average_length=total_length / documents,
        document_frequencies=columns[0][pair.terms],
        total_frequencies=columns[1][pair.terms],
        documents=documents,
        total_length=total_length,
        weights=pair.times,
    )
    scores: Floats = models[name].score(statistics).sum(axis=1)
    return scores


FAMILY = Family(
    "matching",
    "BM25, DFR and cosine with idf of the article and of other articles",
    (
        *("bm25_article", "bm25_article_share", "bm25_others", "bm25_others_share"),
        *("bm25_others_rank", "bm25_both_share", "dfr", "dfr_share", "cosine", "cosine_share"),
    ),
    _compute,
)
