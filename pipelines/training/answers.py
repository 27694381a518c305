"""Train a detector of answers, measure it, and write its folder with a card in Markdown."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from citespan.pipelines.answers.detection import model as answer_model
from citespan.pipelines.answers.detection.features import get_feature_set
from citespan.pipelines.answers.detection.model import AnswerModel
from citespan.pipelines.counts import format_count
from citespan.pipelines.errors import InputError
from citespan.pipelines.training.answer_examples import (
    AnsweredAbstract,
    make_examples,
    train_tree,
)
from citespan.pipelines.training.answer_figures import (
    FOLDS,
    cross_validate,
    score_all_conclusions,
    score_last_sentence,
)


def train_and_write(
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
        paths: the files that were read, for the card.
        about: a description of the data, for the card.
        advance: called with 1 after each training.

    Returns:
        What the card contains: counts of what it was trained on, and the figures of the
        cross-validation.

    Raises:
        UnknownNameError: if there is no such feature set.
        InputError: if there is nothing to train on or the folder can't be written.
    """
    features = get_feature_set(chosen)
    if not answered:
        raise InputError("no abstract with a question and its answer to train on")
    data = list(make_examples(answered))
    tree = train_tree(data, features)
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
        scores = cross_validate(data, FOLDS, advance)[chosen]
        made["figures"] = {
            "precision": scores.answer.precision,
            "recall": scores.answer.recall,
            "f1": scores.answer.f1,
            "f1_all_conclusions": score_all_conclusions(data).answer.f1,
            "f1_last_sentence": score_last_sentence(data).answer.f1,
        }
    answer_model.write_model(
        to, AnswerModel(chosen, tree), format_card(made, features, paths, about)
    )
    return made


def format_card(
    made: Mapping[str, Any], features: Sequence[str], paths: Sequence[str], about: str
) -> str:
    """Format what `train_and_write` has counted and measured."""
    rows = [
        ("Task", "whether a sentence of the Results or Conclusions answers the question"),
        ("Method", "decision tree (entropy), pruned by C4.5's expected errors at confidence 0.25"),
        ("Feature set", f"`{made['feature_set']}`: {', '.join(features)}"),
        ("Data", about or "not described"),
        (
            "Trained on",
            f"{format_count(made['abstracts'], 'abstract')} to "
            f"{format_count(made['questions'], 'question')}: "
            f"{format_count(made['answers'], 'answer')}, "
            f"{format_count(made['others'], 'other sentence')} of the claim zone, "
            "classes as they are",
        ),
        ("Left out", f"{format_count(made['outside'], 'answer')} outside of the claim zone"),
        ("File", f"`answers.json`, a tree of {format_count(made['leaves'], 'leaf', 'leaves')}"),
    ]
    lines = ["# Detector of answers", "", "| | |", "| --- | --- |"]
    lines += [f"| {name} | {value} |" for name, value in rows]
    command = (
        f"citespan answers train answers {' '.join(paths)} "
        f"--feature-set {made['feature_set']} --out …"
    )
    lines += ["", "The same abstracts give the same file:", "", f"    {command}", "", "## Figures"]
    figures = made.get("figures")
    if figures is None:
        return "\n".join([*lines, "", "Not measured: too few questions."]) + "\n"
    lines += [
        "",
        "Ten-fold cross-validation over these abstracts, all of a question in one fold, zones by",
        f"the labels of sections. Answers: precision {figures['precision']:.3f}, recall "
        f"{figures['recall']:.3f}, F1 {figures['f1']:.3f}.",
        "",
        "Without a model, on the same abstracts: all of the Conclusions have F1 "
        f"{figures['f1_all_conclusions']:.3f}, the last",
        f"sentence {figures['f1_last_sentence']:.3f}. Where answers are the first sentence of the "
        "Conclusions by definition, taking that",
        "one would always be right, so these figures do not say how well answers are found.",
    ]
    return "\n".join(lines) + "\n"
