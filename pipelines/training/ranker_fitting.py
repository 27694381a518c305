"""Train rankers on queries whose evidence is known, and fit probabilities to their scores.

LambdaMART (Burges 2010) by LightGBM, trained several times with other seeds, whose scores are
averaged: one training depends much on which features and queries are drawn for each tree.
Probabilities are fitted to scores out of fold: of queries whose articles were not among those that
the trees were trained on.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np

from citespan.pipelines.corpus.article import Article
from citespan.pipelines.corpus.collection import Citance
from citespan.pipelines.errors import InputError
from citespan.pipelines.ranking.analysed_article import Floats
from citespan.pipelines.ranking.calibration import (
    ARTICLE_INPUTS,
    SENTENCE_INPUTS,
    Logistic,
    describe_article,
    describe_sentences,
)
from citespan.pipelines.ranking.features.families import FAMILIES, feature_names
from citespan.pipelines.ranking.model import TREES, Calibration, Ensemble
from citespan.pipelines.ranking.ranker import OUT_OF_FOLD, Ranking
from citespan.pipelines.ranking.sentences import ArticleSentences
from citespan.pipelines.ranking.trees import read_trees
from citespan.pipelines.training.family import (
    FOLDS,
    Advance,
    Fold,
    assign_folds,
    ignore,
    judge_out_of_fold,
    make_folds,
)
from citespan.pipelines.training.ranker_examples import (
    Example,
    Mismatches,
    TrainingData,
    TrainingSet,
)

SEEDS: Final = 3
"""How many times trees are trained."""
_SETTINGS: Final[Mapping[str, Any]] = {
    "objective": "lambdarank",
    "num_iterations": 120,
    "learning_rate": 0.1,
    "lambdarank_truncation_level": 10,
    "num_leaves": 15,
    "max_bin": 63,
    "min_data_in_leaf": 50,
    "feature_fraction": 0.5,
    "bagging_fraction": 0.7,
    "bagging_freq": 1,
    "lambda_l2": 5.0,
    "use_missing": False,
    "deterministic": True,
    "force_col_wise": True,
    "num_threads": 1,
    "verbosity": -1,
}
_MOST_ROWS = 300_000  # sentences of all articles; of more, a part is trained on
_SIMILAR, _OTHERS = 60, 40  # sentences of an article that are then used
_SIMILARITY = feature_names(FAMILIES).index("bm25_others")
THRESHOLD: Final = 0.4
"""Of support: below it, an article is said to have no evidence. To say so of a right article counts
one and a half times as much as the reverse, if both are asked equally often."""
_UNANSWERED = 0.5
"""The weight of an article in which people found no evidence; another article's is one half too."""
_PENALTY = 1e-2
_DIGITS, _DECIMALS = 6, 12  # of what is fitted: those in which all processors agree


@dataclass(frozen=True, eq=False)
class TrainedTrees:
    """Trees in LightGBM's format, and ready to use."""

    text: str
    ensemble: Ensemble


def train_trees(
    data: TrainingSet, places: Iterable[int], without: Sequence[str] = (), advance: Advance = ignore
) -> TrainedTrees:
    """Train trees with each seed; the same data give the same bytes.

    Args:
        places: of the examples to train on; those without evidence are left out.
        without: families of features that are left out.
        advance: called with 1 after each seed.

    Raises:
        InputError: if no example has evidence.
    """
    import lightgbm

    used = [place for place in places if data.examples[place].evidence]
    if not used:
        raise InputError("no query with evidence to train on")
    if all(data.mark_evidence(data.examples[place]).all() for place in used):
        raise InputError(
            "every sentence is evidence; a ranker learns from articles with others too"
        )
    names = feature_names(family for family in FAMILIES if family not in without)
    every = feature_names(FAMILIES)
    columns = [every.index(name) for name in names]
    forms = [(place, *form) for place in used for form in _take_forms(data, place)]
    if sum(len(labels) for _, _, labels in forms) > _MOST_ROWS:
        forms = [(place, *_thin(features, labels, place)) for place, features, labels in forms]
    thinned = [(features, labels) for _, features, labels in forms if labels.any()]
    if not thinned:
        raise InputError("no query whose evidence has a word of it to train on")
    matrix = np.concatenate([features[:, columns] for features, _ in thinned])
    labels = [own for _, own in thinned]
    bins = lightgbm.Dataset(
        matrix,
        np.concatenate(labels),
        group=[len(own) for own in labels],
        feature_name=list(names),
        params=dict(_SETTINGS),
        free_raw_data=False,
    )
    text = ""
    for seed in range(1, SEEDS + 1):
        text += _strip(lightgbm.train({**_SETTINGS, "seed": seed}, bins).model_to_string())
        advance(1)
    trees = read_trees(text, TREES)
    scale = float(f"{trees.predict(matrix).std():.6g}") or 1.0
    return TrainedTrees(text, Ensemble(trees, scale))


def _take_forms(data: TrainingSet, place: int) -> Iterator[tuple[Floats, Floats]]:
    """Yield features and labels of an example's article, and of a short one among sentences of
    others as well: abstracts alone teach nothing of full texts."""
    yield data.features[place], data.mark_evidence(data.examples[place])
    if place in data.surrounded_features:
        yield data.surrounded_features[place]


def _thin(features: Floats, labels: Floats, seed: int) -> tuple[Floats, Floats]:
    """Return the sentences to train on: the most similar ones and some of the others, whether they
    are evidence or not, or trees would learn that what is not similar mostly is."""
    if len(labels) <= _SIMILAR + _OTHERS:
        return features, labels
    order = np.argsort(-features[:, _SIMILARITY], kind="stable")
    rest = np.random.default_rng([1, seed]).permutation(order[_SIMILAR:])
    rows = np.sort([*order[:_SIMILAR], *rest[:_OTHERS]])
    return features[rows], labels[rows]


def _strip(text: str) -> str:
    """Return the trees without what LightGBM adds for people."""
    return text.partition("end of trees")[0] + "end of trees\n"


@dataclass(frozen=True, eq=False)
class Scored:
    """What trees that have not seen an example's article say of it.

    Attributes:
        fold: the number of the fold that it was left out in.
        scores, labels: (N,), of the sentences.
        inputs: (1, inputs) of `describe_article`.
        mismatched: the same of articles that the query is not about, by how they were chosen,
            each with the fold that the article is left out in.
    """

    example: Example
    fold: int
    scores: Floats
    labels: Floats
    inputs: Floats
    mismatched: dict[str, tuple[int, Floats]]


def score_out_of_fold(
    data: TrainingSet, folds: int = FOLDS, without: Sequence[str] = (), advance: Advance = ignore
) -> list[Scored]:
    """Score each example by trees trained on the other folds, in the order of the examples.

    Args:
        advance: called with 1 after each training.

    Raises:
        InputError: if there are fewer groups than folds.
    """
    numbers = assign_folds([example.group for example in data.examples], folds)
    mismatches = Mismatches(data)
    of_article = {
        example.article: fold for example, fold in zip(data.examples, numbers, strict=True)
    }

    def score(ensemble: Ensemble, fold: Fold) -> Iterator[Scored]:
        for place in fold.test:
            example, features = data.examples[place], data.features[place]
            wrong: dict[str, tuple[int, Floats]] = {}
            others = mismatches.choose(example, place) if example.evidence else {}
            for kind, other in others.items():
                theirs = data.compute_features(example.query, data.articles[other])
                inputs = describe_article(ensemble.score(theirs), theirs)
                wrong[kind] = of_article.get(other, -1), inputs
            scores = ensemble.score(features)
            inputs = describe_article(scores, features)
            labels = data.mark_evidence(example)
            yield Scored(example, fold.number, scores, labels, inputs, wrong)

    return judge_out_of_fold(
        make_folds(numbers),
        lambda places: train_trees(data, places, without, advance).ensemble,
        score,
    )


def leave_out(scored: Sequence[Scored], fold: int) -> list[Scored]:
    """Return what was scored of other folds, without articles of this one: a calibration that has
    seen an article as the right or the wrong one could know it again."""
    return [
        replace(
            case, mismatched={kind: its for kind, its in case.mismatched.items() if its[0] != fold}
        )
        for case in scored
        if case.fold != fold
    ]


def calibrate(scored: Sequence[Scored]) -> Calibration:
    """Fit probabilities to scores out of fold: of sentences, where the article has evidence; of
    articles, to these, to others, and to those in which people found none."""
    answered = [case for case in scored if case.example.evidence]
    inputs = [describe_sentences(case.scores) for case in answered]
    labels = [case.labels for case in answered]
    sentence = fit_logistic(SENTENCE_INPUTS, np.concatenate(inputs), np.concatenate(labels))
    rows, right, weights = [], [], []
    for case in scored:
        rows += [case.inputs, *(inputs for _, inputs in case.mismatched.values())]
        right += [float(bool(case.example.evidence)), *[0.0] * len(case.mismatched)]
        weights += [1.0 if case.example.evidence else _UNANSWERED]
        weights += [1.0 / len(case.mismatched) for _ in case.mismatched]
    article = fit_logistic(ARTICLE_INPUTS, np.concatenate(rows), np.array(right), np.array(weights))
    return Calibration(sentence, article, THRESHOLD)


def fit_logistic(
    names: Sequence[str], inputs: Floats, labels: Floats, weights: Floats | None = None
) -> Logistic:
    """Fit with a small quadratic penalty; the same data give the same result. Where all labels are
    the same, all probabilities are near it.

    Args:
        inputs: (rows, I).
        labels: (rows,), 1 or 0.
        weights: (rows,), of the rows; by default all 1.
    """
    from sklearn.linear_model import LogisticRegression  # slow to import, and for training only

    weights = np.ones(len(labels)) if weights is None else weights
    total = weights.sum()
    means = weights @ inputs / total
    scales = np.sqrt(weights @ (inputs - means) ** 2 / total)
    scales[scales < 1e-9] = 1.0
    rows, right = len(labels), labels.sum()
    if right in (0, rows):
        odds = float(np.log((right + 0.5) / (rows - right + 0.5)))
        zeros = (0.0,) * len(names)
        return Logistic(tuple(names), _round_off(means), _round_off(scales), zeros, odds)
    fitted = LogisticRegression(C=1 / (_PENALTY * total), solver="newton-cholesky", tol=1e-9)
    fitted.fit((inputs - means) / scales, labels, weights)
    return Logistic(
        tuple(names),
        _round_off(means),
        _round_off(scales),
        _round_off(np.ravel(fitted.coef_)),
        _round_off(np.ravel(fitted.intercept_))[0],
    )


def _round_off(values: Floats) -> tuple[float, ...]:
    return tuple(round(float(f"{value:.{_DIGITS}g}"), _DECIMALS) + 0.0 for value in values)


@dataclass(frozen=True, eq=False)
class FoldRanker:
    """A ranker for the citances that trees of the other folds have scored.

    Attributes:
        scored: by their texts.
    """

    scored: Mapping[str, Scored]
    calibration: Calibration
    name: str = OUT_OF_FOLD
    description: str = "trained on the other folds of the collection"
    version: str = OUT_OF_FOLD

    @property
    def threshold(self) -> float:
        return self.calibration.threshold

    def rank(
        self, query: str, article: ArticleSentences, candidates: Sequence[int] | None = None
    ) -> Ranking:
        """See `Ranker`.

        Raises:
            ValueError: for another query, or another article.
        """
        scored = self.scored.get(query)
        if scored is None or len(article) != len(scored.scores):
            raise ValueError("a citance that was not scored")
        return self.calibration.rank(scored.scores, scored.inputs, candidates)


def train_on_folds(
    articles: Mapping[str, Article],
    citances: Sequence[Citance],
    without: Sequence[str],
    advance: Advance = ignore,
) -> list[FoldRanker]:
    """Return a ranker for each citance, trained on the other folds.

    Args:
        articles: by id, split into sentences.
        without: families of features that are left out.
        advance: called with 1 after each training.

    Raises:
        InputError: if there are fewer topics than folds.
    """
    examples = TrainingData(articles, citances).make_examples()
    scored = score_out_of_fold(examples, without=without, advance=advance)
    calibrations = {
        fold: calibrate(leave_out(scored, fold)) for fold in {case.fold for case in scored}
    }
    return [FoldRanker({case.example.query: case}, calibrations[case.fold]) for case in scored]
