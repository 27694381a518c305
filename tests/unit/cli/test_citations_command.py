"""`citespan citations` by subprocess: table, JSON, CSV, totals that add up, exit status."""

import csv
import io
import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from places import TEST_DATA


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    shutil.copy(TEST_DATA / "readers/latex/made.tex", tmp_path / "manuscript.tex")
    shutil.copy(TEST_DATA / "bibliographies/made.bib", tmp_path)
    shutil.copy(TEST_DATA / "readers/tei/made.grobid.tei.xml", tmp_path)
    for name in ("words.xyz", "words.odt"):
        (tmp_path / name).write_text("words")
    return tmp_path


def run(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "citespan.cli.main", "citations", *arguments],
        cwd=folder,
        env={"PYTHONPATH": ":".join(sys.path), "COLUMNS": "120"},
        capture_output=True,
        text=True,
        check=False,
    )


def test_json_has_every_citation_and_totals_that_add_up(folder: Path) -> None:
    done = run(folder, "manuscript.tex", "made.grobid.tei.xml", "--json")
    assert (done.returncode, done.stderr) == (0, "")
    found = json.loads(done.stdout)
    assert found["inputs"] == len(found["articles"]) == 2
    for article in found["articles"]:
        keys = {reference["key"] for reference in article["references"]}
        cited = {citation["reference"] for citation in article["citations"]} - {None}
        assert cited <= keys
        assert cited.isdisjoint(article["uncited"])
        for citation in article["citations"]:
            start = citation["clause"]["start"] - citation["start"]
            assert citation["text"][start:].startswith(citation["clause"]["text"])
            assert citation["marker"]["text"] in citation["clause"]["text"]
    everything = [citation for article in found["articles"] for citation in article["citations"]]
    assert found["citations"] + found["unresolved"] == len(everything)
    assert found["unresolved"] == sum(citation["reference"] is None for citation in everything) == 2
    assert found["links"] == 15
    assert found["links_elsewhere"] == 2
    tex = found["articles"][0]
    assert tex["citations"][0]["clause"]["text"] == "Yeast grows on sugar [1]"
    assert tex["citations"][0]["section"] == "Introduction"
    assert tex["references"][0]["pmid"] == "101"


def test_csv_has_a_line_for_each_citation(folder: Path) -> None:
    done = run(folder, "manuscript.tex", "--csv")
    rows = list(csv.DictReader(io.StringIO(done.stdout)))
    assert done.returncode == 0
    assert [(row["marker"], row["key"], row["pmid"]) for row in rows][:2] == [
        ("[1]", "ito2001", "101"),
        ("[2, 3]", "bread", ""),
    ]
    assert rows[4]["name"] == "missing"


def test_the_table_ends_with_the_totals(folder: Path) -> None:
    done = run(folder, "manuscript.tex")
    assert done.returncode == 0
    assert "1 Ito 2001 pmid:101" in done.stdout
    assert "? missing" in done.stdout
    assert done.stdout.splitlines()[-2:] == [
        "1 article: 5 citations by 5 markers in 4 sentences, 1 unresolved; 4 of 4 references cited",
        "7 links in the mark-up, 1 of them outside of the text",
    ]


def test_what_is_broken_is_one_line_and_the_rest_goes_on(folder: Path) -> None:
    (folder / "broken.tei.xml").write_text("<TEI><text>")
    (folder / "made.bib").write_text("@misc{ito2001, title={No}\n@misc{bread, title={The bread}}\n")
    done = run(folder, "broken.tei.xml", "manuscript.tex", "--json")
    assert done.returncode == 1
    broken, entry = done.stderr.splitlines()
    assert broken.startswith("quarantined: broken.tei.xml: truncated or not well-formed")
    assert entry.startswith("made:1: entry 'ito2001' does not end; a brace is missing")
    found = json.loads(done.stdout)
    assert found["inputs"] == len(found["articles"]) + len(found["quarantined"]) == 2


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["absent.tex"], "absent.tex: no such file or folder"),
        (["manuscript.tex", "--json", "--csv"], "--json and --csv can't be combined"),
        (["words.xyz"], "words.xyz: of no known format"),
        (["words.odt"], "words.odt: .odt is not read; save it as .docx"),
    ],
)
def test_wrong_arguments_are_one_line(folder: Path, arguments: list[str], message: str) -> None:
    done = run(folder, *arguments)
    assert done.returncode == 2
    assert message in done.stderr
    assert len(done.stderr.splitlines()) == 1
