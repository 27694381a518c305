"""Pruning of decision trees by the errors to be expected of them, as in C4.5.

Of N training sentences that come to a leaf, E are of the class that it is not. The errors to be
expected of it are N times the upper limit of E/N at a confidence: the share of errors at which so
few as E would come about with just that probability. A subtree of which no fewer are to be
expected than of a leaf in its place becomes that leaf.

J. R. Quinlan, "C4.5: Programs for Machine Learning", 1993, chapter 4; J48 adds the tenth of an
error, and replaces the binomial distribution, exact here, by a normal one.
"""

from citespan.pipelines.answers.answer_tree import Node, Split

CONFIDENCE = 0.25
_SLACK = 0.1


def pruned(node: Node, confidence: float = CONFIDENCE) -> Node:
    """The tree, pruned from its leaves upwards.

    Args:
        confidence: above 0, at most 0.5; the smaller, the more is pruned.
    """
    return _pruned(node, confidence)[0]


def _pruned(node: Node, confidence: float) -> tuple[Node, float]:
    """The tree and the errors to be expected of it."""
    leaf = Node(node.answers, node.others)
    of_leaf = expected_errors(
        leaf.answers + leaf.others, min(leaf.answers, leaf.others), confidence
    )
    if node.split is None:
        return leaf, of_leaf
    below, errors_below = _pruned(node.split.below, confidence)
    above, errors_above = _pruned(node.split.above, confidence)
    if of_leaf <= errors_below + errors_above + _SLACK:
        return leaf, of_leaf
    split = Split(node.split.feature, node.split.threshold, below, above)
    return Node(node.answers, node.others, split), errors_below + errors_above


def expected_errors(count: int, errors: int, confidence: float) -> float:
    """`count` times the upper limit of the share of errors (Clopper and Pearson)."""
    from scipy.special import betaincinv

    if errors >= count:
        return float(count)
    return count * float(betaincinv(errors + 1, count - errors, 1 - confidence))
