"""Train the model of what disagrees on claims that passages support or contradict, and measure it.

Folds are by article. The threshold from which on the model's word counts is chosen on folds of the
training articles, so that in each set 90% of the clauses that are shown above it are contradicted.
"""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final

import numpy as np

from citespan.pipelines.corpus.article import Article
from citespan.pipelines.corpus.collection import Citance
from citespan.pipelines.errors import InputError
from citespan.pipelines.evaluation.outcome import Outcome
from citespan.pipelines.precision_recall import PrecisionRecall
from citespan.pipelines.ranking.analysed_article import Floats
from citespan.pipelines.ranking.differences.detection import Candidate, find_candidates
from citespan.pipelines.ranking.differences.disagreement import choose_differences
from citespan.pipelines.ranking.differences.features import FEATURES, describe
from citespan.pipelines.ranking.differences.model import KIND, TREES, DisagreementModel
from citespan.pipelines.ranking.differences.statement import Statement, read_statement
from citespan.pipelines.ranking.short_forms import find_short_forms
from citespan.pipelines.ranking.trees import read_trees
from citespan.pipelines.training.family import Files, Fold, assign_folds, judge_others, make_folds

LABELS: Final = ("supports", "contradicts")
PRECISION: Final = 0.8
"""The share of what is shown that is to be contradicted."""
_AIM: Final = 0.9  # for the threshold, as what it is chosen on flatters it
_LEAST_SHOWN: Final = 10
_SETTINGS: Final[Mapping[str, Any]] = {
    "objective": "binary",
    "num_iterations": 300,
    "learning_rate": 0.04,
    "num_leaves": 15,
    "min_data_in_leaf": 5,
    "extra_trees": True,
    "feature_fraction": 0.4,
    "bagging_fraction": 0.7,
    "bagging_freq": 1,
    "lambda_l2": 5.0,
    "seed": 1,
    "num_threads": 1,
    "deterministic": True,
    "force_row_wise": True,
    "verbosity": -1,
}
# The more of these, the likelier (1) or the less likely (-1) that clause and passage disagree.
_MORE: Final = ("differ", "otherwise", "closest_", "_not", "only_", "one_negated")
_LESS: Final = ("balance", "agree", "_near", "_of_both")


@dataclass(frozen=True, eq=False)
class DisagreementExample:
    """A clause with the sentences that support or contradict it.

    Attributes:
        data: the name of its collection.
    """

    data: str
    article: str
    clause: Statement
    sentences: tuple[Statement, ...]
    contradicts: bool

    @cached_property
    def features(self) -> dict[str, float]:
        """See `describe`."""
        return describe(self.clause, self.sentences, self.candidates)

    @cached_property
    def candidates(self) -> list[list[Candidate]]:
        """What may differ between the clause and each of the sentences."""
        return [find_candidates(self.clause, each, self.sentences) for each in self.sentences]

    def differs(self, disagree: bool) -> bool:
        """Whether a difference is shown, given whether the model says that they disagree."""
        places = [(1, sentence) for sentence in self.sentences]
        return bool(choose_differences(self.clause, places, self.candidates, disagree=disagree))


def make_disagreement_examples(
    data: str, articles: Mapping[str, Article], citances: Sequence[Citance]
) -> list[DisagreementExample]:
    """Make an example of each citance with a label.

    Args:
        data: the name of the collection.
        articles: by id, split into sentences.

    Raises:
        InputError: if no citance has a label, or one has a label that is not known.
    """
    found = []
    for citance in citances:
        if not citance.label:
            continue
        if citance.label not in LABELS:
            raise InputError(
                f'{data}: {citance.id} has the label "{citance.label}"; use {" or ".join(LABELS)}'
            )
        article = articles[citance.article_id]
        marked = sorted(Outcome(citance, article, ()).gold_sentences)
        spans = [(article.sentences or ())[number] for number in marked]
        short_forms = find_short_forms([article.text])
        sentences = tuple(
            read_statement(article.text[span.start : span.end], short_forms=short_forms)
            for span in spans
        )
        found.append(
            DisagreementExample(
                data, article.id, read_statement(citance.text, short_forms=short_forms), sentences,
                citance.label == LABELS[1],
            )
        )  # fmt: skip
    if len({example.contradicts for example in found}) < len(LABELS):
        raise InputError(f'{data}: give citances with "label": "supports" and "contradicts"')
    return found


@dataclass(frozen=True)
class DisagreementFigures:
    """How well contradiction is told from support.

    Attributes:
        auc: area under the ROC curve of the probabilities.
        words_auc: of the words of clause and sentences, and of those of the clause alone.
        shown, precision, recall: of what `differs` shows: how many, the share of them that is
            contradicted, and the share of the contradicted that is shown.
        false: the share of the supported that is shown.
        by_rules: the precision and the share of the contradicted of what is shown whatever the
            model says.
    """

    clauses: int
    contradicted: int
    auc: float
    words_auc: tuple[float, float]
    shown: int
    precision: float
    recall: float
    false: float
    by_rules: tuple[float, float]

    def to_json(self) -> dict[str, Any]:
        """Return the figures by name."""
        return {
            "clauses": self.clauses, "contradicted": self.contradicted, "auc": self.auc,
            "words_auc": self.words_auc[0], "clause_words_auc": self.words_auc[1],
            "shown": self.shown, "precision": self.precision, "recall": self.recall,
            "supported_shown": self.false,
            "rules_precision": self.by_rules[0], "rules_recall": self.by_rules[1],
        }  # fmt: skip


def train_disagreement(
    examples: Sequence[DisagreementExample], threshold: float = 1.0
) -> tuple[DisagreementModel, bytes]:
    """Train trees on examples, and return the model with its file; the same examples give the same
    bytes."""
    import lightgbm  # slow to import, and for training only

    matrix, labels = make_matrix(examples), np.array([example.contradicts for example in examples])
    settings = {
        **_SETTINGS,
        "monotone_constraints": [find_constraint(feature) for feature in FEATURES],
    }
    rows = lightgbm.Dataset(matrix, labels.astype(float), feature_name=list(FEATURES))
    written = lightgbm.train(settings, rows).model_to_string()
    text = written.partition("end of trees")[0] + "end of trees\n"
    return DisagreementModel(read_trees(text, TREES), threshold), text.encode()


def find_constraint(feature: str) -> int:
    """Return whether disagreement can only be likelier (1) or less likely (-1) with more of a
    feature; 0 for either."""
    if any(part in feature for part in _LESS) or (
        feature.endswith("_of_all") and feature != "coverage_of_all"
    ):
        return -1
    return 1 if any(part in feature for part in _MORE) else 0


def make_matrix(examples: Sequence[DisagreementExample]) -> Floats:
    """Return the (examples, features) features."""
    return np.array([[float(example.features[name]) for name in FEATURES] for example in examples])


def predict(model: DisagreementModel, examples: Sequence[DisagreementExample]) -> list[float]:
    """Return the probability of each example."""
    return [model.predict(example.features) for example in examples]


def predict_out_of_fold(examples: Sequence[DisagreementExample]) -> list[float]:
    """Return the probability of each example by trees of the other articles."""
    folds = make_folds(assign_folds([example.article for example in examples]))
    return judge_others(examples, folds, lambda own: train_disagreement(own)[0], predict)


def choose_threshold(
    examples: Sequence[DisagreementExample], probabilities: Sequence[float]
) -> float:
    """Return the lowest probability from which on 90% of what is shown is contradicted in each
    collection; 1 if there is none.

    Args:
        probabilities: out of fold.
    """
    showing = [example.differs(disagree=True) for example in examples]
    least = 0.0
    for data in sorted({example.data for example in examples}):
        own = sorted(
            (
                (probability, example.contradicts)
                for example, probability, shows in zip(
                    examples, probabilities, showing, strict=True
                )
                if shows and example.data == data
            ),
            reverse=True,
        )
        best, right = 1.0, 0
        for count, (probability, contradicts) in enumerate(own, start=1):
            right += contradicts
            if count >= _LEAST_SHOWN and right >= _AIM * count:
                best = probability
        least = max(least, best)
    return round(least, 4)


def train_with_threshold(
    examples: Sequence[DisagreementExample],
) -> tuple[DisagreementModel, bytes]:
    """Train trees on all examples, with the threshold that is chosen on their folds."""
    threshold = choose_threshold(examples, predict_out_of_fold(examples))
    return train_disagreement(examples, threshold)


def cross_validate_disagreement(
    examples: Sequence[DisagreementExample],
) -> dict[str, dict[str, DisagreementFigures]]:
    """Measure models that were trained on the other folds, and those trained on the other sets.

    Returns:
        "folds" and, where there are several sets, "left out", each by the name of the set.

    Raises:
        InputError: if there are fewer articles than folds.
    """
    folds = make_folds(assign_folds([example.article for example in examples]))
    found = {"folds": _measure(examples, folds)}
    names = sorted({example.data for example in examples})
    if len(names) > 1:
        sets = make_folds([names.index(example.data) for example in examples])
        found["left out"] = _measure(examples, sets)
    return found


def _measure(
    examples: Sequence[DisagreementExample], folds: Sequence[Fold]
) -> dict[str, DisagreementFigures]:
    def fit(own: list[DisagreementExample]) -> tuple[DisagreementModel, Any, Any]:
        model, _ = train_with_threshold(own)
        return model, _fit_words(own, both=True), _fit_words(own, both=False)

    def judge(
        fitted: tuple[DisagreementModel, Any, Any], own: list[DisagreementExample]
    ) -> list[_Judged]:
        model, *words = fitted
        chances = predict(model, own)
        by_words = [
            list(pipeline.predict_proba(_write(own, both=both))[:, 1])
            for pipeline, both in zip(words, (True, False), strict=True)
        ]
        return [
            _Judged(
                chance, (of_both, of_clause), example.differs(disagree=chance >= model.threshold),
                example.differs(disagree=False),
            )
            for example, chance, of_both, of_clause in zip(own, chances, *by_words, strict=True)
        ]  # fmt: skip

    judged = judge_others(examples, folds, fit, judge)
    return {
        data: _sum_up(
            [
                (example.contradicts, said)
                for example, said in zip(examples, judged, strict=True)
                if example.data == data
            ]
        )
        for data in sorted({example.data for example in examples})
    }


@dataclass(frozen=True, slots=True)
class _Judged:
    chance: float
    by_words: tuple[float, float]
    shown: bool
    by_rules: bool


def _sum_up(judged: Sequence[tuple[bool, _Judged]]) -> DisagreementFigures:
    from sklearn.metrics import roc_auc_score

    labels = [contradicts for contradicts, _ in judged]
    wrong = {place for place, contradicts in enumerate(labels) if contradicts}
    shown, ruled = (
        PrecisionRecall.of({place for place, shows in enumerate(own) if shows}, wrong)
        for own in ([said.shown for _, said in judged], [said.by_rules for _, said in judged])
    )
    by_both, by_clause = zip(*(said.by_words for _, said in judged), strict=True)
    return DisagreementFigures(
        clauses=len(labels),
        contradicted=len(wrong),
        auc=float(roc_auc_score(labels, [said.chance for _, said in judged])),
        words_auc=(float(roc_auc_score(labels, by_both)), float(roc_auc_score(labels, by_clause))),
        shown=shown.right + shown.wrong,
        precision=shown.precision,
        recall=shown.recall,
        false=shown.wrong / (len(labels) - len(wrong)),
        by_rules=(ruled.precision, ruled.recall),
    )


def _write(examples: Sequence[DisagreementExample], *, both: bool) -> list[str]:
    """Return the words of clauses, and those of their sentences marked as such."""
    return [
        " ".join(
            (
                *(word.text for word in example.clause.words),
                *(f"of{word.text}" for each in example.sentences for word in each.words if both),
            )
        )
        for example in examples
    ]


def _fit_words(examples: Sequence[DisagreementExample], *, both: bool) -> Any:
    """Fit logistic regression over words and pairs of words, the baseline."""
    from sklearn.feature_extraction.text import CountVectorizer
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline

    pipeline = make_pipeline(
        CountVectorizer(ngram_range=(1, 2), min_df=3, binary=True),
        LogisticRegression(C=0.1, max_iter=2_000),
    )
    return pipeline.fit(_write(examples, both=both), [example.contradicts for example in examples])


@dataclass(frozen=True, eq=False)
class DisagreementFamily:
    """A `Family`: models trained on clauses that passages support or contradict."""

    examples: Sequence[DisagreementExample]
    kind = KIND

    @cached_property
    def figures(self) -> dict[str, dict[str, DisagreementFigures]]:
        return cross_validate_disagreement(self.examples)

    def fit(self) -> tuple[DisagreementModel, bytes]:
        return train_with_threshold(self.examples)

    def dump(self, model: tuple[DisagreementModel, bytes]) -> Files:
        trained, written = model
        checksum = hashlib.sha256(written).hexdigest()
        return {"threshold": trained.threshold, "sha256": checksum}, {TREES: written}

    def describe(self, model: tuple[DisagreementModel, bytes]) -> dict[str, Any]:
        return {
            "clauses": len(self.examples),
            "contradicted": sum(example.contradicts for example in self.examples),
            "threshold": model[0].threshold,
            "features": len(FEATURES),
            "precision": PRECISION,
        }
