"""Answer detection measured (paper B, section 4, tables 3 and 4).

Sentences of the claim zone count, and answers that zoning has put outside of it, which nothing
can find then; other sentences outside of it don't count, as they are no candidates.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple

from citespan.pipelines.answers.answer_examples import Example, examples, trained
from citespan.pipelines.answers.answer_scores import AnswerScores, Judged, answer_scores
from citespan.pipelines.answers.answer_tree import Node
from citespan.pipelines.answers.answered_abstracts import AnsweredAbstract
from citespan.pipelines.answers.feature_sets import FEATURE_SETS
from citespan.pipelines.answers.zone_configuration import Configuration
from citespan.pipelines.answers.zone_model import ZoneModel, opened
from citespan.pipelines.answers.zone_training import examples as zone_examples
from citespan.pipelines.answers.zone_training import train
from citespan.pipelines.errors import InputError

FOLDS = 10
SEED = 0

Advance = Callable[[int], None]
Scores = Mapping[str, AnswerScores]
"""By the name of a feature set."""


class Fold(NamedTuple):
    """Numbers of the examples to learn from and of those to be judged."""

    learnt: list[int]
    judged: list[int]


def folds(data: Sequence[Example], count: int = FOLDS) -> list[Fold]:
    """Stratified by answers and others, with all examples of a question in one fold.

    Raises:
        InputError: if there are fewer questions than folds.
    """
    from sklearn.model_selection import StratifiedGroupKFold

    questions = len({one.question for one in data})
    if questions < count:
        raise InputError(f"{questions} questions with answers; {count} folds need as many")
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


def cross_validation(
    data: Sequence[Example], count: int = FOLDS, advance: Advance = lambda _: None
) -> dict[str, AnswerScores]:
    """Each feature set by cross-validation (table 3); every example is judged once.

    Raises:
        InputError: if there are fewer questions than folds.
    """
    judged: dict[str, list[Judged]] = {name: [] for name in FEATURE_SETS}
    for fold in folds(data, count):
        learnt = [data[number] for number in fold.learnt]
        for name, features in FEATURE_SETS.items():
            tree = trained(learnt, features)
            judged[name] += _judged((data[number] for number in fold.judged), tree)
        advance(1)
    return {name: answer_scores(found) for name, found in judged.items()}


def both_steps(
    answered: Sequence[AnsweredAbstract],
    labelled: Sequence[Example],
    configuration: Configuration,
    count: int = FOLDS,
    advance: Advance = lambda _: None,
) -> dict[str, AnswerScores]:
    """Zoning, then detection, on structured abstracts with their sections hidden.

    Both models of a fold are trained on the other folds: the zone model on the labels of their
    abstracts, the trees on claim zones by these labels.

    Args:
        labelled: the examples of `answered` by labels.

    Raises:
        InputError: if there are fewer questions than folds, or a feature's pipeline is missing.
    """
    judged: dict[str, list[Judged]] = {name: [] for name in FEATURE_SETS}
    prepared = [next(zone_examples([one.abstract], configuration), None) for one in answered]
    for fold in folds(labelled, count):
        to_learn = [one for number in fold.learnt if (one := prepared[number])]
        model = opened(train(to_learn, configuration), configuration)
        learnt = [labelled[number] for number in fold.learnt]
        held_out = [answered[number] for number in fold.judged]
        data = list(examples(held_out, model, hidden=True))
        for name, features in FEATURE_SETS.items():
            judged[name] += _judged(data, trained(learnt, features))
        advance(1)
    return {name: answer_scores(found) for name, found in judged.items()}


def transferred(
    learnt: Sequence[Example], answered: Sequence[AnsweredAbstract], model: ZoneModel
) -> dict[str, AnswerScores]:
    """Both steps on other abstracts than those learnt from (table 4).

    Args:
        learnt: paper B's corpus-2, by labels.
        answered: its corpus-3, which has none.
        model: trained on none of these.

    Raises:
        InputError: if there is nothing to learn from.
    """
    data = list(examples(answered, model, hidden=True))
    return {
        name: answer_scores(_judged(data, trained(learnt, features)))
        for name, features in FEATURE_SETS.items()
    }


def conclusions_taken(data: Sequence[Example]) -> AnswerScores:
    """The yardstick: every sentence of the Conclusions is taken for an answer."""
    return answer_scores(
        judged
        for one in data
        for judged in (
            *(
                Judged(answer, claim.values["role-label"] == 1)
                for claim, answer in zip(one.sentences, one.answers, strict=True)
            ),
            *([Judged(True, False)] if one.outside else []),
        )
    )


def _judged(data: Iterator[Example] | Sequence[Example], tree: Node) -> Iterator[Judged]:
    for one in data:
        for claim, answer in zip(one.sentences, one.answers, strict=True):
            yield Judged(answer, tree.leaf(claim.values).answer)
        if one.outside:
            yield Judged(True, False)
