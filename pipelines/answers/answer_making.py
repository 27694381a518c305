"""A detector of answers from files to folder: trained, measured, written with its card."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from citespan.pipelines.answers import answer_model
from citespan.pipelines.answers.answer_card import card
from citespan.pipelines.answers.answer_evaluation import FOLDS, cross_validation
from citespan.pipelines.answers.answer_examples import examples, trained
from citespan.pipelines.answers.answer_model import AnswerModel
from citespan.pipelines.answers.answered_abstracts import AnsweredAbstract
from citespan.pipelines.answers.feature_sets import feature_set
from citespan.pipelines.errors import InputError


def make_answer_model(
    answered: Sequence[AnsweredAbstract],
    chosen: str,
    to: Path,
    paths: Sequence[str],
    about: str = "",
    advance: Callable[[int], None] = lambda _: None,
) -> dict[str, Any]:
    """Train on the answered abstracts and write the model's folder.

    Args:
        chosen: the name of a feature set.
        paths: what was read, for the card.
        about: what the data is, for the card.
        advance: called with 1 after each training.

    Returns:
        What the card says.

    Raises:
        UnknownNameError: if there is no such feature set.
        InputError: if there is nothing to train on or the folder can't be written.
    """
    features = feature_set(chosen)
    if not answered:
        raise InputError("no abstract with a question and its answer to train on")
    data = list(examples(answered))
    tree = trained(data, features)
    advance(1)
    made: dict[str, Any] = {
        "out": str(to),
        "feature_set": chosen,
        "abstracts": len(data),
        "questions": len({one.question for one in data}),
        "answers": sum(map(any, (one.answers for one in data))),
        "others": sum(len(one.answers) - any(one.answers) for one in data),
        "outside": sum(one.outside for one in data),
        "leaves": tree.leaves,
    }
    if made["questions"] >= FOLDS:
        scores = cross_validation(data, FOLDS, advance)[chosen]
        made["figures"] = {
            "precision": scores.answer.precision,
            "recall": scores.answer.recall,
            "f1": scores.answer.f1,
        }
    answer_model.write(to, AnswerModel(chosen, tree), card(made, features, paths, about))
    return made
