"""Runs of terms that a sentence has in the query's order."""

import numpy as np

from citespan.pipelines.ranking.analysed_article import sum_by
from citespan.pipelines.ranking.features.family import Columns, Family
from citespan.pipelines.ranking.pair import Pair, divide_by_maximum

_MOST_TOKENS = 300


def _compute(pair: Pair) -> Columns:
    article, size = pair.article, len(pair.article)
    known = article.vocabulary
    query = [known.get(term, -1) for term in pair.query.tokens[:_MOST_TOKENS]]
    inside = np.zeros(len(known) + 1, dtype=bool)
    inside[query] = True
    inside[-1] = False
    places = np.flatnonzero(inside[article.tokens])
    tokens, rows = article.tokens[places], article.rows[places]
    # Whether a token stands right behind the one before it in these lists.
    joined = np.zeros(len(places))
    joined[1:] = (np.diff(places) == 1) & (np.diff(rows) == 0)
    idf = pair.idf_in_others[tokens]
    runs = np.zeros((2, len(places)))  # that end here and at the query's term: length, weight
    best = np.zeros((2, len(places)))
    adds = np.stack([np.ones(len(places)), idf])
    for term in query:
        before = np.zeros_like(runs)
        before[:, 1:] = runs[:, :-1]
        runs = (before * joined + adds) * (tokens == term)
        np.maximum(best, runs, out=best)
    longest, heaviest = np.zeros(size), np.zeros(size)
    np.maximum.at(longest, rows, best[0])
    np.maximum.at(heaviest, rows, np.where(best[0] >= 2, best[1], 0.0))
    pairs = sum_by(rows, (best[0] >= 2) * idf, size)
    triples = sum_by(rows, (best[0] >= 3).astype(np.float64), size)
    return [
        longest, heaviest, pairs, triples, divide_by_maximum(heaviest), divide_by_maximum(pairs),
    ]  # fmt: skip


FAMILY = Family(
    "phrases",
    "the longest run of terms in common, pairs and triples of terms",
    ("longest_run", "heaviest_run", "pairs", "triples", "heaviest_run_share", "pairs_share"),
    _compute,
)
