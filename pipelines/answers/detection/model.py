"""Detectors of answers: write, load and use them.

A model is a folder: `answers.json` (version of the layout, feature set, tree) and `README.md`, its
card. Each node of the tree has the numbers of training sentences in it that are answers, or not,
and, unless it is a leaf, a feature, a threshold, and the nodes for values not above it and above.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from citespan.pipelines.answers.detection.features import FEATURES, FeatureName
from citespan.pipelines.answers.detection.tree import Node, Split
from citespan.pipelines.model_folder import ModelKind

_DEEPEST = 200


@dataclass(frozen=True, slots=True)
class AnswerModel:
    """A detector of answers: a decision tree over a feature set."""

    feature_set: str
    tree: Node

    def estimate_probability(self, values: Mapping[FeatureName, float]) -> float:
        """Return the probability, from 0 to 1, of a sentence with these values being the answer."""
        return self.tree.find_leaf(values).probability

    @property
    def highest(self) -> float:
        """The highest probability of any leaf."""
        return _find_highest(self.tree)


def _find_highest(node: Node) -> float:
    if node.split is None:
        return node.probability
    return max(_find_highest(node.split.below), _find_highest(node.split.above))


def _read_node(body: Any, depth: int = 0) -> Node:
    if not isinstance(body, dict) or depth > _DEEPEST:
        raise ValueError("a node is not an object, or is too deep")
    answers, others = body["answers"], body["others"]
    if type(answers) is not int or type(others) is not int or min(answers, others) < 0:
        raise ValueError("counts of a node are not whole numbers from 0")
    if "feature" not in body:
        return Node(answers, others)
    feature = next((name for name in FEATURES if name == body["feature"]), None)
    if feature is None:
        raise ValueError(f"unknown feature '{body['feature']}'")
    below, above = (_read_node(body[side], depth + 1) for side in ("below", "above"))
    return Node(answers, others, Split(feature, float(body["threshold"]), below, above))


KIND: Final = ModelKind(
    "detector of answers",
    "citespan answers train answers",
    1,
    "answers.json",
    Path(__file__).parents[1] / "models" / "answers-pubmedqa",
    lambda _, head: AnswerModel(str(head["feature_set"]), _read_node(head["tree"])),
)
load_model: Final = KIND.load
