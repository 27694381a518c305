"""`citespan ranker`: list, show, train, cross-validate and evaluate."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from made_collections import write_trials
from typer.testing import CliRunner

from citespan.cli.ranker import app
from citespan.pipelines.ranking.ranker import rankers


def run(*arguments: str, status: int = 0) -> Any:
    result = CliRunner().invoke(app, [*arguments, "--json"])
    assert result.exit_code == status, result.output
    return json.loads(result.stdout)


@pytest.fixture(scope="module")
def trials(tmp_path_factory: pytest.TempPathFactory) -> str:
    return f"tac2014:{write_trials(tmp_path_factory.mktemp('trials'))}"


@pytest.fixture(scope="module")
def trained(trials: str, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("rankers")
    run("train", "mine", trials, "--out", str(folder), "--about", "made by the tests")
    return folder / "mine"


def test_list_names_every_ranker_with_its_threshold() -> None:
    rows = {row["name"]: row for row in run("list")["rankers"]}
    assert rows.keys() >= {"citance", "question"}
    for name, row in rows.items():
        assert row["version"] == rankers[name].version
        assert row["threshold"] == rankers[name].threshold
    assert "citance" in CliRunner().invoke(app, ["list"]).stdout


@pytest.mark.parametrize("name", ["citance", "question"])
def test_a_card_says_data_licence_threshold_baselines_and_command(name: str) -> None:
    shown = run("show", name)
    for words in ("Data", "CC BY", f"support of {shown['threshold']}", "bm25", "dfr", "Features"):
        assert words in shown["card"]
    assert f"citespan ranker train {name} " in shown["card"]


def test_training_again_writes_the_same_bytes(trials: str, trained: Path, tmp_path: Path) -> None:
    run("train", "mine", trials, "--out", str(tmp_path), "--about", "made by the tests")
    files = sorted(path.name for path in trained.iterdir())
    assert files == [
        "README.md", "lambdarank.txt", "rank_xendcg.txt", "ranker.json", "terms.json.gz",
    ]  # fmt: skip
    for file in files:
        assert (tmp_path / "mine" / file).read_bytes() == (trained / file).read_bytes()


def test_another_processor_writes_the_same_bytes(
    trials: str, trained: Path, tmp_path: Path
) -> None:
    """OpenBLAS multiplies matrices by other instructions, in another order."""
    command = [sys.executable, "-m", "citespan.cli.main", "ranker", "train", "mine", trials]
    subprocess.run(
        [*command, "--out", str(tmp_path), "--about", "made by the tests"],
        env={**os.environ, "OPENBLAS_CORETYPE": "Nehalem"},
        check=True,
        capture_output=True,
    )
    for file in trained.iterdir():
        assert (tmp_path / "mine" / file.name).read_bytes() == file.read_bytes()


def test_a_trained_ranker_is_measured_by_its_folder(trials: str, trained: Path) -> None:
    found = run("evaluate", str(trained), trials)
    assert (found["ranker"], found["citances"], found["topics"]) == ("mine", 18, 6)
    success = {
        system: own["measures"]["success_1"]["value"] for system, own in found["systems"].items()
    }
    assert success["ranker"] >= success["bm25"]
    assert success["ranker"] > 0.9  # it has seen them
    assert set(found["doubt"]["articles"]["auroc"]) == {"random", "hardest"}


def test_cross_validation_is_the_card_of_training(trials: str, trained: Path) -> None:
    found = run("cross-validate", trials)
    card = (trained / "README.md").read_text(encoding="utf-8")
    for own in found["systems"].values():
        assert f"{own['measures']['sentence_f1_micro']['value']:.3f} (" in card
    assert found["without"] == []


def test_a_family_is_left_out(trials: str) -> None:
    found = run("cross-validate", trials, "--without", "wording", "--without", "structure")
    assert found["without"] == ["wording", "structure"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["cross-validate", "{trials}", "--folds", "7"], "6 topics or articles can't be 7 folds"),
        (
            ["cross-validate", "{trials}", "--without", "magic"],
            "unknown family of features 'magic'",
        ),
        (["evaluate", "magic", "{trials}"], "unknown ranker 'magic'"),
        (["evaluate", "/nowhere/magic", "{trials}"], "no ranker"),
        (["train", "a/b", "{trials}", "--out", "."], "'a/b' can't be the name of a folder"),
        (["train", "mine", "{trials}", "{trials}", "--out", "."], "is in another collection too"),
    ],
)
def test_wrong_arguments_are_one_clear_line(
    trials: str, arguments: list[str], message: str
) -> None:
    result = CliRunner().invoke(app, [one.format(trials=trials) for one in arguments])
    assert result.exit_code != 0
    assert message in str(result.exception)
    assert "\n" not in str(result.exception)


@pytest.mark.parametrize(
    ("file", "change", "message"),
    [
        ("ranker.json", lambda data: b"{", "not JSON"),
        ("ranker.json", lambda data: data.replace(b'"version": 1', b'"version": 9'), "version 9"),
        ("ranker.json", lambda data: data.replace(b'"threshold"', b'"thrush"'), "damaged"),
        ("ranker.json", lambda data: data.replace(b'"weight"', b'"wait"', 1), "damaged"),
        ("lambdarank.txt", lambda data: data[:-9], "not the file that ranker.json names"),
        ("terms.json.gz", lambda data: b"", "not the file that ranker.json names"),
    ],
)
def test_a_damaged_model_is_one_clear_line(  # type: ignore[no-untyped-def]
    trials: str, trained: Path, tmp_path: Path, file: str, change, message: str
) -> None:
    folder = tmp_path / "mine"
    shutil.copytree(trained, folder)
    data = (folder / file).read_bytes()
    assert change(data) != data
    (folder / file).write_bytes(change(data))
    result = CliRunner().invoke(app, ["evaluate", str(folder), trials])
    assert result.exit_code != 0
    assert message in str(result.exception)
    assert str(folder) in str(result.exception)
