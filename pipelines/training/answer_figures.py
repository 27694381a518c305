"""Evaluate answer detection (paper B, section 4, tables 3 and 4).

Counted are the sentences of the claim zone, and answers that zoning has put outside it, which are
missed. Other sentences outside the claim zone are not candidates and do not count.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from citespan.pipelines.answers.detection.features import FEATURE_SETS
from citespan.pipelines.answers.detection.tree import Node
from citespan.pipelines.answers.zones.configuration import Configuration
from citespan.pipelines.answers.zones.model import ZoneModel, open_model, train
from citespan.pipelines.answers.zones.model import make_examples as make_zone_examples
from citespan.pipelines.counts import format_count
from citespan.pipelines.errors import InputError
from citespan.pipelines.training.answer_examples import (
    AnsweredAbstract,
    Example,
    make_examples,
    train_tree,
)


class Judgement(NamedTuple):
    """A sentence: whether it is an answer, and whether the detector found it to be one."""

    gold: bool
    found: bool


@dataclass(frozen=True, slots=True)
class ClassScore:
    """Scores of a class of so many `sentences`; a ratio whose denominator is 0 is 0."""

    precision: float
    recall: float
    f1: float
    sentences: int


@dataclass(frozen=True, slots=True)
class AnswerScores:
    """A confusion matrix of sentences, and the scores that follow from it.

    Attributes:
        answers_found, answers_missed: answers by whether the detector found them.
        others_taken, others_left: other sentences by whether it took them for answers.
    """

    answers_found: int
    answers_missed: int
    others_taken: int
    others_left: int

    @property
    def answer(self) -> ClassScore:
        """The scores of the answers."""
        return _score_class(self.answers_found, self.others_taken, self.answers_missed)

    @property
    def other(self) -> ClassScore:
        """The scores of the other sentences."""
        return _score_class(self.others_left, self.answers_missed, self.others_taken)

    @property
    def overall(self) -> ClassScore:
        """The mean of both, weighted by their numbers of sentences, as in table 4."""
        both = (self.answer, self.other)
        count = sum(one.sentences for one in both)
        precision, recall, f1 = (
            sum(getattr(one, name) * one.sentences for one in both) / count if count else 0.0
            for name in ("precision", "recall", "f1")
        )
        return ClassScore(precision, recall, f1, count)


def score_answers(judged: Iterable[Judgement]) -> AnswerScores:
    """Score all sentences together."""
    counts = {(gold, found): 0 for gold in (True, False) for found in (True, False)}
    for one in judged:
        counts[one] += 1
    return AnswerScores(
        counts[True, True], counts[True, False], counts[False, True], counts[False, False]
    )


def _score_class(right: int, wrong: int, missed: int) -> ClassScore:
    precision = right / (right + wrong) if right + wrong else 0.0
    recall = right / (right + missed) if right + missed else 0.0
    f1 = 2 * right / (2 * right + wrong + missed) if right else 0.0
    return ClassScore(precision, recall, f1, right + missed)


FOLDS = 10
SEED = 0

Advance = Callable[[int], None]
Scores = Mapping[str, AnswerScores]
"""By the name of a feature set."""


class Fold(NamedTuple):
    """Numbers of the examples to train on and of those to test on."""

    train: list[int]
    test: list[int]


def split_into_folds(data: Sequence[Example], count: int = FOLDS) -> list[Fold]:
    """Split examples into folds, all of a question in one, stratified by answers and others.

    Raises:
        InputError: if there are fewer questions than folds.
    """
    from sklearn.model_selection import StratifiedGroupKFold

    questions = len({one.question for one in data})
    if questions < count:
        raise InputError(
            f"{format_count(questions, 'question')} with answers; {count} folds need as many"
        )
    # An answer outside of the claim zone stands for a sentence, so that no example has none.
    rows = [
        (number, answer)
        for number, one in enumerate(data)
        for answer in (*one.answers, *([True] if one.outside else []))
    ]
    answers = [answer for _, answer in rows]
    groups = [data[number].question for number, _ in rows]
    splitter = StratifiedGroupKFold(count, shuffle=True, random_state=SEED)
    return [
        Fold(*(sorted({rows[row][0] for row in side}) for side in sides))
        for sides in splitter.split(rows, answers, groups)
    ]


def cross_validate(
    data: Sequence[Example], count: int = FOLDS, advance: Advance = lambda _: None
) -> dict[str, AnswerScores]:
    """Cross-validate each feature set (table 3); every example is tested once.

    Raises:
        InputError: if there are fewer questions than folds.
    """
    judged: dict[str, list[Judgement]] = {name: [] for name in FEATURE_SETS}
    for fold in split_into_folds(data, count):
        training = [data[number] for number in fold.train]
        for name, features in FEATURE_SETS.items():
            tree = train_tree(training, features)
            judged[name] += _judge((data[number] for number in fold.test), tree)
        advance(1)
    return {name: score_answers(found) for name, found in judged.items()}


def cross_validate_both_steps(
    answered: Sequence[AnsweredAbstract],
    labelled: Sequence[Example],
    configuration: Configuration,
    count: int = FOLDS,
    advance: Advance = lambda _: None,
) -> dict[str, AnswerScores]:
    """Cross-validate zoning and detection together, with the abstracts' sections hidden.

    Both models of a fold are trained on the other folds: the zone model on the labels of their
    abstracts, the trees on claim zones by these labels.

    Args:
        labelled: the examples of `answered`, with zones by labels.

    Raises:
        InputError: if there are fewer questions than folds, or a feature's pipeline can't be
            loaded.
    """
    judged: dict[str, list[Judgement]] = {name: [] for name in FEATURE_SETS}
    zone_examples = [
        next(make_zone_examples([one.abstract], configuration), None) for one in answered
    ]
    for fold in split_into_folds(labelled, count):
        to_learn = [one for number in fold.train if (one := zone_examples[number])]
        model = open_model(train(to_learn, configuration), configuration)
        training = [labelled[number] for number in fold.train]
        held_out = [answered[number] for number in fold.test]
        data = list(make_examples(held_out, model, hidden=True))
        for name, features in FEATURE_SETS.items():
            judged[name] += _judge(data, train_tree(training, features))
        advance(1)
    return {name: score_answers(found) for name, found in judged.items()}


def evaluate_transfer(
    training: Sequence[Example], answered: Sequence[AnsweredAbstract], model: ZoneModel
) -> dict[str, AnswerScores]:
    """Evaluate zoning and detection on other abstracts than the detector is trained on (table 4).

    Args:
        training: paper B's corpus-2, with zones by labels.
        answered: its corpus-3, without labels.
        model: a zone model trained on other abstracts than `answered`.

    Raises:
        InputError: if there is nothing to train on.
    """
    data = list(make_examples(answered, model, hidden=True))
    return {
        name: score_detector(data, train_tree(training, features))
        for name, features in FEATURE_SETS.items()
    }


def score_detector(data: Iterable[Example], tree: Node) -> AnswerScores:
    """Score the tree of a detector as it is."""
    return score_answers(_judge(data, tree))


def score_all_conclusions(data: Sequence[Example]) -> AnswerScores:
    """Score the baseline that takes every sentence of the Conclusions for an answer."""
    return score_answers(
        judged
        for one in data
        for judged in (
            *(
                Judgement(answer, claim.values["role-label"] == 1)
                for claim, answer in zip(one.sentences, one.answers, strict=True)
            ),
            *([Judgement(True, False)] if one.outside else []),
        )
    )


def score_last_sentence(data: Sequence[Example]) -> AnswerScores:
    """Score the baseline that takes the last sentence of the claim zone for the answer."""
    return score_answers(
        judged
        for one in data
        for judged in (
            *(
                Judgement(answer, place == len(one.answers) - 1)
                for place, answer in enumerate(one.answers)
            ),
            *([Judgement(True, False)] if one.outside else []),
        )
    )


def _judge(data: Iterable[Example], tree: Node) -> Iterator[Judgement]:
    for one in data:
        for claim, answer in zip(one.sentences, one.answers, strict=True):
            yield Judgement(answer, tree.find_leaf(claim.values).answer)
        if one.outside:
            yield Judgement(True, False)
