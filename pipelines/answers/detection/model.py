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
from citespan.pipelines.model_folder import ModelKind

_DEEPEST = 200


@dataclass(frozen=True, slots=True)
class Split:
    """A node's test: is the sentence's value of the feature above the threshold?"""

    feature: FeatureName
    threshold: float
    below: "Node"
    above: "Node"


@dataclass(frozen=True, slots=True)
class Node:
    """A node of a tree; a leaf if it has no split.

    Attributes:
        answers, others: numbers of training sentences in the node that are answers, or not.
    """

    answers: int
    others: int
    split: Split | None = None

    def find_leaf(self, values: Mapping[FeatureName, float]) -> "Node":
        """Return the leaf of a sentence with these values."""
        node = self
        while node.split is not None:
            above = values[node.split.feature] > node.split.threshold
            node = node.split.above if above else node.split.below
        return node

    @property
    def answer(self) -> bool:
        """Whether most training sentences in the node are answers."""
        return self.answers > self.others

    @property
    def probability(self) -> float:
        """The probability of an answer, with Laplace's correction, since leaves can be small."""
        return (self.answers + 1) / (self.answers + self.others + 2)

    @property
    def leaves(self) -> int:
        """The number of leaves of the subtree."""
        return self.split.below.leaves + self.split.above.leaves if self.split else 1

    @property
    def highest(self) -> float:
        """The highest probability of any leaf."""
        if self.split is None:
            return self.probability
        return max(self.split.below.highest, self.split.above.highest)

    def to_json(self) -> dict[str, Any]:
        """Return what `answers.json` has of the node and those below it."""
        counts = {"answers": self.answers, "others": self.others}
        if self.split is None:
            return counts
        below, above = self.split.below.to_json(), self.split.above.to_json()
        test = {"feature": self.split.feature, "threshold": self.split.threshold}
        return {**counts, **test, "below": below, "above": above}


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
        return self.tree.highest


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
