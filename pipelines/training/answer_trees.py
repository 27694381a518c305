"""Grow and prune the decision trees that detect answers.

Paper B (section 3.2) uses Weka's J48, an implementation of C4.5, with its default settings. Here
scikit-learn grows the tree, and `prune` prunes it by expected errors as C4.5 does. It differs from
J48 in that

- splits are chosen by information gain; J48 takes the gain ratio among those of at least average
  gain, and charges a split on a number for the choice of its threshold;
- role-label, of two values, is a number here, which makes the same splits;
- subtrees are replaced by leaves and never raised into their parent's place.

The smallest leaf, 2, and the confidence, 0.25, are J48's; as in the paper, classes are neither
weighted nor resampled.

Pruning: of N training sentences in a leaf, E are not of its class. Its expected errors are N times
the upper confidence limit of E/N: the share of errors at which E or fewer would occur with a
probability equal to the confidence. A subtree that has no fewer expected errors than a leaf in its
place becomes that leaf (J. R. Quinlan, "C4.5: Programs for Machine Learning", 1993, chapter 4). The
tolerance of a tenth of an error is J48's, which also approximates the binomial distribution, exact
here, by a normal one.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from citespan.pipelines.answers.detection.features import FeatureName
from citespan.pipelines.answers.detection.model import Node, Split
from citespan.pipelines.errors import InputError
from citespan.pipelines.training.answer_examples import Example

SMALLEST_LEAF = 2


def train_tree(data: Sequence[Example], features: Sequence[FeatureName]) -> Node:
    """Grow and prune a tree.

    Raises:
        InputError: if there are no answers, or nothing but answers.
    """
    values = [claim.values for example in data for claim in example.sentences]
    answers = [answer for example in data for answer in example.answers]
    return prune(grow(values, answers, features))


def grow(
    values: Sequence[Mapping[FeatureName, float]],
    answers: Sequence[bool],
    features: Sequence[FeatureName],
) -> Node:
    """Grow a tree without pruning it.

    Args:
        values: for each sentence its features, at least those of `features`.
        answers: for each sentence whether it is an answer.

    Raises:
        InputError: if there are no answers, or nothing but answers.
    """
    from sklearn.tree import DecisionTreeClassifier

    if len(set(answers)) < 2:
        raise InputError("sentences that are answers and sentences that are not are both needed")
    columns = [[value[feature] for feature in features] for value in values]
    # The seed decides between equally good splits.
    classifier = DecisionTreeClassifier(
        criterion="entropy", min_samples_leaf=SMALLEST_LEAF, random_state=0
    )
    return _convert_arrays(classifier.fit(columns, answers).tree_, features, 0)


def _convert_arrays(tree: Any, features: Sequence[FeatureName], at: int) -> Node:
    count = int(tree.n_node_samples[at])
    # The shares of False and True, in scikit-learn 1.3 and later.
    answers = round(float(tree.value[at][0][1]) * count)
    below, above = int(tree.children_left[at]), int(tree.children_right[at])
    if below < 0:
        return Node(answers, count - answers)
    split = Split(
        features[tree.feature[at]],
        float(tree.threshold[at]),
        _convert_arrays(tree, features, below),
        _convert_arrays(tree, features, above),
    )
    return Node(answers, count - answers, split)


CONFIDENCE = 0.25
_TOLERANCE = 0.1


def prune(node: Node, confidence: float = CONFIDENCE) -> Node:
    """Prune a tree from its leaves upwards.

    Args:
        confidence: above 0, at most 0.5; the smaller, the more is pruned.
    """
    return _prune(node, confidence)[0]


def _prune(node: Node, confidence: float) -> tuple[Node, float]:
    """Return the pruned tree and its expected errors."""
    leaf = Node(node.answers, node.others)
    leaf_errors = estimate_errors(
        leaf.answers + leaf.others, min(leaf.answers, leaf.others), confidence
    )
    if node.split is None:
        return leaf, leaf_errors
    below, errors_below = _prune(node.split.below, confidence)
    above, errors_above = _prune(node.split.above, confidence)
    if leaf_errors <= errors_below + errors_above + _TOLERANCE:
        return leaf, leaf_errors
    split = Split(node.split.feature, node.split.threshold, below, above)
    return Node(node.answers, node.others, split), errors_below + errors_above


def estimate_errors(count: int, errors: int, confidence: float) -> float:
    """Return `count` times the upper limit of the share of errors (Clopper and Pearson)."""
    from scipy.special import betaincinv

    if errors >= count:
        return float(count)
    return count * float(betaincinv(errors + 1, count - errors, 1 - confidence))
