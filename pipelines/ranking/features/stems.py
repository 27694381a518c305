"""Matching by the beginnings of terms: "immunised" is found by "immunity"."""

import numpy as np

from citespan.pipelines.ranking.analysed_article import K1, STEM_LENGTH, B, Floats, Numbers, sum_by
from citespan.pipelines.ranking.features.family import Columns, Family
from citespan.pipelines.ranking.pair import Pair, divide_by_maximum, rank, shift

_NEAR = 6  # terms
_FUSION = 5.0  # what is added to ranks from 0


def _compute(pair: Pair) -> Columns:
    article, size = pair.article, len(pair.article)
    weights = _weigh_stems(pair)  # (S,), of the query's stems that the article has
    total = max(sum(weights.values()), 1e-9)
    numbers = [number for number in weights if number >= 0]
    background = np.array([weights[number] for number in numbers])
    columns = np.full(len(article.stems[0]), -1)
    columns[numbers] = np.arange(len(numbers))
    found = columns[article.stems[1][article.tokens]] if len(article.tokens) else columns[:0]
    at = np.flatnonzero(found >= 0)
    rows, stems = article.rows[at], found[at]
    counts = np.bincount(rows * len(numbers) + stems, minlength=size * len(numbers))
    frequencies = counts.reshape(size, len(numbers)).astype(np.float64)
    present = (frequencies > 0).astype(np.float64)
    df = present.sum(axis=0)
    idf = np.log1p((size - df + 0.5) / (df + 0.5))
    norms = K1 * (1 - B + B * article.relative_lengths)[:, np.newaxis]
    saturated = frequencies * (K1 + 1) / (frequencies + norms)
    bm25, bm25_both = saturated @ idf, saturated @ (idf * background)
    covered = present @ background / total
    both = present @ (idf * background) / max(float((idf * background).sum()), 1e-9)
    around = np.maximum.reduce([present, shift(present, 1), shift(present, -1)])
    near = _sum_near(at, rows, stems, idf, size)
    return [
        bm25, divide_by_maximum(bm25), divide_by_maximum(bm25_both), covered, both,
        around @ background / total, (present * idf).max(axis=1, initial=0.0), near,
        divide_by_maximum(near), present.sum(axis=1) / max(len(weights), 1),
        *(np.log1p(rank(scores)) for scores in (bm25, pair.bm25_in_article)), _fuse(pair, bm25),
    ]  # fmt: skip


def _fuse(pair: Pair, of_stems: Floats) -> Floats:
    """Return the reciprocal rank fusion of four rankings (Cormack et al., SIGIR 2009)."""
    rankings = (of_stems, pair.bm25_in_article, pair.bm25_in_others, pair.coverage)
    fused: Floats = sum((1 / (_FUSION + rank(scores)) for scores in rankings), np.zeros(1))
    return fused


def _weigh_stems(pair: Pair) -> dict[int, float]:
    """Return the idf in other articles of the query's stems by their numbers in the article; those
    that it has not have numbers below 0."""
    known = pair.article.stems[0]
    weights: dict[str, float] = {}
    for (term, _), idf in zip(pair.query.terms, pair.background_idf, strict=True):
        stem = term[:STEM_LENGTH]
        weights[stem] = max(weights.get(stem, 0.0), float(idf))
    return {known.get(stem, -1 - at): idf for at, (stem, idf) in enumerate(weights.items())}


def _sum_near(at: Numbers, rows: Numbers, stems: Numbers, idf: Floats, size: int) -> Floats:
    """Return for each sentence the sum of idf over different stems that stand near each other.

    Args:
        at: where in the article the stems of the query stand.
        rows, stems: the sentence and the number of each.
    """
    close = (np.diff(at) <= _NEAR) & (np.diff(rows) == 0) & (np.diff(stems) != 0)
    if not close.any():
        return np.zeros(size)
    least = np.minimum(idf[stems[:-1]], idf[stems[1:]])
    return sum_by(rows[1:], least * close, size)


FAMILY = Family(
    "stems",
    "BM25, coverage and nearness of beginnings of terms",
    (
        *("stem_bm25", "stem_bm25_share", "stem_both_share", "stem_covered", "stem_coverage"),
        *("stem_around", "stem_rarest", "stem_near", "stem_near_share", "stem_matched_share"),
        *("stem_rank", "bm25_article_rank", "fused"),
    ),
    _compute,
)
