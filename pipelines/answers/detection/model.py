"""Detectors of answers: write, load and use them.

A model is a folder: `answers.json` (version of the layout, feature set, tree) and `README.md`, its
card. Each node of the tree has the numbers of training sentences in it that are answers, or not,
and, unless it is a leaf, a feature, a threshold, and the nodes for values not above it and above.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, Final

from citespan.pipelines.answers.detection.features import FEATURES, FeatureName
from citespan.pipelines.answers.detection.tree import Node, Split
from citespan.pipelines.errors import InputError
from citespan.pipelines.model_folder import ModelKind

KIND: Final = ModelKind("detector of answers", "citespan answers train answers", version=1)
FILE: Final = "answers.json"
SHIPPED: Final = Path(__file__).parents[1] / "models" / "answers-pubmedqa"
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


def write_model(folder: Path, model: AnswerModel, card: str) -> None:
    """Write a model's two files.

    Raises:
        InputError: if they can't be written.
    """
    KIND.write(
        folder, FILE, {"feature_set": model.feature_set, "tree": _node_to_json(model.tree)}, card
    )


@lru_cache(maxsize=4)
def load_model(folder: Path = SHIPPED) -> AnswerModel:
    """Load the model in a folder, by default the shipped one.

    Raises:
        InputError: if it can't be read, was written by another version, or is not sound.
    """
    body = KIND.read_head(folder, FILE)
    try:
        return AnswerModel(str(body["feature_set"]), _read_node(body["tree"]))
    except (KeyError, TypeError, ValueError) as error:
        raise InputError(
            f"{folder / FILE}: not a sound tree ({error}); train the model again"
        ) from error


def _node_to_json(node: Node) -> dict[str, Any]:
    body: dict[str, Any] = {"answers": node.answers, "others": node.others}
    if node.split is not None:
        body |= {
            "feature": node.split.feature,
            "threshold": node.split.threshold,
            "below": _node_to_json(node.split.below),
            "above": _node_to_json(node.split.above),
        }
    return body


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
