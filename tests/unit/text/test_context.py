"""Whether the sentence before belongs to a citation, and what follows for the citation."""

import json
from pathlib import Path
from typing import Any

import pytest
from made_collections import write_windows
from typer.testing import CliRunner

from citespan.cli.training import contexts as app
from citespan.pipelines.citing.citations import (
    ArticleCitations,
    bound_sentence,
    describe_citation,
    find_citations,
    make_query,
)
from citespan.pipelines.citing.context import KIND, ContextModel, describe_pair, load_model
from citespan.pipelines.corpus.article import Article
from citespan.pipelines.corpus.references import Link, Reference, ReferenceList
from citespan.pipelines.errors import InputError
from citespan.pipelines.logistic_model import LogisticModel
from citespan.pipelines.model_folder import CARD
from citespan.pipelines.text.splitter import splitters
from citespan.pipelines.training.contexts import read_windows

BELONGING = "We found that deaths fell by half [1]. These findings are consistent with others [2]."
APART = "Yeast grows on all sugars [1]. Aspirin is a drug of many uses, sold since 1899 [2]."


def find(text: str) -> ArticleCitations:
    links = tuple(
        Link(start, start + 1, (f"B{number}",))
        for number in (1, 2)
        for start in (text.index(f"[{number}]") + 1,)
    )
    references = tuple(Reference(f"B{number}", (f"B{number}",), str(number)) for number in (1, 2))
    article = Article(
        id="a", title="", text=text, source="made", links=links,
        reference_list=ReferenceList(references),
    )  # fmt: skip
    return find_citations(article, splitters["punkt"])


def test_a_sentence_before_that_belongs_is_searched_for_and_stored_without_markers() -> None:
    first, second = find(BELONGING).citations
    assert first.context is None
    assert second.context is not None
    assert BELONGING[second.context.start : second.context.end] == BELONGING[:38]
    assert make_query(BELONGING, second) == (
        "We found that deaths fell by half . These findings are consistent with others ."
    )
    assert bound_sentence(second) == (0, len(BELONGING))
    described = describe_citation(find(BELONGING), second)
    assert described["context"] == {"start": 0, "end": 38, "text": BELONGING[:38]}


def test_a_sentence_before_that_is_apart_is_left_out() -> None:
    second = find(APART).citations[1]
    assert second.context is None
    assert make_query(APART, second).startswith("Aspirin")
    assert describe_citation(find(APART), second)["context"] is None


def test_only_the_first_marker_of_a_sentence_has_a_context() -> None:
    text = "Deaths fell by half. These findings are ours [1], whereas those differ [2]."
    first, second = find(text).citations
    assert first.context is not None
    assert second.context is None


def test_probability_and_threshold_agree() -> None:
    weights = {"begins this": (-0.5, 0.5), "begins aspirin": (0.5, -0.5)}
    pairs = LogisticModel(("apart", "belongs"), (1.0, -1.0), weights)
    features = describe_pair("A.", "This is so [1]", (11, 14), 1, 0)
    chance = pairs.predict([features])[0, 1]
    for threshold, belongs in ((chance - 0.01, True), (chance + 0.01, False)):
        model = ContextModel(pairs, threshold)
        assert model.belongs("A.", "This is so [1]", (11, 14), 1, 0) == belongs


@pytest.mark.parametrize("sentence", ["", "[1]", "痛み [1]", "12 34", "this " * 1_000])
def test_any_sentence_has_an_answer(sentence: str) -> None:
    assert load_model().belongs("", sentence, (0, 1), 1, 0) in (True, False)


def run(*arguments: str) -> Any:
    return CliRunner().invoke(app, list(arguments))


def test_training_again_writes_the_same_bytes(tmp_path: Path) -> None:
    file = str(write_windows(tmp_path / "windows.jsonl"))
    for folder in ("one", "two"):
        out = ("--out", str(tmp_path / folder), "--held-out", file, "--json")
        result = run("train", file, *out)
        assert result.exit_code == 0, result.output
    figures = json.loads(result.stdout)
    assert figures["windows"] == 12
    assert figures["folds"]["the marker's sentence alone"]["recall"] == pytest.approx(12 / 18)
    assert figures["folds"]["model"]["f1"] == 1
    for name in ("context.json", "README.md"):
        assert (tmp_path / "one" / name).read_bytes() == (tmp_path / "two" / name).read_bytes()


def test_numbers_in_front_of_a_sentence_close_the_one_before(tmp_path: Path) -> None:
    file = tmp_path / "windows.jsonl"
    marker = "<CITATION_MARKER>3</CITATION_MARKER>"
    windows = [
        ["Aspirin is old.", "Deaths fell.", f"{marker},8 However, few took it."],
        ["Aspirin is old.", f"{marker} patients died."],
        ["Aspirin is old.", f"Some died ({marker})."],
    ]
    file.write_text(
        "\n".join(json.dumps({"sentences": each, "labels": [0] * len(each)}) for each in windows)
    )
    closing, leading, inside = read_windows(file)
    assert closing.sentences == ("Aspirin is old.", "Deaths fell.3,8", "However, few took it.")
    assert (closing.marked, leading.marked, inside.marked) == (1, 1, 1)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("{", "line 1: no window"),
        ('{"sentences": ["A.", "B."], "labels": [1]}', "line 1: no window"),
        ("[]", "line 1: no window"),
        ('{"sentences": ["A."], "labels": [1]}', "no window with a marker"),
    ],
)
def test_a_file_of_other_lines_is_one_clear_line(tmp_path: Path, line: str, message: str) -> None:
    file = tmp_path / "windows.jsonl"
    file.write_text(line)
    assert message in str(run("train", str(file), "--out", str(tmp_path / "out")).exception)


def test_windows_of_one_class_are_an_input_error(tmp_path: Path) -> None:
    file = write_windows(tmp_path / "windows.jsonl")
    file.write_text(file.read_text().replace('"labels": [1, 1]', '"labels": [0, 1]'))
    result = run("train", str(file), "--out", str(tmp_path / "out"))
    assert "windows of one class only" in str(result.exception)


def test_the_shipped_model_says_its_data_licence_baseline_and_command() -> None:
    card = (KIND.shipped / CARD).read_text(encoding="utf-8")
    for words in ("MIT", "2,135 windows", "the marker's sentence alone", "citespan contexts train"):
        assert words in card


@pytest.mark.parametrize(
    ("before", "after", "message"),
    [
        ('"version": 1', '"version": 9', "version 9"),
        ('"belongs"', '"follows"', "a damaged context model"),
        ('"threshold"', '"thresholds"', "a damaged context model"),
    ],
)
def test_a_damaged_model_is_one_clear_line(
    tmp_path: Path, before: str, after: str, message: str
) -> None:
    written = (KIND.shipped / "context.json").read_text()
    (tmp_path / "context.json").write_text(written.replace(before, after, 1))
    with pytest.raises(InputError, match=message):
        load_model(tmp_path)
