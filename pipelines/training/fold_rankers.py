"""Rankers trained on the collection that they are run on, each for citances that it has not seen.

A collection's topics are dealt into folds. What is said of a citance comes from trees trained on
the other folds, with probabilities fitted to those.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from citespan.pipelines.corpus.article import Article
from citespan.pipelines.corpus.collection import Citance
from citespan.pipelines.ranking.calibration import describe_sentences
from citespan.pipelines.ranking.model import Calibration
from citespan.pipelines.ranking.ranker import OUT_OF_FOLD, Ranking
from citespan.pipelines.ranking.sentences import ArticleSentences
from citespan.pipelines.training.ranker_examples import make_examples
from citespan.pipelines.training.ranker_fitting import (
    Scored,
    calibrate,
    leave_out,
    score_out_of_fold,
)


@dataclass(frozen=True, eq=False)
class FoldRanker:
    """A ranker for the one citance that trees of the other folds have scored."""

    scored: Scored
    calibration: Calibration
    name: str = OUT_OF_FOLD
    description: str = "trained on the other folds of the collection"
    version: str = OUT_OF_FOLD

    @property
    def threshold(self) -> float:
        """See `Ranker`."""
        return self.calibration.threshold

    def rank(
        self, query: str, article: ArticleSentences, candidates: Sequence[int] | None = None
    ) -> Ranking:
        """See `Ranker`.

        Raises:
            ValueError: for another query, or another article.
        """
        scores = self.scored.scores
        if query != self.scored.example.query or len(article) != len(scores):
            raise ValueError("a citance that was not scored")
        probabilities = self.calibration.sentence.predict(describe_sentences(scores))
        support = float(self.calibration.article.predict(self.scored.inputs)[0])
        ranked = np.zeros(len(scores), dtype=bool)
        ranked[slice(None) if candidates is None else list(candidates)] = True
        return Ranking(
            np.where(ranked, scores, -np.inf), np.where(ranked, probabilities, 0.0), support
        )


def train_on_folds(
    articles: Mapping[str, Article],
    citances: Sequence[Citance],
    without: Sequence[str],
    advance: Callable[[int], None] = lambda _: None,
) -> list[FoldRanker]:
    """Return a ranker for each citance, trained on the other folds.

    Args:
        articles: by id, split into sentences.
        without: families of features that are left out.
        advance: called with 1 after each training.

    Raises:
        InputError: if there are fewer topics than folds.
    """
    scored = score_out_of_fold(make_examples(articles, citances), without=without, advance=advance)
    calibrations = {
        fold: calibrate(leave_out(scored, fold)) for fold in {one.fold for one in scored}
    }
    return [FoldRanker(one, calibrations[one.fold]) for one in scored]
