"""A decision tree that says how probably a sentence answers a question (paper B, section 3.2).

The paper's is Weka's J48 (C4.5) with its default settings. This one is grown by scikit-learn and
then pruned as C4.5 prunes: `error_based_pruning`. What still differs from J48:

- splits are chosen by information gain; J48 takes the gain ratio among those of at least average
  gain, and charges a split on a number for the choice of its threshold;
- role-label, of two values, is a number here, which makes the same splits;
- subtrees are replaced by leaves and never raised into their parent's place.

Kept are J48's least size of a leaf, 2, its confidence, 0.25, and the classes as they are: the
paper neither weighs nor resamples them.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from citespan.pipelines.answers.claim_sentences import FeatureName
from citespan.pipelines.errors import InputError

SMALLEST_LEAF = 2


@dataclass(frozen=True, slots=True)
class Split:
    """A question that a node asks of a sentence: is the feature's value above the threshold?"""

    feature: FeatureName
    threshold: float
    below: "Node"
    above: "Node"


@dataclass(frozen=True, slots=True)
class Node:
    """A node of a tree; a leaf if it has no split.

    Attributes:
        answers, others: how many sentences of the training data came here.
    """

    answers: int
    others: int
    split: Split | None = None

    def leaf(self, values: Mapping[FeatureName, float]) -> "Node":
        """Where a sentence with these values ends."""
        node = self
        while node.split is not None:
            above = values[node.split.feature] > node.split.threshold
            node = node.split.above if above else node.split.below
        return node

    @property
    def answer(self) -> bool:
        """Whether most sentences here were answers."""
        return self.answers > self.others

    @property
    def probability(self) -> float:
        """Of an answer, with Laplace's correction, since leaves can be small."""
        return (self.answers + 1) / (self.answers + self.others + 2)

    @property
    def leaves(self) -> int:
        """How many there are from here on."""
        return self.split.below.leaves + self.split.above.leaves if self.split else 1


def grown(
    values: Sequence[Mapping[FeatureName, float]],
    answers: Sequence[bool],
    features: Sequence[FeatureName],
) -> Node:
    """A tree that has not been pruned.

    Args:
        values: of each sentence, at least those of `features`.
        answers: for each sentence whether it is one.

    Raises:
        InputError: if there are not both answers and others.
    """
    from sklearn.tree import DecisionTreeClassifier

    if len(set(answers)) < 2:
        raise InputError("sentences that are answers and sentences that are not are both needed")
    columns = [[one[feature] for feature in features] for one in values]
    # The seed decides between splits that are equally good.
    classifier = DecisionTreeClassifier(
        criterion="entropy", min_samples_leaf=SMALLEST_LEAF, random_state=0
    )
    return _from_arrays(classifier.fit(columns, answers).tree_, features, 0)


def _from_arrays(tree: Any, features: Sequence[FeatureName], at: int) -> Node:
    count = int(tree.n_node_samples[at])
    # Shares of the classes False and True in scikit-learn 1.3 and later.
    answers = round(float(tree.value[at][0][1]) * count)
    below, above = int(tree.children_left[at]), int(tree.children_right[at])
    if below < 0:
        return Node(answers, count - answers)
    split = Split(
        features[tree.feature[at]],
        float(tree.threshold[at]),
        _from_arrays(tree, features, below),
        _from_arrays(tree, features, above),
    )
    return Node(answers, count - answers, split)
