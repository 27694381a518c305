"""Decision trees of answer detection, and how they are pruned."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binom

from citespan.pipelines.answers.detection.model import Node, Split
from citespan.pipelines.errors import InputError
from citespan.pipelines.training.answer_trees import SMALLEST_LEAF, estimate_errors, grow, prune

FEATURES = ("sq-sim", "role-label")


def nodes(tree: Node) -> list[Node]:
    below = [*nodes(tree.split.below), *nodes(tree.split.above)] if tree.split else []
    return [tree, *below]


sentences = st.lists(
    st.tuples(st.integers(0, 50), st.integers(0, 1), st.booleans()), min_size=4, max_size=60
).filter(lambda rows: len({answer for *_, answer in rows}) == 2)


def tree_of(rows: list[tuple[int, int, bool]]) -> Node:
    values = [{"sq-sim": float(s), "role-label": float(r)} for s, r, _ in rows]
    return grow(values, [answer for *_, answer in rows], FEATURES)


@given(sentences)
def test_the_sentences_of_a_node_are_those_of_the_nodes_below(
    rows: list[tuple[int, int, bool]],
) -> None:
    tree = tree_of(rows)
    assert (tree.answers, tree.others) == (
        sum(answer for *_, answer in rows),
        sum(not answer for *_, answer in rows),
    )
    for node in nodes(tree):
        assert node.answers + node.others >= SMALLEST_LEAF
        if node.split:
            assert node.answers == node.split.below.answers + node.split.above.answers
            assert node.others == node.split.below.others + node.split.above.others


@given(sentences)
def test_every_training_sentence_ends_in_the_leaf_that_counts_it(
    rows: list[tuple[int, int, bool]],
) -> None:
    tree = tree_of(rows)
    ends = [tree.find_leaf({"sq-sim": float(s), "role-label": float(r)}) for s, r, _ in rows]
    for leaf in {id(leaf): leaf for leaf in ends}.values():
        answers = [row[2] for row, end in zip(rows, ends, strict=True) if end is leaf]
        assert (leaf.answers, leaf.others) == (sum(answers), len(answers) - sum(answers))


@given(sentences)
def test_pruning_only_takes_away(rows: list[tuple[int, int, bool]]) -> None:
    tree = tree_of(rows)
    less = prune(tree)
    assert less.leaves <= tree.leaves
    assert (less.answers, less.others) == (tree.answers, tree.others)
    assert prune(less) == less
    assert prune(tree, 0.001).leaves <= less.leaves


@given(st.integers(1, 200), st.data(), st.sampled_from([0.01, 0.25, 0.5]))
def test_so_few_errors_are_as_likely_as_the_confidence(
    count: int, data: st.DataObject, confidence: float
) -> None:
    errors = data.draw(st.integers(0, count - 1))
    share = estimate_errors(count, errors, confidence) / count
    assert binom.cdf(errors, count, share) == pytest.approx(confidence)


@pytest.mark.parametrize("count", [1, 6, 9, 100])
def test_expected_errors_of_a_leaf_without_errors(count: int) -> None:
    """No error of N has the probability of the confidence at a share of 1 - confidence^(1/N)."""
    assert estimate_errors(count, 0, 0.25) == pytest.approx(count * (1 - 0.25 ** (1 / count)))
    assert estimate_errors(count, count, 0.25) == count


def test_a_subtree_that_says_nothing_new_becomes_a_leaf() -> None:
    same = Split(
        "sq-sim", 20.5, Node(0, 6), Node(0, 10, Split("Z-score", 1, Node(0, 9), Node(0, 1)))
    )
    assert prune(Node(0, 16, same)) == Node(0, 16)
    useful = Node(20, 30, Split("role-label", 0.5, Node(0, 30), Node(20, 0)))
    assert prune(useful) == useful


def test_probability_and_class_of_a_leaf() -> None:
    assert Node(0, 0).probability == 0.5
    assert Node(8, 0).probability == 0.9
    assert Node(3, 2).answer
    assert not Node(2, 2).answer


def test_one_class_alone_teaches_nothing() -> None:
    with pytest.raises(InputError, match="both needed"):
        grow([{"sq-sim": 1.0}] * 4, [False] * 4, ("sq-sim",))
