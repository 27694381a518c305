"""Rankers measured on collections of citances: cross-validated, or as they are."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np

from citespan.pipelines.evaluation.doubt_figures import (
    calibration_error,
    describe_support,
    reliability,
)
from citespan.pipelines.evaluation.measure import measures
from citespan.pipelines.evaluation.outcome import Outcome
from citespan.pipelines.evaluation.scores import Score, score_systems
from citespan.pipelines.ranking.analysed_article import Floats
from citespan.pipelines.ranking.features.families import FAMILIES, compute_features
from citespan.pipelines.ranking.features.matching import score_model
from citespan.pipelines.ranking.model import Calibration, Ensemble
from citespan.pipelines.ranking.pair import Pair, analyse_query, count_terms
from citespan.pipelines.ranking.ranker import Ranker, Ranking
from citespan.pipelines.ranking.selection import choose_evidence
from citespan.pipelines.ranking.sentences import take_sentences
from citespan.pipelines.retrieval.merge import ScoredSpan
from citespan.pipelines.training.family import FOLDS, Advance, ignore
from citespan.pipelines.training.ranker_examples import (
    Example,
    Mismatches,
    TrainingData,
    TrainingSet,
)
from citespan.pipelines.training.ranker_fitting import (
    SEEDS,
    Scored,
    calibrate,
    leave_out,
    score_out_of_fold,
    train_trees,
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
        left_out: of a ranker trained on all collections but this one; None if there is no other.
    """

    citances: int
    topics: int
    scores: Mapping[str, Mapping[str, Score]]
    sentences: Mapping[str, float]
    doubt: Mapping[str, Any]
    left_out: Mapping[str, Score] | None = None

    def to_json(self) -> dict[str, Any]:
        """Return all figures, p-values by measure."""
        return {
            "citances": self.citances,
            "topics": self.topics,
            "systems": {
                system: {"sentences": self.sentences[system], "measures": _list_scores(own)}
                for system, own in self.scores.items()
            },
            "left_out": self.left_out and _list_scores(self.left_out),
            "doubt": dict(self.doubt),
        }


def _list_scores(scores: Mapping[str, Score]) -> dict[str, Any]:
    return {
        name: {"value": score.value, "interval": [score.low, score.high], **score.tests._asdict()}
        for name, score in scores.items()
    }


def cross_validate(
    data: TrainingData, folds: int = FOLDS, without: Sequence[str] = (), advance: Advance = ignore
) -> dict[str, Figures]:
    """Measure rankers on each collection: trained on the other folds of topics of all, and trained
    on the other collections.

    Probabilities, and the number of sentences of untrained rankings, are fitted to the other
    folds as well.

    Args:
        without: families of features that are left out.
        advance: called with 1 after each training.

    Raises:
        InputError: if there are fewer topics than folds.
    """
    examples = data.make_examples()
    scored = score_out_of_fold(examples, folds, without, advance)
    return measure_out_of_fold(data, examples, scored, without, advance)


def count_trainings(collections: int, folds: int = FOLDS) -> int:
    """Return how many rankers are trained to measure those of so many collections."""
    return SEEDS * (folds + (collections if collections > 1 else 0))


def measure_out_of_fold(
    data: TrainingData,
    examples: TrainingSet,
    scored: Sequence[Scored],
    without: Sequence[str] = (),
    advance: Advance = ignore,
) -> dict[str, Figures]:
    """Measure what trees of the other folds say, with probabilities fitted to those folds, and
    what trees of the other collections say."""
    folds = max(case.fold for case in scored) + 1
    calibrations = [calibrate(leave_out(scored, fold)) for fold in range(folds)]
    judged = [_judge(case, calibrations[case.fold]) for case in scored]
    numbers = [case.fold for case in scored]
    found = {}
    for name, places in _divide(examples).items():
        figures = _measure(data, examples, judged, numbers, places)
        others = [at for at in range(len(examples.examples)) if at not in places]
        if others:
            trees = train_trees(examples, others, without, advance).ensemble
            scores = _score_left_out(examples, trees, name, places[: figures.citances])
            figures = replace(figures, left_out=_rank_left_out(data, places, scores))
        found[name] = figures
    return found


TABLE: Final = (
    *("collection", "citances", "bm25", "folds", "left out", "bm25 F1", "folds F1"),
    *("found", "none found", "random found", "hardest found", "calibration error"),
)
"""The columns of `make_table`."""


def make_table(figures: Mapping[str, Figures]) -> list[list[str]]:
    """Return a row for each collection: how often the first sentence is marked by BM25 (idf of the
    article), by rankers of the other folds and by those of the other collections; F1 over
    sentences; how many articles are called found, the right ones and those in which people found no
    evidence, random and most similar others; and the expected calibration error of support."""
    rows = []
    for name, own in figures.items():
        bm25, ranker, support = own.scores[BM25], own.scores[RANKER], own.doubt["articles"]
        below = support["wrong_below_threshold"]
        values = [
            *(bm25["success_1"].value, ranker["success_1"].value),
            own.left_out["success_1"].value if own.left_out else None,
            *(bm25[SELECTED[0]].value, ranker[SELECTED[0]].value),
            *(1 - support["right_below_threshold"], support["unanswered_found"]),
            *(1 - below[kind] if kind in below else None for kind in ("random", "hardest")),
            support["calibration_error"],
        ]
        cells = ["" if value is None else f"{value:.3f}".replace("0.", ".") for value in values]
        rows.append([name or "all", f"{own.citances:,}", *cells])
    return rows


def _divide(data: TrainingSet) -> dict[str, list[int]]:
    """Return the places of each collection's examples, in order."""
    places: dict[str, list[int]] = {name: [] for name in data.collections}
    for place, example in enumerate(data.examples):
        places[data.collections[example.article]].append(place)
    return {name: own for name, own in places.items() if own}


def _score_left_out(
    data: TrainingSet, trees: Ensemble, name: str, places: Sequence[int]
) -> list[Floats]:
    """Return the scores of a collection's sentences, with idf of the other collections."""
    counts = count_terms(
        article for article, own in zip(data.articles, data.collections, strict=True) if own != name
    )
    scores = []
    for place in places:
        example = data.examples[place]
        pair = Pair(analyse_query(example.query), data.articles[example.article], counts)
        scores.append(trees.score(compute_features(pair, FAMILIES)))
    return scores


def _rank_left_out(
    data: TrainingData, places: Sequence[int], scores: Sequence[Floats]
) -> Mapping[str, Score]:
    outcomes = [
        _make_outcome(data, place, own, order(own, -np.inf)[:TOP])
        for place, own in zip(places, scores, strict=False)
    ]
    wanted = [measures[name] for name in RANKED]
    return score_systems({RANKER: outcomes}, RANKER, wanted)[RANKER]


def _judge(scored: Scored, calibration: Calibration) -> Judged:
    return Judged(
        calibration.rank(scored.scores, scored.inputs),
        {
            kind: float(calibration.article.predict(inputs)[0])
            for kind, (_, inputs) in scored.mismatched.items()
        },
        calibration.threshold,
    )


def evaluate(ranker: Ranker, data: TrainingData, advance: Advance = ignore) -> dict[str, Figures]:
    """Measure a ranker as it is on each collection. Untrained rankings retrieve three sentences.

    Args:
        advance: called with 1 after each example.
    """
    examples = data.make_examples()
    sentences = [take_sentences(article) for article in data.articles.values()]
    mismatches = Mismatches(examples)
    judged = []
    for place, example in enumerate(examples.examples):
        chosen = mismatches.choose(example, place) if example.evidence else {}
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
    return {
        name: _measure(data, examples, judged, None, places)
        for name, places in _divide(examples).items()
    }


def _measure(
    data: TrainingData,
    examples: TrainingSet,
    judged: Sequence[Judged],
    folds: Sequence[int] | None,
    places: Sequence[int],
) -> Figures:
    """Measure what was said of the examples at some places, in order: those of citances, and behind
    them those without evidence."""
    asked = [place for place in places if place < len(data.citances)]
    chosen_from = [examples.examples[place] for place in asked]
    of_place = None if folds is None else [folds[place] for place in asked]
    systems: dict[str, tuple[Sequence[Floats], Sequence[Sequence[int]]]] = {
        name: (scores, choose_sentences(chosen_from, scores, of_place))
        for name, scores in score_untrained(examples, chosen_from).items()
    }
    systems[RANKER] = (
        [judged[place].ranking.scores for place in asked],
        [choose_evidence(judged[place].ranking) for place in asked],
    )
    selected: dict[str, list[Outcome]] = {}
    ranked: dict[str, list[Outcome]] = {}
    for name, (scores, chosen) in systems.items():
        least = -np.inf if name == RANKER else 0.0
        best = [order(own, least)[:TOP] for own in scores]
        selected[name], ranked[name] = (
            [_make_outcome(data, *outcome) for outcome in zip(asked, scores, each, strict=True)]
            for each in (chosen, best)
        )
    figures = [
        score_systems(outcomes, BM25, [measures[name] for name in names])
        for outcomes, names in ((selected, SELECTED), (ranked, RANKED))
    ]
    return Figures(
        len(asked),
        len({data.citances[place].topic for place in asked}),
        {name: figures[0][name] | figures[1][name] for name in systems},
        {
            name: float(np.mean([len(numbers) for numbers in own[1]]))
            for name, own in systems.items()
        },
        _describe_doubt(examples, places, judged),
    )


def _make_outcome(
    data: TrainingData, place: int, scores: Floats, numbers: Sequence[int]
) -> Outcome:
    citance = data.citances[place]
    spans = tuple(ScoredSpan(number, number, float(scores[number])) for number in numbers)
    return Outcome(citance, data.articles[citance.article_id], spans)


def _describe_doubt(
    data: TrainingSet, places: Sequence[int], judged: Sequence[Judged]
) -> dict[str, Any]:
    """Return how reliable the probabilities of sentences are, and the support of articles; of those
    in which people found no evidence, the share that is not below the threshold."""
    right = [place for place in places if data.examples[place].evidence]
    labels = [data.mark_evidence(data.examples[place]) for place in right]
    asked = [judged[place] for place in right]
    shown = [np.argsort(-article.ranking.scores, kind="stable")[:TOP_SHOWN] for article in asked]
    points = reliability(
        np.concatenate(
            [article.ranking.probabilities[at] for article, at in zip(asked, shown, strict=True)]
        ),
        np.concatenate([own[at] for own, at in zip(labels, shown, strict=True)]),
    )
    sentences = {"calibration_error": calibration_error(points), "reliability": points}
    kinds = asked[0].mismatched if asked else {}
    articles = describe_support(
        np.array([article.ranking.support for article in asked]),
        {kind: np.array([article.mismatched[kind] for article in asked]) for kind in kinds},
        np.array([article.threshold for article in asked]),
    )
    without = [judged[place] for place in places if not data.examples[place].evidence]
    found = [article.ranking.support >= article.threshold for article in without]
    articles["unanswered"] = len(without)
    articles["unanswered_found"] = float(np.mean(found)) if found else None
    return {"sentences": sentences, "articles": articles}


def score_untrained(data: TrainingSet, examples: Sequence[Example]) -> dict[str, list[Floats]]:
    """Return, for each untrained ranking, the (N,) scores of each example's sentences."""
    scores: dict[str, list[Floats]] = {BM25: [], DFR: [], BM25_OTHERS: []}
    for example in examples:
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
    examples: Sequence[Example], scores: Sequence[Floats], folds: Sequence[int] | None
) -> list[list[int]]:
    """Return the sentences that a ranking retrieves for each example, best first.

    Args:
        scores: of each example's sentences.
        folds: of each example; how many are retrieved is then chosen on the other folds.
    """
    evidence = [example.evidence for example in examples]
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
