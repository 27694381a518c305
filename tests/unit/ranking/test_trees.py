"""Trees of LightGBM evaluated in NumPy give what LightGBM gives."""

import lightgbm
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from citespan.pipelines.errors import InputError
from citespan.pipelines.ranking.trees import read_trees

SETTINGS = {
    "use_missing": False, "verbosity": -1, "num_threads": 1, "deterministic": True,
    "force_row_wise": True, "min_data_in_leaf": 3,
}  # fmt: skip


def train(
    objective: str, leaves: int = 15, iterations: int = 30, seed: int = 0
) -> lightgbm.Booster:
    generator = np.random.default_rng(seed)
    matrix = generator.normal(size=(600, 6))
    matrix[:, 1] = np.round(matrix[:, 1])
    label = (matrix[:, 0] + matrix[:, 1] + generator.normal(size=600) > 1).astype(int)
    data = lightgbm.Dataset(
        matrix, label, group=[30] * 20, feature_name=list("abcdef"), params=dict(SETTINGS)
    )
    settings = {**SETTINGS, "objective": objective, "num_leaves": leaves}
    return lightgbm.train(settings, data, iterations)


@pytest.mark.parametrize("objective", ["lambdarank", "rank_xendcg", "binary"])
def test_predictions_are_those_of_lightgbm(objective: str) -> None:
    booster = train(objective)
    trees = read_trees(booster.model_to_string(), "made")
    matrix = np.random.default_rng(1).normal(scale=2, size=(5000, 6))
    matrix[::3, 1] = np.round(matrix[::3, 1])
    matrix[::7] = 0.0
    expected = booster.predict(matrix, raw_score=True)
    assert np.abs(trees.predict(matrix) - expected).max() < 1e-9
    assert trees.features == tuple("abcdef")


def test_trainings_one_behind_the_other_are_added_up() -> None:
    boosters = [train("lambdarank", seed=seed) for seed in range(3)]
    trees = read_trees("".join(booster.model_to_string() for booster in boosters), "made")
    matrix = np.random.default_rng(1).normal(size=(50, 6))
    expected = sum(booster.predict(matrix) for booster in boosters)
    assert np.abs(trees.predict(matrix) - expected).max() < 1e-9


@settings(max_examples=15, deadline=None)
@given(seed=st.integers(0, 99), leaves=st.integers(2, 16), iterations=st.integers(1, 5))
def test_trees_of_any_size(seed: int, leaves: int, iterations: int) -> None:
    booster = train("lambdarank", leaves, iterations, seed)
    trees = read_trees(booster.model_to_string(), "made")
    matrix = np.random.default_rng(seed).normal(size=(50, 6))
    assert np.abs(trees.predict(matrix) - booster.predict(matrix)).max() < 1e-9
    assert trees.predict(matrix[:0]).shape == (0,)


def test_a_tree_that_is_one_leaf() -> None:
    text = train("lambdarank", iterations=1).model_to_string()
    start = text.index("num_leaves=15")
    end = text.index("\n\n", start)
    stump = text[:start] + "num_leaves=1\nnum_cat=0\nleaf_value=0.5\n" + text[end:]
    assert read_trees(stump, "made").predict(np.zeros((2, 6))).tolist() == [0.5, 0.5]


@pytest.mark.parametrize(
    "damage",
    [
        lambda text: "",
        lambda text: text[: len(text) // 2],
        lambda text: text + text[: len(text) // 2],
        lambda text: text + text.replace("feature_names=a b", "feature_names=b a"),
        lambda text: text.replace("split_feature=", "split_feature=99 ", 1),
        lambda text: text.replace("threshold=", "threshold=nan ", 1),
        lambda text: text.replace("leaf_value=", "leaf_value=x ", 1),
        lambda text: text.replace("decision_type=0", "decision_type=1", 1),
        lambda text: text.replace("left_child=1", "left_child=0", 1),
        lambda text: text.replace("left_child=1", "left_child=2", 1),
        lambda text: text.replace("left_child=1", "left_child=-16", 1),
        lambda text: text.replace("right_child", "wrong_child", 1),
        lambda text: text.replace("num_leaves=15", "num_leaves=14", 1),
    ],
)
def test_a_damaged_model_is_one_clear_line(damage) -> None:  # type: ignore[no-untyped-def]
    text = train("lambdarank").model_to_string().replace("decision_type=2", "decision_type=0")
    damaged = damage(text)
    assert damaged != text
    with pytest.raises(InputError, match="^here: not a model of LightGBM's, or damaged"):
        read_trees(damaged, "here")
