"""Rankers measured on collections of citances: cross-validated, or as they are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
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
from citespan.pipelines.ranking.features.matching import score_model
from citespan.pipelines.ranking.model import Calibration
from citespan.pipelines.ranking.pair import Pair, analyse_query
from citespan.pipelines.ranking.ranker import Ranker, Ranking
from citespan.pipelines.ranking.selection import choose_evidence
from citespan.pipelines.ranking.sentences import take_sentences
from citespan.pipelines.retrieval.merge import ScoredSpan
from citespan.pipelines.training.family import FOLDS, Advance, ignore
from citespan.pipelines.training.ranker_examples import (
    ArticleIndex,
    TrainingSet,
    choose_mismatches,
    make_examples,
)
from citespan.pipelines.training.ranker_fitting import (
    Scored,
    calibrate,
    leave_out,
    score_out_of_fold,
)

RANKER: Final = "ranker"
SELECTED: Final = ("sentence_f1_micro", "sentence_precision_micro", "sentence_recall_micro")
RANKED: Final = ("success_1", "mrr_10", "ndcg_10")
TOP: Final = 10
TOP_SHOWN: Final = 3
"""Sentences of each citance whose probabilities are measured: those that readers see."""
BM25: Final = "bm25"
DFR: Final = "dfr"
BM25_OTHERS: Final = "bm25, idf of other articles"
MOST: Final = 5
TOP_UNTRAINED: Final = 3
"""Sentences that are retrieved where nothing was there to choose a number by."""


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
    advance: Advance = ignore,
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
    advance: Advance = ignore,
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


def score_untrained(data: TrainingSet) -> dict[str, list[Floats]]:
    """Return, for each untrained ranking, the (N,) scores of each example's sentences."""
    scores: dict[str, list[Floats]] = {BM25: [], DFR: [], BM25_OTHERS: []}
    for example in data.examples:
        article = data.articles[example.article]
        pair = Pair(analyse_query(example.query), article, data.counts, counted=True)
        scores[BM25].append(score_model("bm25", pair))
        scores[DFR].append(score_model("dfr", pair))
        scores[BM25_OTHERS].append(pair.bm25_in_others)
    return scores


def choose_number(scores: Sequence[Floats], evidence: Sequence[frozenset[int]]) -> int:
    """Return how many sentences, 1 to 5, give the highest F1 over sentences, all queries pooled."""
    marked = sum(map(len, evidence))
    found = np.zeros(MOST)
    retrieved = np.zeros(MOST)
    for own, gold in zip(scores, evidence, strict=True):
        best = order(own)[:MOST]
        hits = np.cumsum([number in gold for number in best])
        for number in range(MOST):
            at = min(number, len(best) - 1)
            if at >= 0:
                found[number] += hits[at]
                retrieved[number] += at + 1
    return int(np.argmax(2 * found / np.maximum(retrieved + marked, 1))) + 1


def order(scores: Floats, above: float = 0.0) -> list[int]:
    """Return the numbers of sentences by falling score, those that have no more left out.

    Args:
        above: 0 for scores that are 0 where no term of the query is.
    """
    best = np.argsort(-scores, kind="stable")
    return [int(number) for number in best if scores[number] > above]


def choose_sentences(
    data: TrainingSet, scores: Sequence[Floats], folds: Sequence[int] | None
) -> list[list[int]]:
    """Return the sentences that a ranking retrieves for each example, best first.

    Args:
        scores: of each example's sentences.
        folds: of each example; how many are retrieved is then chosen on the other folds.
    """
    evidence = [example.evidence for example in data.examples]
    if folds is None:
        return [order(own)[:TOP_UNTRAINED] for own in scores]
    numbers = {
        fold: choose_number(
            [own for own, its in zip(scores, folds, strict=True) if its != fold],
            [gold for gold, its in zip(evidence, folds, strict=True) if its != fold],
        )
        for fold in set(folds)
    }
    return [order(own)[: numbers[fold]] for own, fold in zip(scores, folds, strict=True)]
