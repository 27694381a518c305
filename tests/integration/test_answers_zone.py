"""`citespan answers zone`, `train zones` and `evaluate zones`, as users run them."""

import gzip
import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from made_abstracts import made_parts, made_pubmedqa, made_title
from real_node import run_citespan

Citespan = Callable[..., subprocess.CompletedProcess[str]]

ZONES = ["Introduction"] * 2 + ["Methods"] * 2 + ["Results"] * 2 + ["Conclusions"] * 2


def medline(count: int, labels: bool = True) -> str:
    """Medline XML of made-up abstracts."""
    records = []
    for number in range(count):
        parts = made_parts(number)
        inside = "".join(
            f'<AbstractText Label="{label}" NlmCategory="{label}">{text}</AbstractText>'
            for label, text in parts
        )
        if not labels:
            inside = f"<AbstractText>{' '.join(text for _, text in parts)}</AbstractText>"
        inside = inside.replace(" < ", " &lt; ")
        records.append(
            f"<PubmedArticle><MedlineCitation><PMID>{number + 1}</PMID><Article>"
            f"<ArticleTitle>{made_title(number)}</ArticleTitle><Abstract>{inside}</Abstract>"
            "<Language>eng</Language></Article></MedlineCitation></PubmedArticle>"
        )
    return f"<PubmedArticleSet>{''.join(records)}</PubmedArticleSet>"


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("zones")
    (folder / "data.xml.gz").write_bytes(gzip.compress(medline(12).encode()))
    done = run_citespan(
        *("answers", "train", "zones", str(folder / "data.xml.gz"), "--out", str(folder / "model")),
        *("--configuration", "hirohata2008", "--about", "made up for a test", "--json"),
    )
    assert done.returncode == 0, done.stderr
    made = json.loads(done.stdout)
    assert (made["abstracts"], made["sentences"], made["without_labels"]) == (12, 96, 0)
    assert made["figures"]["scores"]["abstracts"] == 12
    card = (folder / "model" / "README.md").read_text()
    assert "12 abstracts, 96 sentences" in card
    assert "made up for a test" in card
    return folder / "model"


def test_zones_of_unstructured_medline(model: Path, tmp_path: Path) -> None:
    (tmp_path / "new.xml").write_text(medline(3, labels=False))
    done = run_citespan(
        "answers", "zone", str(tmp_path / "new.xml"), "--model", str(model), "--json"
    )
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert [s["zone"] for s in found["sentences"]] == ZONES * 3
    assert [s["pmid"] for s in found["sentences"]][::8] == ["1", "2", "3"]
    assert {s["by"] for s in found["sentences"]} == {"model"}
    first = found["sentences"][0]
    assert first.keys() == {"pmid", "start", "end", "text", "zone", "probability", "by"}
    assert first["text"].startswith("Many patients")


def test_zones_of_standard_input_by_the_shipped_model() -> None:
    text = made_title(0) + "\n\n" + " ".join(text for _, text in made_parts(0))
    done = subprocess.run(
        [sys.executable, "-m", "citespan.cli.main", "answers", "zone", "-", "--json"],
        input=text,
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)["sentences"]
    assert len(found) == 8
    assert sum(s["zone"] == zone for s, zone in zip(found, ZONES, strict=True)) >= 6


def test_a_table_for_people(tmp_path: Path) -> None:
    (tmp_path / "qa.json").write_text(json.dumps(made_pubmedqa(1)))
    done = run_citespan("answers", "zone", str(tmp_path / "qa.json"))
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert "Does zelatine help patients with gout?" in lines[0]
    assert sum(line.startswith("Methods") and "label" in line for line in lines) == 2


def test_bad_records_are_told_and_the_rest_goes_on(tmp_path: Path) -> None:
    records = made_pubmedqa(2) | {"7": {"QUESTION": "Why?", "CONTEXTS": [], "LABELS": []}}
    records["8"] = {"QUESTION": "Why?", "CONTEXTS": ["a"], "LABELS": []}
    (tmp_path / "qa.json").write_text(json.dumps(records))
    done = run_citespan("answers", "zone", str(tmp_path / "qa.json"), "--json")
    assert done.returncode == 1
    found = json.loads(done.stdout)
    assert len(found["sentences"]) == 16
    (skipped,), (quarantined,) = found["skipped"], found["quarantined"]
    assert "PMID 7" in skipped["path"]
    assert "PMID 8" in quarantined["path"]
    assert done.stderr.count("\n") == 2


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("zone", "nowhere.xml"), "nowhere.xml: no such file or folder"),
        (("train", "zones", "nowhere.xml", "--out", "x"), "nowhere.xml: no such file or folder"),
        (("evaluate", "zones", "nowhere.xml"), "nowhere.xml: no such file or folder"),
        (("zone", "-", "--model", "nowhere"), "nowhere: no zone model"),
        (
            ("evaluate", "zones", "nowhere.xml", "--configuration", "x"),
            "unknown zone configuration 'x'; choose from: citespan, alamri2015, hirohata2008",
        ),
    ],
)
def test_wrong_arguments_come_to_one_line(arguments: tuple[str, ...], said: str) -> None:
    done = run_citespan("answers", *arguments)
    assert done.returncode == 2
    assert said in done.stderr
    assert done.stderr.count("\n") == 1


def test_a_model_of_another_version_comes_to_one_line(model: Path, tmp_path: Path) -> None:
    other = tmp_path / "old"
    other.mkdir()
    for file in model.iterdir():
        (other / file.name).write_bytes(file.read_bytes())
    head = json.loads((other / "zones.json").read_text())
    (other / "zones.json").write_text(json.dumps(head | {"version": 0}))
    done = run_citespan("answers", "zone", "-", "--model", str(other))
    assert done.returncode == 2
    assert "version 0, this citespan reads version 1" in done.stderr
    assert done.stderr.count("\n") == 1


def test_training_without_labels_comes_to_one_line(tmp_path: Path) -> None:
    (tmp_path / "new.xml").write_text(medline(3, labels=False))
    done = run_citespan(
        *("answers", "train", "zones", str(tmp_path / "new.xml"), "--out", str(tmp_path / "m"))
    )
    assert done.returncode == 2
    assert "to train on" in done.stderr
    assert not (tmp_path / "m").exists()


def test_evaluate_shows_every_configuration_with_ablation(tmp_path: Path) -> None:
    (tmp_path / "qa.json").write_text(json.dumps(made_pubmedqa(6)))
    command = ("answers", "evaluate", "zones", str(tmp_path / "qa.json"), "--folds", "2")
    named = ("--configuration", "citespan", "--configuration", "hirohata2008")
    done = run_citespan(*command, *named, "--ablation", "--json")
    assert done.returncode == 0, done.stderr
    rows = json.loads(done.stdout)["results"]
    whole = [row["configuration"] for row in rows if row["without"] is None]
    assert whole == ["citespan", "hirohata2008"]
    without = [row["without"] for row in rows if row["configuration"] == "hirohata2008"]
    assert without[1:] == ["n-grams", "previous n-grams", "next n-grams", "location"]
    table = run_citespan(*command, *named)
    assert "hirohata2008" in table.stdout
    assert "published" in table.stdout


def test_zones_of_an_indexed_abstract(citespan: Citespan, tmp_path: Path) -> None:
    (tmp_path / "qa.json").write_text(json.dumps(made_pubmedqa(2)))
    indexed = citespan("index", str(tmp_path / "qa.json"), "--format", "pubmedqa", "--json")
    assert indexed.returncode == 0, indexed.stderr
    done = citespan("answers", "zone", "2", "--json")
    assert done.returncode == 0, done.stderr
    from_index = json.loads(done.stdout)["sentences"]
    done = citespan("answers", "zone", str(tmp_path / "qa.json"), "--json")
    from_file = json.loads(done.stdout)["sentences"]
    assert from_index == [s for s in from_file if s["pmid"] == "2"]
    missing = citespan("answers", "zone", "31415926")
    assert missing.returncode == 2
    assert "PMID 31415926: no such abstract is indexed" in missing.stderr
    assert missing.stderr.count("\n") == 1
