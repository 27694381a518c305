"""What the sentences around a sentence have of the query."""

import numpy as np

from citespan.pipelines.ranking.analysed_article import Floats
from citespan.pipelines.ranking.features.family import Columns, Family
from citespan.pipelines.ranking.pair import Pair, divide_by_maximum, shift


def _compute(pair: Pair) -> Columns:
    score = divide_by_maximum(pair.bm25_in_others)
    before, after = shift(score, -1), shift(score, 1)
    weights = pair.background_idf * pair.article_idf
    total = max(weights.sum(), 1e-9)
    window = pair.present
    coverages = []
    for reach in (1, 2):
        window = np.maximum.reduce(
            [window, shift(pair.present, reach), shift(pair.present, -reach)]
        )
        coverages.append(window @ weights / total)
    smooth = score + (before + after) / 2 + (shift(score, -2) + shift(score, 2)) / 4
    sums = np.concatenate([[0.0], np.cumsum(score)])
    places = np.arange(len(score))
    low, high = np.maximum(places - 5, 0), np.minimum(places + 6, len(score))
    near = (sums[high] - sums[low]) / (high - low)
    peak = score - np.maximum(before, after)
    return [
        before, after, coverages[0], coverages[1], divide_by_maximum(coverages[0]),
        divide_by_maximum(smooth), near, divide_by_maximum(near), peak,
        _mean_of_section(pair, score),
    ]  # fmt: skip


def _mean_of_section(pair: Pair, score: Floats) -> Floats:
    numbers = pair.article.section_numbers
    means: Floats = (np.bincount(numbers, score) / np.bincount(numbers))[numbers]
    return means


FAMILY = Family(
    "neighbours",
    "scores and coverage of the sentences around, of windows and of the section",
    (
        *("before", "after", "coverage_3", "coverage_5", "coverage_3_share", "smooth_share"),
        *("near", "near_share", "peak", "section_mean"),
    ),
    _compute,
)
