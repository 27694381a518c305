"""`citespan sentences train` and `evaluate`."""

import json
from pathlib import Path

from typer.testing import CliRunner

from citespan.cli.text_models import sentences as app

TEXT = (
    "Mice of the ab. strain ate corn. They slept. The ab. strain grew. Mice grew.\n\nMice ate. " * 9
)


def test_training_writes_the_same_file_again(tmp_path: Path) -> None:
    (tmp_path / "texts").mkdir()
    for name in ("a.txt", "b.txt"):
        (tmp_path / "texts" / name).write_text(TEXT, encoding="utf-8")
    made = []
    for name in ("one.json", "two.json"):
        to = tmp_path / name
        result = CliRunner().invoke(
            app, ["train", str(tmp_path / "texts"), "--format", "text", "--out", str(to), "--json"]
        )
        assert result.exit_code == 0, result.output
        assert json.loads(result.stdout)["articles"] == 2
        made.append(to.read_bytes())
    assert made[0] == made[1]
    assert set(json.loads(made[0])) == {
        "abbreviations",
        "collocations",
        "sentence_starters",
        "orthographic_contexts",
    }


def test_an_input_that_cannot_be_read_is_told(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text(TEXT, encoding="utf-8")
    (tmp_path / "b.txt").write_bytes(b"\xff\xfe\xff")
    result = CliRunner().invoke(
        app, ["train", str(tmp_path), "--format", "text", "--out", str(tmp_path / "o"), "--json"]
    )
    assert result.exit_code == 1
    (rejected,) = json.loads(result.stdout)["rejected"]
    assert rejected["source"].endswith("b.txt")
    assert "b.txt" in result.stderr


def test_evaluate_counts_every_splitter(tmp_path: Path) -> None:
    (tmp_path / "a.conllu").write_text(
        "# text = Mice ate.\n\n# text = They slept.\n\n# text = Gone.\n", encoding="utf-8"
    )
    (tmp_path / "a.txt").write_text("Mice ate. They slept.", encoding="utf-8")
    result = CliRunner().invoke(app, ["evaluate", str(tmp_path), "--text", str(tmp_path), "--json"])
    assert result.exit_code == 0, result.output
    found = json.loads(result.stdout)
    assert (found["texts"], found["sentences"], found["unaligned"]) == (1, 2, 1)
    measured = {row["splitter"]: row["inside"] for row in found["splitters"]}
    missing = {row["splitter"] for row in found["unavailable"]}
    assert measured.keys() | missing == {
        "punkt",
        "punkt-plain",
        "punkt-untrained",
        "pysbd",
        "spacy",
    }
    assert missing <= {"pysbd", "spacy"}
    assert measured["punkt"] == {
        "right": 1,
        "wrong": 0,
        "missed": 0,
        "precision": 1.0,
        "recall": 1.0,
        "f1": 1.0,
    }
