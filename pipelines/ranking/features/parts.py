"""Coverage of the parts of a query: "OUTCOME: INTERVENTION compared with COMPARATOR"."""

import numpy as np

from citespan.pipelines.ranking.features.family import Columns, Family
from citespan.pipelines.ranking.pair import Pair, divide_by_maximum, shift


def _compute(pair: Pair) -> Columns:
    members = pair.members * pair.background_idf  # (P, T)
    totals = np.maximum(members.sum(axis=1), 1e-9)
    covered = pair.present @ members.T / totals  # (N, P)
    around = np.maximum.reduce([pair.present, shift(pair.present, 1), shift(pair.present, -1)])
    covered_around = around @ members.T / totals
    first, last = covered[:, 0], covered[:, -1]
    rest = covered[:, 1:] if covered.shape[1] > 1 else covered
    rest_around = covered_around[:, 1:] if covered.shape[1] > 1 else covered_around
    bm25 = pair.article.score_bm25(
        pair.weigh(pair.members[0] * pair.background_idf * pair.article_idf)
    )
    return [
        first,
        divide_by_maximum(first),
        divide_by_maximum(bm25),
        last,
        rest.max(axis=1),
        rest.mean(axis=1),
        covered.min(axis=1),
        (covered >= 0.5).mean(axis=1),
        covered_around[:, 0],
        covered_around.min(axis=1),
        rest_around.mean(axis=1),
        first * rest_around.mean(axis=1),
        float((pair.members[0] * (pair.terms >= 0)).sum() / max(pair.members[0].sum(), 1)),
    ]


FAMILY = Family(
    "parts",
    "coverage of the query's parts, between punctuation and words of comparison, the first apart",
    (
        *("first_part", "first_part_share", "first_part_bm25_share", "last_part", "best_other"),
        *("mean_other", "worst_part", "parts_half", "first_part_around", "worst_part_around"),
        *("mean_other_around", "first_and_others", "first_part_in_article"),
    ),
    _compute,
)
