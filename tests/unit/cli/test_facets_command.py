"""`citespan facets`: trained and measured; the model that ships."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from made_collections import write_topics
from typer.testing import CliRunner

from citespan.cli.training import facets as app
from citespan.pipelines.citations.summaries.facets import KIND, describe_sentences, load_model
from citespan.pipelines.errors import InputError
from citespan.pipelines.logistic_model import LogisticModel
from citespan.pipelines.model_folder import CARD
from citespan.pipelines.ranking.sentences import ArticleSentences


def run(*arguments: str) -> Any:
    result = CliRunner().invoke(app, [*arguments, "--json"])
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout)


@pytest.fixture(scope="module")
def topics(tmp_path_factory: pytest.TempPathFactory) -> str:
    return f"scisumm:{write_topics(tmp_path_factory.mktemp('topics'), 8)}"


def test_training_again_writes_the_same_bytes(topics: str, tmp_path: Path) -> None:
    for name in ("one", "two"):
        made = run("train", topics, "--out", str(tmp_path / name), "--about", "made by the tests")
        assert made["citances"] == 32
    for file in ("facets.json", CARD):
        assert (tmp_path / "one" / file).read_bytes() == (tmp_path / "two" / file).read_bytes()
    card = (tmp_path / "one" / CARD).read_text()
    for words in ("made by the tests", "method 32, results 8", "most frequent", "facets train"):
        assert words in card
    model = load_model(tmp_path / "one")
    assert model.classes == ("method", "results")
    features = [{"sorted", "cheaper", "in: results"}, {"weighs", "twice"}]
    chances = model.predict(features)
    assert chances.sum(axis=1) == pytest.approx(1)
    assert chances[0, 1] > chances[1, 1]


def test_cross_validation_stands_beside_the_most_frequent_facet(topics: str) -> None:
    systems = run("cross-validate", topics)["systems"]
    assert systems["most frequent"]["accuracy"] == 1.0  # method is right of each
    assert systems["most frequent"]["facets"]["results"]["f1"] == 0
    assert systems["model"]["citances"] == 32
    assert run("cross-validate", topics, "--fold", "1")["systems"]["model"]["citances"] in (4, 8)


def test_the_features_of_a_sentence() -> None:
    article = ArticleSentences(("We sort IL-2 receptors. ", "They rest."), ("Methods", ""))
    assert describe_sentences(article) == [
        {"we", "sort", "il-2", "receptors", "we sort", "sort il-2", "il-2 receptors",
         "in: methods", "at: part 1 of 5"},
        {"they", "rest", "they rest", "in: other", "at: part 3 of 5"},
    ]  # fmt: skip


def test_the_shipped_model_says_its_data_licence_baseline_and_command() -> None:
    model = load_model()
    assert model.classes == ("aim", "hypothesis", "implication", "method", "results")
    assert np.argmax(model.predict([[]])) == model.classes.index("method")
    card = (KIND.shipped / CARD).read_text(encoding="utf-8")
    for words in ("CC BY 4.0", "753 citances", "most frequent", "citespan facets train scisumm:"):
        assert words in card


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["cross-validate", "{topics}", "--fold", "6"], "no fold 6; there are folds 1 to 5"),
        (["cross-validate", "{few}"], "2 topics or articles can't be 5 folds"),
        (["train", "{topics}", "--out", "/nowhere/a/b"], "/nowhere/a/b: can't be written"),
    ],
)
def test_wrong_arguments_are_one_clear_line(
    topics: str, tmp_path: Path, arguments: list[str], message: str
) -> None:
    few = f"scisumm:{write_topics(tmp_path / 'few', 2)}"
    result = CliRunner().invoke(
        app, [argument.format(topics=topics, few=few) for argument in arguments]
    )
    assert result.exit_code != 0
    assert message in str(result.exception)


@pytest.mark.parametrize(
    ("before", "after", "message"),
    [
        ('"version": 2', '"version": 9', "version 9"),
        ('"classes"', '"clauses"', "a damaged facet model"),
        ('"aim",', "", "a damaged facet model"),
        ("{", "", "not JSON"),
    ],
)
def test_a_damaged_model_is_one_clear_line(
    tmp_path: Path, before: str, after: str, message: str
) -> None:
    written = (KIND.shipped / "facets.json").read_text()
    (tmp_path / "facets.json").write_text(written.replace(before, after, 1))
    with pytest.raises(InputError, match=message):
        load_model(tmp_path)


def test_probabilities_of_known_weights() -> None:
    model = LogisticModel(("a", "b"), (0.0, 1.0), {"x": (1.0, 0.0)})
    assert model.predict([["x", "x", "unknown"], []]) == pytest.approx(
        np.array([[0.5, 0.5], [1 / (1 + np.e), np.e / (1 + np.e)]])
    )
