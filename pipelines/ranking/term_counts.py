"""In how many of a model's training articles each term occurs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from citespan.pipelines.ranking.analysed_article import AnalysedArticle, Floats, round_off


@dataclass(frozen=True, eq=False)
class TermCounts:
    """Articles that have each term.

    Attributes:
        articles: how many were counted.
        counts: of each term.
    """

    articles: int
    counts: Mapping[str, int]

    def idf(self, terms: Iterable[str], counted: bool) -> Floats:
        """Return ln(1 + (articles - df + .5) / (df + .5)) of each term, as of a term in no
        article where it was not counted.

        Args:
            counted: whether the terms are those of an article that was counted, so that they are
                in one other article less.
        """
        counts, less = self.counts, int(counted)
        df = np.array([counts.get(term, less) - less for term in terms], dtype=np.float64)
        return round_off(np.log1p((self.articles - less - df + 0.5) / (df + 0.5)))

    def to_json(self) -> dict[str, Any]:
        """Return the counts as JSON, terms sorted."""
        return {"articles": self.articles, "counts": dict(sorted(self.counts.items()))}


def count_terms(articles: Iterable[AnalysedArticle]) -> TermCounts:
    """Count in how many articles each term occurs."""
    counts: Counter[str] = Counter()
    number = 0
    for article in articles:
        counts.update(article.vocabulary.keys())
        number += 1
    return TermCounts(number, dict(counts))
