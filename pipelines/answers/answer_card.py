"""The card of a detector of answers, in Markdown."""

from collections.abc import Mapping, Sequence
from typing import Any


def card(made: Mapping[str, Any], features: Sequence[str], paths: Sequence[str], about: str) -> str:
    """What `answer_making.make_answer_model` has counted and measured, to be read by people."""
    rows = [
        ("Task", "whether a sentence of the Results or Conclusions answers the question"),
        ("Method", "decision tree (entropy), pruned by C4.5's expected errors at confidence 0.25"),
        ("Feature set", f"`{made['feature_set']}`: {', '.join(features)}"),
        ("Data", about or "not described"),
        (
            "Trained on",
            f"{made['abstracts']:,} abstracts to {made['questions']:,} questions: "
            f"{made['answers']:,} answers, {made['others']:,} other sentences of the claim zone, "
            "classes as they are",
        ),
        ("Left out", f"{made['outside']:,} answers outside of the claim zone"),
        ("File", f"`answers.json`, a tree of {made['leaves']:,} leaves"),
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
    ]
    return "\n".join(lines) + "\n"
