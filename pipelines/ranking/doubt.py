"""From scores to probabilities: what they are computed from, for sentences and for articles."""

from __future__ import annotations

from typing import Final

import numpy as np

from citespan.pipelines.ranking.analysed_article import Floats
from citespan.pipelines.ranking.features.families import FAMILIES, feature_names

SENTENCE_INPUTS: Final = (
    *("score", "below_best", "log_share", "log_sentences", "log_rank", "lead_of_first"),
    *("first", "second", "third"),
)
_BEST_OF: Final = (
    *("coverage_others", "coverage_article", "coverage_stems", "rarest", "idf_matched"),
    *("coverage_3", "coverage_5", "first_part", "first_part_around", "worst_part_around"),
    *("mean_other_around", "bm25_others", "cosine", "heaviest_run", "pairs", "longest_run"),
)
_OF_ALL: Final = (
    *("query_terms", "article_coverage", "first_part_in_article", "article_bm25"),
    *("article_cosine", "in_title", "in_abstract", "title_in_query", "abstract_in_query"),
    "rarest_missing",
)
ARTICLE_INPUTS: Final = (
    *("best_score", "third_score"),
    *(f"best_{name}" for name in _BEST_OF),
    *_OF_ALL,
)
_PLACES = {name: place for place, name in enumerate(feature_names(FAMILIES))}


def describe_sentences(scores: Floats) -> Floats:
    """Return the inputs from which a sentence's probability is computed, of shape (N, inputs).

    Args:
        scores: (N,), of all sentences of one article.
    """
    ordered = np.sort(scores)
    best, next_best = ordered[-1], ordered[-2:][0]
    log_total = best + np.log(np.exp(scores - best).sum())
    ranks = len(scores) - np.searchsorted(ordered, scores, side="right")
    return np.column_stack(
        [
            *(scores, scores - best, scores - log_total, np.full(len(scores), np.log(len(scores)))),
            *(np.log1p(ranks), np.where(ranks == 0, best - next_best, 0.0)),
            *(ranks == rank for rank in range(3)),
        ]
    ).astype(np.float64)


def describe_article(scores: Floats, features: Floats) -> Floats:
    """Return the inputs from which an article's support is computed, of shape (1, inputs).

    Args:
        scores: (N,), of all sentences.
        features: (N, features), those of all families.
    """
    best = scores.max()
    third = np.sort(scores)[-3:][0]
    inputs = [
        *(best, third),
        *(features[:, _PLACES[name]].max() for name in _BEST_OF),
        *(features[0, _PLACES[name]] for name in _OF_ALL),
    ]
    return np.array([inputs], dtype=np.float64)
