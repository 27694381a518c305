"""`citespan answers train directions`, and directions in `citespan answers find`."""

import json
from pathlib import Path
from typing import Any

import pytest
from made_collections import write_findings, write_trials
from typer.testing import CliRunner

from citespan.cli.app import app
from citespan.pipelines.answers.directions.model import DIRECTIONS, load_model


def run(*arguments: str, status: int = 0) -> Any:
    result = CliRunner().invoke(app, ["answers", *arguments])
    assert result.exit_code == status, result.output
    return result


@pytest.fixture(scope="module")
def trials(tmp_path_factory: pytest.TempPathFactory) -> str:
    return f"tac2014:{write_trials(tmp_path_factory.mktemp('trials'))}"


def test_training_again_writes_the_same_bytes(trials: str, tmp_path: Path) -> None:
    findings = str(write_findings(tmp_path / "findings.tsv"))
    for folder in ("one", "two"):
        result = run(
            *("train", "directions", findings, trials, "--out", str(tmp_path / folder), "--json"),
            *("--about", "made by the tests"),
        )
    figures = json.loads(result.stdout)
    assert figures["findings"] == figures["prompts"] == 18
    assert figures["gold"].keys() > {"model", "words alone", "most frequent"}
    assert figures["end_to_end"]["model"][0] <= 1
    for file in ("directions.json", "README.md"):
        first, two = ((tmp_path / folder / file).read_bytes() for folder in ("one", "two"))
        assert first.replace(b"one", b"two") == two.replace(b"one", b"two")
    assert load_model(tmp_path / "one").passages.classes == DIRECTIONS


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"direction": "sideways"}, "findings.tsv, line 2: direction 'sideways' is none of them"),
        ({"number": "99"}, "findings.tsv, line 2: no such annotation in the collection"),
        ({"annotator": "B"}, "findings.tsv, line 2: no such annotation in the collection"),
    ],
)
def test_a_wrong_line_is_named(
    trials: str, tmp_path: Path, changes: dict[str, str], message: str
) -> None:
    findings = str(write_findings(tmp_path / "findings.tsv", **changes))
    arguments = ("train", "directions", findings, trials, "--out", str(tmp_path / "out"))
    result = CliRunner().invoke(app, ["answers", *arguments])
    assert message in str(result.exception)


def test_a_table_without_a_column_is_named(trials: str, tmp_path: Path) -> None:
    (tmp_path / "findings.tsv").write_text("article\tnumber\n")
    arguments = ("train", "directions", str(tmp_path / "findings.tsv"), trials)
    result = CliRunner().invoke(app, ["answers", *arguments, "--out", str(tmp_path / "out")])
    assert "findings.tsv: no column annotator" in str(result.exception)


ABSTRACTS = {
    "1": "Crying decreased significantly with ketamine compared with midazolam (P = 0.002).",
    "2": "Crying did not differ between the ketamine and the midazolam group (p = 0.61).",
    "3": "A lamp was lit in all rooms of the ward in the evening, crying or not.",
}
ASKED = "Does ketamine reduce crying compared with midazolam?"


@pytest.fixture(scope="module")
def abstracts(tmp_path_factory: pytest.TempPathFactory) -> str:
    folder = tmp_path_factory.mktemp("abstracts")
    for name, result in ABSTRACTS.items():
        text = (
            f"Trial {name}\n\nChildren were randomised to one of two drugs. {result} That is all."
        )
        (folder / f"{name}.txt").write_text(text)
    return str(folder)


def test_directions_are_shown_and_counted(abstracts: str) -> None:
    shown = run("find", ASKED, abstracts, "--format", "text").stdout
    assert "decreased (0." in shown
    assert "no difference (0." in shown
    assert "of crying: ketamine compared with midazolam, derived from the question" in shown
    found = json.loads(run("find", ASKED, abstracts, "--format", "text", "--json").stdout)
    assert found["comparison"]["derived"]
    assert found["directions"]["decreased"] == found["directions"]["no difference"] == 1
    said = {result["pmid"]: result["direction"]["said"] for result in found["results"]}
    assert (said["1"], said["2"]) == ("decreased", "no difference")
    rows = run("find", ASKED, abstracts, "--format", "text", "--csv").stdout
    assert ",decreased,0." in rows


def test_a_question_of_no_known_form_has_no_direction(abstracts: str) -> None:
    found = json.loads(run("find", "crying", abstracts, "--format", "text", "--json").stdout)
    assert "comparison" not in found
    assert all("direction" not in result for result in found["results"])


def test_answers_below_one_half_are_folded_unless_all_are_asked_for(abstracts: str) -> None:
    arguments = (
        "find",
        "Do zebras sleep in groups or two drugs at night?",
        abstracts,
        "--format",
        "text",
    )
    found = json.loads(run(*arguments, "--json").stdout)["results"]
    unlikely = [answer for answer in found if answer["support"] < 0.5]
    assert unlikely
    folded, every = run(*arguments).stdout, run(*arguments, "--all").stdout
    assert "with a probability below one half: --all shows all" in folded
    assert f"PMID {unlikely[0]['pmid']}" not in folded
    assert f"PMID {unlikely[0]['pmid']}" in every
    assert "--all shows" not in every


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--outcome", ""], "outcome '': no word in it"),
        (["--outcome", "crying"], "no direction without intervention and comparator"),
        (["--outcome", "crying", "--detector", "alamri2015"], "--detector and a comparison"),
    ],
)
def test_a_comparison_that_cant_be_judged_is_one_clear_line(
    abstracts: str, options: list[str], message: str
) -> None:
    result = CliRunner().invoke(app, ["answers", "find", "crying", abstracts, *options])
    assert result.exit_code != 0
    assert message in str(result.exception)
