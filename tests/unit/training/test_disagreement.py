"""`citespan disagreement`: a model that is trained and measured on labelled claims."""

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from citespan.cli.training import disagreement as app
from citespan.cli.training import read_examples
from citespan.pipelines.errors import InputError
from citespan.pipelines.model_folder import CARD
from citespan.pipelines.ranking.differences.disagreement import compare
from citespan.pipelines.ranking.differences.model import KIND, load_model
from citespan.pipelines.training.disagreement import train_disagreement

DRUGS = "aspirin zinc iron caffeine insulin biotin niacin heparin codeine folate".split()
SIGNS = ("fever", "pain", "fatigue", "nausea")


def write_claims(file: Path, labels: tuple[str, str] = ("supports", "contradicts")) -> str:
    lines = []
    for number, drug in enumerate(DRUGS * 8):
        sign = SIGNS[number % len(SIGNS)]
        text = f"We gave {drug} to {number + 20} adults. The {drug} reduced {sign} in adults."
        start = text.index(f"The {drug}")
        claims = [f"{drug.title()} reduced {sign} in adults.", f"{drug.title()} raised {sign}."]
        citances = [
            {"text": claim, "spans": [[start, len(text)]], "label": label}
            for claim, label in zip(claims, labels, strict=True)
        ]
        own = {"id": f"a{number}", "text": text, "citances": citances}
        lines.append(json.dumps({**own, "sentences": [[0, start - 1], [start, len(text)]]}))
    file.write_text("\n".join(lines))
    return f"jsonl:{file}"


def run(*arguments: str) -> Any:
    result = CliRunner().invoke(app, [*arguments, "--json"])
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout)


@pytest.fixture(scope="module")
def claims(tmp_path_factory: pytest.TempPathFactory) -> str:
    return write_claims(tmp_path_factory.mktemp("made") / "claims.jsonl")


@pytest.fixture(scope="module")
def trained(claims: str, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Any]:
    """The folder of a model, and what training it printed."""
    folder = tmp_path_factory.mktemp("trained") / "model"
    return folder, run("train", claims, "--out", str(folder), "--about", "made by the tests")


def test_a_trained_model_tells_what_is_turned_round(trained: tuple[Path, Any]) -> None:
    folder, made = trained
    assert made["clauses"] == 160
    [own] = made["folds"].values()
    assert (own["auc"], own["contradicted"]) == (1, 80)
    assert "made by the tests" in (folder / CARD).read_text()
    model = load_model(folder)
    passage = "The zinc reduced fever in adults."
    said = [compare(f"Zinc {verb} fever in adults.", [passage], model=model)
            for verb in ("reduced", "raised")]  # fmt: skip
    assert said[0].probability is not None
    assert said[1].probability is not None
    assert said[0].probability < 0.5 < said[1].probability


def test_the_same_claims_give_the_same_bytes(claims: str, trained: tuple[Path, Any]) -> None:
    examples, rejected = read_examples([claims])
    assert rejected == 0
    assert train_disagreement(examples)[1] == (trained[0] / "trees.txt").read_bytes()


def test_a_damaged_model_and_one_of_another_form_are_refused(
    trained: tuple[Path, Any], tmp_path: Path
) -> None:
    head = (trained[0] / KIND.head).read_text()
    for written, message in (
        (head.replace('"threshold": ', '"threshold": -'), "damaged"),
        (head.replace('"version": 1', '"version": 0'), "version 0"),
    ):
        other = tmp_path / message
        other.mkdir()
        (other / "trees.txt").write_bytes((trained[0] / "trees.txt").read_bytes())
        (other / KIND.head).write_text(written)
        with pytest.raises(InputError, match=message):
            load_model(other)


@pytest.mark.parametrize(
    ("labels", "message"),
    [
        (("supports", "supports"), '"label": "supports" and "contradicts"'),
        (("supports", "refutes"), 'has the label "refutes"; use supports or contradicts'),
    ],
)
def test_a_set_with_one_class_or_another_label_is_refused(
    labels: tuple[str, str], message: str, tmp_path: Path
) -> None:
    claims = write_claims(tmp_path / "claims.jsonl", labels)
    result = CliRunner().invoke(app, ["cross-validate", claims])
    assert isinstance(result.exception, InputError)
    assert message in str(result.exception)
