"""`citespan ranker`: list, show, train, cross-validate and evaluate."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from made_collections import make_claim, write_trials
from typer.testing import CliRunner

from citespan.cli.ranker import app
from citespan.pipelines.evaluation.read_collection import read_collection
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
    assert "evidence" in rows
    for name, row in rows.items():
        assert row["version"] == rankers[name].version
        assert row["threshold"] == rankers[name].threshold
    assert "evidence" in CliRunner().invoke(app, ["list"]).stdout


def test_a_card_says_data_licence_threshold_baselines_and_command() -> None:
    shown = run("show", "evidence")
    for words in (
        "Data",
        "CC BY",
        f"support of {shown['threshold']}",
        "bm25",
        "dfr",
        "Features",
        "left out",
    ):
        assert words in shown["card"]
    assert "citespan ranker train evidence " in shown["card"]


def test_training_again_writes_the_same_bytes(trials: str, trained: Path, tmp_path: Path) -> None:
    run("train", "mine", trials, "--out", str(tmp_path), "--about", "made by the tests")
    files = sorted(path.name for path in trained.iterdir())
    assert files == ["README.md", "ranker.json", "terms.json.gz", "trees.txt"]
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
    measured = run("evaluate", str(trained), trials)
    [found] = measured["collections"].values()
    assert (measured["ranker"], found["citances"], found["topics"]) == ("mine", 18, 6)
    success = {
        system: own["measures"]["success_1"]["value"] for system, own in found["systems"].items()
    }
    assert success["ranker"] >= success["bm25"]
    assert success["ranker"] > 0.9  # it has seen them
    assert set(found["doubt"]["articles"]["auroc"]) == {"random", "hardest"}


def test_cross_validation_is_the_card_of_training(trials: str, trained: Path) -> None:
    found = run("cross-validate", trials)
    card = (trained / "README.md").read_text(encoding="utf-8")
    [collection] = found["collections"].values()
    assert collection["left_out"] is None
    for own in collection["systems"].values():
        assert f"{own['measures']['sentence_f1_micro']['value']:.3f} (" in card
    assert found["without"] == []


@pytest.fixture(scope="module")
def both(trials: str, tmp_path_factory: pytest.TempPathFactory) -> tuple[str, str, str]:
    """Two collections, and queries for which an article of the first has no evidence."""
    folder = tmp_path_factory.mktemp("both")
    claims = folder / "claims.jsonl"
    claims.write_text("".join(map(make_claim, range(6))))
    article = read_collection(trials).citances[0].article_id
    none = folder / "none.jsonl"
    lines = [{"article": article, "text": f"Zinc cures {ill}."} for ill in ("colds", "warts")]
    none.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return trials, f"jsonl:{claims}", str(none)


def test_each_of_several_collections_is_measured_by_rankers_of_the_others_too(
    both: tuple[str, str, str], tmp_path: Path
) -> None:
    trials, claims, none = both
    found = run("train", "mine", trials, claims, "--none", none, "--out", str(tmp_path))
    card = (tmp_path / "mine" / "README.md").read_text(encoding="utf-8")
    assert len(found["collections"]) == 2
    for name, figures in found["collections"].items():
        first = figures["left_out"]["success_1"]["value"]
        assert 0 <= first <= 1
        assert f"| {name} | {figures['citances']} |" in card
    support = [figures["doubt"]["articles"] for figures in found["collections"].values()]
    assert [kind["unanswered"] for kind in support] == [2, 0]
    assert f"--none {none}" in card
    shown = CliRunner().invoke(app, ["cross-validate", trials, claims, "--folds", "3"])
    assert "left out" in shown.stdout


def test_queries_without_evidence_that_cannot_be_used_are_reported(
    both: tuple[str, str, str], tmp_path: Path
) -> None:
    bad = tmp_path / "bad.jsonl"
    bad.write_text('{"article": "nowhere", "text": "Zinc."}\n')
    result = CliRunner().invoke(app, ["cross-validate", both[0], "--none", str(bad)])
    assert result.exit_code == 1
    assert "bad.jsonl:1: article 'nowhere' is in no collection that is given" in result.stderr


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
    result = CliRunner().invoke(app, [argument.format(trials=trials) for argument in arguments])
    assert result.exit_code != 0
    assert message in str(result.exception)
    assert "\n" not in str(result.exception)


@pytest.mark.parametrize(
    ("file", "change", "message"),
    [
        ("ranker.json", lambda data: b"{", "not JSON"),
        (
            "ranker.json",
            lambda data: data.replace(b'"version": 3', b'"version": 1'),
            "version 1, this",
        ),
        ("ranker.json", lambda data: data.replace(b'"threshold"', b'"thrush"'), "damaged"),
        ("ranker.json", lambda data: data.replace(b'"weight"', b'"wait"', 1), "damaged"),
        ("trees.txt", lambda data: data[:-9], "not the file that ranker.json names"),
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
