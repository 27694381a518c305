"""A trained detector of answers: one JSON file with its tree, which people can read as rules.

A model is a folder: `answers.json` (version of the layout, features, tree) and `README.md`, its
card. A node of the tree has the counts of answers and others that came to it in training and, if
it is no leaf, a feature, a threshold, and the nodes for values not above it and above it.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, Final

from citespan.pipelines.answers.answer_tree import Node, Split
from citespan.pipelines.answers.claim_sentences import FEATURES, FeatureName
from citespan.pipelines.answers.model_folder import ModelKind
from citespan.pipelines.errors import InputError

KIND: Final = ModelKind("detector of answers", "citespan answers train answers", version=1)
FILE: Final = "answers.json"
SHIPPED: Final = Path(__file__).parent / "models" / "answers-pubmedqa"
_DEEPEST = 200


@dataclass(frozen=True, slots=True)
class AnswerModel:
    """A detector ready to use."""

    feature_set: str
    tree: Node

    def probability(self, values: Mapping[FeatureName, float]) -> float:
        """That a sentence with these values is the answer, from 0 to 1."""
        return self.tree.leaf(values).probability

    @property
    def highest(self) -> float:
        """The highest probability that any sentence can have."""
        return _highest(self.tree)


def _highest(node: Node) -> float:
    if node.split is None:
        return node.probability
    return max(_highest(node.split.below), _highest(node.split.above))


def write(folder: Path, model: AnswerModel, card: str) -> None:
    """Write a model's two files.

    Raises:
        InputError: if they can't be written.
    """
    KIND.write(folder, FILE, {"feature_set": model.feature_set, "tree": _to_json(model.tree)}, card)


@lru_cache(maxsize=4)
def load(folder: Path = SHIPPED) -> AnswerModel:
    """The model in a folder; the shipped one if none is named.

    Raises:
        InputError: if there is none, if it was made by another version, or if it isn't sound.
    """
    body = KIND.head(folder, FILE)
    try:
        return AnswerModel(str(body["feature_set"]), _from_json(body["tree"]))
    except (KeyError, TypeError, ValueError) as error:
        raise InputError(
            f"{folder / FILE}: not a sound tree ({error}); train the model again"
        ) from error


def _to_json(node: Node) -> dict[str, Any]:
    body: dict[str, Any] = {"answers": node.answers, "others": node.others}
    if node.split is not None:
        body |= {
            "feature": node.split.feature,
            "threshold": node.split.threshold,
            "below": _to_json(node.split.below),
            "above": _to_json(node.split.above),
        }
    return body


def _from_json(body: Any, depth: int = 0) -> Node:
    if not isinstance(body, dict) or depth > _DEEPEST:
        raise ValueError("a node is no object, or too deep")
    answers, others = body["answers"], body["others"]
    if type(answers) is not int or type(others) is not int or min(answers, others) < 0:
        raise ValueError("counts of a node are no whole numbers from 0")
    if "feature" not in body:
        return Node(answers, others)
    feature = next((name for name in FEATURES if name == body["feature"]), None)
    if feature is None:
        raise ValueError(f"unknown feature '{body['feature']}'")
    below, above = (_from_json(body[side], depth + 1) for side in ("below", "above"))
    return Node(answers, others, Split(feature, float(body["threshold"]), below, above))
