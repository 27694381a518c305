"""Train detectors of answers, and evaluate them (paper B, section 4, tables 3 and 4).

Counted are the sentences of the claim zone, and answers that zoning has put outside it, which are
missed. Other sentences outside the claim zone are not candidates and do not count.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property, partial
from typing import Any, NamedTuple

from citespan.pipelines.answers.detection.features import FEATURE_SETS, get_feature_set
from citespan.pipelines.answers.detection.model import KIND, AnswerModel, Node
from citespan.pipelines.answers.zones.configuration import Configuration
from citespan.pipelines.answers.zones.model import ZoneModel, open_model
from citespan.pipelines.counts import format_count
from citespan.pipelines.errors import InputError
from citespan.pipelines.training.answer_examples import AnsweredAbstract, Example, make_examples
from citespan.pipelines.training.answer_trees import train_tree
from citespan.pipelines.training.family import Advance, Files, Fold, ignore, judge_out_of_fold
from citespan.pipelines.training.zones import ClassScore, make_zone_examples, train_crf


class Judgement(NamedTuple):
    """A sentence: whether it is an answer, and whether the detector found it to be one."""

    gold: bool
    found: bool


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
        return ClassScore.of(self.answers_found, self.others_taken, self.answers_missed)

    @property
    def other(self) -> ClassScore:
        """The scores of the other sentences."""
        return ClassScore.of(self.others_left, self.answers_missed, self.others_taken)

    @property
    def overall(self) -> ClassScore:
        """The mean of both, weighted by their numbers of sentences, as in table 4."""
        both = (self.answer, self.other)
        count = sum(scores.sentences for scores in both)
        precision, recall, f1 = (
            sum(getattr(scores, name) * scores.sentences for scores in both) / count
            if count
            else 0.0
            for name in ("precision", "recall", "f1")
        )
        return ClassScore(precision, recall, f1, count)

    def to_json(self) -> dict[str, Any]:
        """Return the matrix and the scores by name."""
        scores = {"answer": self.answer, "other": self.other, "overall": self.overall}
        return asdict(self) | {name: asdict(score) for name, score in scores.items()}


def score_answers(judged: Iterable[Judgement]) -> AnswerScores:
    """Score all sentences together."""
    counts = Counter(judged)
    outcomes = ((True, True), (True, False), (False, True), (False, False))
    return AnswerScores(*(counts[Judgement(*outcome)] for outcome in outcomes))


FOLDS = 10
SEED = 0

_Trees = Mapping[str, Node]
_Judged = Mapping[str, list[Judgement]]
"""Both by the name of a feature set."""


def split_into_folds(data: Sequence[Example], count: int = FOLDS) -> list[Fold]:
    """Split examples into folds, all of a question in one, stratified by answers and others.

    Raises:
        InputError: if there are fewer questions than folds.
    """
    from sklearn.model_selection import StratifiedGroupKFold

    questions = len({example.question for example in data})
    if questions < count:
        raise InputError(
            f"{format_count(questions, 'question')} with answers; {count} folds need as many"
        )
    # An answer outside of the claim zone stands for a sentence, so that no example has none.
    rows = [
        (number, answer)
        for number, example in enumerate(data)
        for answer in (*example.answers, *([True] if example.outside else []))
    ]
    answers = [answer for _, answer in rows]
    groups = [data[number].question for number, _ in rows]
    splitter = StratifiedGroupKFold(count, shuffle=True, random_state=SEED)
    return [
        Fold(number, *(sorted({rows[row][0] for row in side}) for side in sides))
        for number, sides in enumerate(splitter.split(rows, answers, groups))
    ]


def cross_validate(
    data: Sequence[Example], count: int = FOLDS, advance: Advance = ignore
) -> dict[str, AnswerScores]:
    """Cross-validate each feature set (table 3); every example is tested once.

    Raises:
        InputError: if there are fewer questions than folds.
    """

    def judge(trees: _Trees, fold: Fold) -> list[_Judged]:
        return [_judge_by_each(data[place], trees) for place in fold.test]

    folds = split_into_folds(data, count)
    return _score_each(judge_out_of_fold(folds, partial(_train_trees, data), judge, advance))


def cross_validate_both_steps(
    answered: Sequence[AnsweredAbstract],
    labelled: Sequence[Example],
    configuration: Configuration,
    count: int = FOLDS,
    advance: Advance = ignore,
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
    zone_examples = [
        next(make_zone_examples([case.abstract], configuration), None) for case in answered
    ]

    def fit(places: list[int]) -> tuple[ZoneModel, _Trees]:
        to_learn = [example for place in places if (example := zone_examples[place])]
        zones = open_model(train_crf(to_learn, configuration), configuration)
        return zones, _train_trees(labelled, places)

    def judge(models: tuple[ZoneModel, _Trees], fold: Fold) -> list[_Judged]:
        zones, trees = models
        held_out = [answered[place] for place in fold.test]
        found = make_examples(held_out, zones, hidden=True)
        return [_judge_by_each(example, trees) for example in found]

    folds = split_into_folds(labelled, count)
    return _score_each(judge_out_of_fold(folds, fit, judge, advance))


def _train_trees(data: Sequence[Example], places: Iterable[int]) -> _Trees:
    training = [data[place] for place in places]
    return {name: train_tree(training, features) for name, features in FEATURE_SETS.items()}


def _judge_by_each(example: Example, trees: _Trees) -> _Judged:
    return {name: list(_judge([example], tree)) for name, tree in trees.items()}


def _score_each(judged: Sequence[_Judged]) -> dict[str, AnswerScores]:
    return {
        name: score_answers(judgement for example in judged for judgement in example[name])
        for name in FEATURE_SETS
    }


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


def score_all_conclusions(data: Iterable[Example]) -> AnswerScores:
    """Score the baseline that takes every sentence of the Conclusions for an answer."""
    return score_answers(
        _compare(
            data, lambda example: [claim.values["role-label"] == 1 for claim in example.sentences]
        )
    )


def score_last_sentence(data: Iterable[Example]) -> AnswerScores:
    """Score the baseline that takes the last sentence of the claim zone for the answer."""
    return score_answers(
        _compare(
            data, lambda example: [claim is example.sentences[-1] for claim in example.sentences]
        )
    )


def _judge(data: Iterable[Example], tree: Node) -> Iterator[Judgement]:
    return _compare(
        data, lambda example: [tree.find_leaf(claim.values).answer for claim in example.sentences]
    )


def _compare(
    data: Iterable[Example], find: Callable[[Example], Iterable[bool]]
) -> Iterator[Judgement]:
    """Yield the judgements of sentences that a function says to be answers or not."""
    for example in data:
        yield from map(Judgement, example.answers, find(example))
        if example.outside:
            yield Judgement(True, False)


@dataclass(frozen=True, eq=False)
class AnswerFamily:
    """A `Family`: detectors trained on answered abstracts.

    Attributes:
        feature_set: its name.
        advance: called with 1 after each training.
    """

    answered: Sequence[AnsweredAbstract]
    feature_set: str
    advance: Advance = ignore
    kind = KIND

    @cached_property
    def examples(self) -> list[Example]:
        """An example of each abstract, with zones by labels.

        Raises:
            InputError: if there is none.
        """
        if not self.answered:
            raise InputError("no abstract with a question and its answer to train on")
        return list(make_examples(self.answered))

    @cached_property
    def figures(self) -> dict[str, float] | None:
        """See `Family`; also the F1 of two baselines without a model."""
        if len({example.question for example in self.examples}) < FOLDS:
            return None
        answer = cross_validate(self.examples, FOLDS, self.advance)[self.feature_set].answer
        return {
            "precision": answer.precision,
            "recall": answer.recall,
            "f1": answer.f1,
            "f1_all_conclusions": score_all_conclusions(self.examples).answer.f1,
            "f1_last_sentence": score_last_sentence(self.examples).answer.f1,
        }

    def fit(self) -> AnswerModel:
        tree = train_tree(self.examples, get_feature_set(self.feature_set))
        self.advance(1)
        return AnswerModel(self.feature_set, tree)

    def dump(self, model: AnswerModel) -> Files:
        return {"feature_set": model.feature_set, "tree": model.tree.to_json()}, {}

    def describe(self, model: AnswerModel) -> dict[str, Any]:
        answers = [example.answers for example in self.examples]
        report: dict[str, Any] = {
            "feature_set": self.feature_set,
            "abstracts": len(self.examples),
            "questions": len({example.question for example in self.examples}),
            "answers": sum(map(any, answers)),
            "others": sum(len(answer) - any(answer) for answer in answers),
            "outside": sum(example.outside for example in self.examples),
            "leaves": model.tree.leaves,
        }
        if self.figures:
            report["figures"] = self.figures
        features = get_feature_set(self.feature_set)
        return {"features": features, "report": report}
