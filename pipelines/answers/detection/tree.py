"""A decision tree that estimates the probability of a sentence answering a question."""

from collections.abc import Mapping
from dataclasses import dataclass

from citespan.pipelines.answers.detection.features import FeatureName


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
