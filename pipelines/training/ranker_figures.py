"""Rankers measured on collections of citances: cross-validated, or as they are."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from citespan.pipelines.corpus.article import Article
from citespan.pipelines.corpus.collection import Citance
from citespan.pipelines.evaluation.doubt_figures import (
    calibration_error,
    describe_support,
    reliability,
)
from citespan.pipelines.evaluation.measure import measures
from citespan.pipelines.evaluation.outcome import Outcome
from citespan.pipelines.evaluation.scores import Score, score_systems
from citespan.pipelines.ranking.analysed_article import Floats
from citespan.pipelines.ranking.calibration import describe_sentences
from citespan.pipelines.ranking.model import Calibration
from citespan.pipelines.ranking.ranker import Ranker, Ranking
from citespan.pipelines.ranking.selection import choose_evidence
from citespan.pipelines.ranking.sentences import take_sentences
from citespan.pipelines.retrieval.merge import ScoredSpan
from citespan.pipelines.training.mismatches import ArticleIndex, choose_mismatches
from citespan.pipelines.training.ranker_examples import make_examples
from citespan.pipelines.training.ranker_fitting import (
    FOLDS,
    Scored,
    calibrate,
    leave_out,
    score_out_of_fold,
)
from citespan.pipelines.training.ranker_trees import TrainingSet
from citespan.pipelines.training.untrained import (
    BM25,
    choose_sentences,
    order,
    score_untrained,
)

RANKER: Final = "ranker"
SELECTED: Final = ("sentence_f1_micro", "sentence_precision_micro", "sentence_recall_micro")
RANKED: Final = ("success_1", "mrr_10", "ndcg_10")
TOP: Final = 10
TOP_SHOWN: Final = 3
"""Sentences of each citance whose probabilities are measured: those that readers see."""


@dataclass(frozen=True, eq=False)
class Judged:
    """What a ranker says of one citance.

    Attributes:
        ranking: of the sentences of its article.
        mismatched: support of other articles, by how they were chosen.
        threshold: below this support, an article has no evidence.
    """

    ranking: Ranking
    mismatched: Mapping[str, float]
    threshold: float


@dataclass(frozen=True, eq=False)
class Figures:
    """The figures of an evaluation.

    Attributes:
        scores: by system and measure, tested against the first system.
        doubt: reliability of the ranker's probabilities, see `_describe_doubt`.
        sentences: how many sentences a system retrieves for a citance.
    """

    citances: int
    topics: int
    scores: Mapping[str, Mapping[str, Score]]
    sentences: Mapping[str, float]
    doubt: Mapping[str, Any]

    def to_json(self) -> dict[str, Any]:
        """Return all figures, p-values by measure."""
        return {
            "citances": self.citances,
            "topics": self.topics,
            "systems": {
                system: {
                    "sentences": self.sentences[system],
                    "measures": {
                        name: {
                            "value": score.value,
                            "interval": [score.low, score.high],
                            **score.tests._asdict(),
                        }
                        for name, score in own.items()
                    },
                }
                for system, own in self.scores.items()
            },
            "doubt": dict(self.doubt),
        }


def cross_validate(
    articles: Mapping[str, Article],
    citances: Sequence[Citance],
    folds: int = FOLDS,
    without: Sequence[str] = (),
    advance: Callable[[int], None] = lambda _: None,
) -> Figures:
    """Measure a ranker trained on the other folds, on each fold of topics.

    Probabilities, and the number of sentences of untrained rankings, are fitted to the other
    folds as well.

    Args:
        articles: by id, split into sentences.
        without: families of features that are left out.
        advance: called with 1 after each training.

    Raises:
        InputError: if there are fewer topics than folds.
    """
    data = make_examples(articles, citances)
    scored = score_out_of_fold(data, folds, without, advance)
    return measure_out_of_fold(articles, citances, data, scored)


def measure_out_of_fold(
    articles: Mapping[str, Article],
    citances: Sequence[Citance],
    data: TrainingSet,
    scored: Sequence[Scored],
) -> Figures:
    """Measure what trees of the other folds say, with probabilities fitted to those folds."""
    folds = max(one.fold for one in scored) + 1
    calibrations = [calibrate(leave_out(scored, fold)) for fold in range(folds)]
    judged = [_judge(one, calibrations[one.fold]) for one in scored]
    return _measure(articles, citances, data, judged, [one.fold for one in scored])


def _judge(one: Scored, calibration: Calibration) -> Judged:
    probabilities = calibration.sentence.predict(describe_sentences(one.scores))
    support = float(calibration.article.predict(one.inputs)[0])
    return Judged(
        Ranking(one.scores, probabilities, support),
        {
            kind: float(calibration.article.predict(inputs)[0])
            for kind, (_, inputs) in one.mismatched.items()
        },
        calibration.threshold,
    )


def evaluate(
    ranker: Ranker,
    articles: Mapping[str, Article],
    citances: Sequence[Citance],
    advance: Callable[[int], None] = lambda _: None,
) -> Figures:
    """Measure a ranker as it is. Untrained rankings retrieve three sentences.

    Args:
        articles: by id, split into sentences.
        advance: called with 1 after each citance.
    """
    data = make_examples(articles, citances)
    sentences = [take_sentences(article) for article in articles.values()]
    index = ArticleIndex(data.articles)
    judged = []
    for place, example in enumerate(data.examples):
        chosen = choose_mismatches(index, example, place)
        judged.append(
            Judged(
                ranker.rank(example.query, sentences[example.article]),
                {
                    kind: ranker.rank(example.query, sentences[other]).support
                    for kind, other in chosen.items()
                },
                ranker.threshold,
            )
        )
        advance(1)
    return _measure(articles, citances, data, judged, None)


def _measure(
    articles: Mapping[str, Article],
    citances: Sequence[Citance],
    data: TrainingSet,
    judged: Sequence[Judged],
    folds: Sequence[int] | None,
) -> Figures:
    systems: dict[str, tuple[Sequence[Floats], Sequence[Sequence[int]]]] = {
        name: (scores, choose_sentences(data, scores, folds))
        for name, scores in score_untrained(data).items()
    }
    systems[RANKER] = (
        [one.ranking.scores for one in judged],
        [choose_evidence(one.ranking) for one in judged],
    )
    selected: dict[str, list[Outcome]] = {}
    ranked: dict[str, list[Outcome]] = {}
    for name, (scores, chosen) in systems.items():
        pairs = list(zip(citances, scores, strict=True))
        least = -np.inf if name == RANKER else 0.0
        best = [order(own, least)[:TOP] for own in scores]
        selected[name], ranked[name] = (
            [
                Outcome(citance, articles[citance.article_id], _make_spans(own, numbers))
                for (citance, own), numbers in zip(pairs, each, strict=True)
            ]
            for each in (chosen, best)
        )
    figures = [
        score_systems(outcomes, BM25, [measures[name] for name in names])
        for outcomes, names in ((selected, SELECTED), (ranked, RANKED))
    ]
    return Figures(
        len(citances),
        len({citance.topic for citance in citances}),
        {name: figures[0][name] | figures[1][name] for name in systems},
        {name: float(np.mean([len(one) for one in own[1]])) for name, own in systems.items()},
        _describe_doubt(data, judged),
    )


def _make_spans(scores: Floats, numbers: Sequence[int]) -> tuple[ScoredSpan, ...]:
    return tuple(ScoredSpan(number, number, float(scores[number])) for number in numbers)


def _describe_doubt(data: TrainingSet, judged: Sequence[Judged]) -> dict[str, Any]:
    """Return how reliable the probabilities of sentences are, and the support of articles."""
    labels = [data.mark_evidence(example) for example in data.examples]
    shown = [np.argsort(-one.ranking.scores, kind="stable")[:TOP_SHOWN] for one in judged]
    points = reliability(
        np.concatenate(
            [one.ranking.probabilities[at] for one, at in zip(judged, shown, strict=True)]
        ),
        np.concatenate([own[at] for own, at in zip(labels, shown, strict=True)]),
    )
    sentences = {"calibration_error": calibration_error(points), "reliability": points}
    kinds = judged[0].mismatched if judged else {}
    articles = describe_support(
        np.array([one.ranking.support for one in judged]),
        {kind: np.array([one.mismatched[kind] for one in judged]) for kind in kinds},
        np.array([one.threshold for one in judged]),
    )
    return {"sentences": sentences, "articles": articles}
