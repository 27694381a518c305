"""`citespan answers find`, `train answers`, `evaluate answers` and `evaluate run`, as users run
them."""

import csv
import io
import json
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import loading
import pytest
from elasticsearch import Elasticsearch
from made_abstracts import made_pubmedqa, made_title
from made_mancon import made_mancon, made_medline
from real_node import run_citespan

from citespan import delete
from citespan.es_mappings import abstracts
from citespan.pipelines.answers.detection.model import KIND
from citespan.pipelines.corpus.article import Article, Section
from citespan.pipelines.corpus.publication import Publication

Citespan = Callable[..., subprocess.CompletedProcess[str]]
QUESTION = "Is zelatine of use in gout?"
GOUT = "These findings suggest that zelatine helps patients with gout."
SMALL = """
name: small
zones: {configurations: [hirohata2008], folds: 2}
answers: {feature_sets: ["1", "5"], folds: 3}
both: {zones: hirohata2008, features: "5"}
published: {source: made up, answers: {"5": [0.1, 0.2, 0.3]}}
"""
DETECTED = ("--detector", "alamri2015")
"""The answers of paper B's detector, which puts Conclusions first."""


@pytest.fixture
def indexed(citespan: Citespan, es: Elasticsearch, tmp_path: Path) -> None:
    """36 abstracts, every third without sections."""
    es.indices.delete(index=abstracts.INDEX, ignore_unavailable=True)
    with_sections = [number for number in range(36) if number % 3]
    file = tmp_path / "abstracts.xml"
    file.write_bytes(made_medline(with_sections, range(0, 36, 3)))
    done = citespan("index", str(file), "--format", "medline", "--json")
    assert json.loads(done.stdout)["indexed"] == 36, done.stderr


def test_answers_in_the_index(citespan: Citespan, indexed: None) -> None:
    done = citespan("answers", "find", QUESTION, *DETECTED, "--json")
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert found["question"] == QUESTION
    results = found["results"]
    assert [result["rank"] for result in results] == list(range(1, 11))
    scores = [result["score"] for result in results]
    assert scores == sorted(scores, reverse=True)
    assert results[0]["sentence"] == GOUT
    assert {"rank", "pmid", "year", "zone", "score", "sentence"} <= results[0].keys()
    assert results[0]["year"] == 2000 + (int(results[0]["pmid"]) - 1) % 20
    assert len({result["pmid"] for result in results}) == 10
    gout = {result["pmid"]: result["zone_from"] for result in results[:2]}
    assert gout == {"1": "model", "36": "label"}


def test_stored_zones_are_those_that_the_model_gives_at_the_question(
    citespan: Citespan, indexed: None, es: Elasticsearch, tmp_path: Path
) -> None:
    wide = ("answers", "find", QUESTION, *DETECTED, "--top", "36", "--per-abstract", "8", "--json")
    stored = json.loads(citespan(*wide).stdout)["results"]
    assert {result["zone_from"] for result in stored} == {"label", "model"}
    es.indices.delete(index=abstracts.INDEX)
    citespan("index", str(tmp_path / "abstracts.xml"), "--format", "medline", "--no-zones")
    hits = es.search(index=abstracts.INDEX, size=50)["hits"]["hits"]
    assert sum("zone" not in hit["_source"]["sentences"][0] for hit in hits) == 12
    assert json.loads(citespan(*wide).stdout)["results"] == stored


def test_zones_of_another_model_are_not_used(
    citespan: Citespan, indexed: None, es: Elasticsearch, file: str, tmp_path: Path
) -> None:
    """All stored zones that a model gave are made Methods, where no answer is looked for."""
    to = str(tmp_path / "zones")
    citespan("answers", "train", "zones", file, "--configuration", "hirohata2008", "--out", to)
    es.update_by_query(
        index=abstracts.INDEX,
        query={"exists": {"field": "zoned_by"}},
        script={"source": "for (s in ctx._source.sentences) { s.zone = 'Methods' }"},
        refresh=True,
    )
    find = ("answers", "find", QUESTION, *DETECTED, "--json")
    shipped = json.loads(citespan(*find).stdout)["results"]
    assert {result["zone_from"] for result in shipped} == {"label"}
    other = json.loads(citespan(*find, "--model", to).stdout)["results"]
    assert {result["zone_from"] for result in other} == {"label", "model"}


def test_years_and_how_many(citespan: Citespan, indexed: None) -> None:
    done = citespan(
        *("answers", "find", QUESTION, "--index", "--year", "2012-2015", "--top", "3"),
        *("--per-abstract", "4", "--json"),
    )
    results = json.loads(done.stdout)["results"]
    assert len(results) == 3
    assert {result["year"] for result in results} <= set(range(2012, 2016))
    none = citespan("answers", "find", QUESTION, "--year", "1900", "--json")
    assert json.loads(none.stdout)["results"] == []
    assert none.returncode == 0


def test_what_looks_like_syntax_is_searched_for_as_text(citespan: Citespan, indexed: None) -> None:
    done = citespan("answers", "find", 'pmid:1 OR *:* (zelatine~ "gout', *DETECTED, "--json")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["results"][0]["sentence"] == GOUT


def test_answers_for_people(citespan: Citespan, indexed: None) -> None:
    done = citespan("answers", "find", QUESTION, *DETECTED, "--top", "1")
    text = " ".join(done.stdout.split())
    assert f"⟦{GOUT}⟧ Larger studies should confirm this." in text
    assert "1. PMID " in text
    assert "Does zelatine help patients with gout?" in text


def test_no_index_is_one_line(citespan: Citespan, es: Elasticsearch) -> None:
    es.indices.delete(index=abstracts.INDEX, ignore_unavailable=True)
    done = citespan("answers", "find", QUESTION, *DETECTED)
    assert done.returncode == 2
    assert "no abstracts are indexed; see `citespan index --help`" in done.stderr


@pytest.fixture
def file(tmp_path: Path) -> str:
    (tmp_path / "qa.json").write_text(json.dumps(made_pubmedqa(20)))
    return str(tmp_path / "qa.json")


def test_answers_in_a_file_as_csv(file: str) -> None:
    done = run_citespan("answers", "find", QUESTION, file, *DETECTED, "--csv", "--top", "2")
    assert done.returncode == 0, done.stderr
    rows = list(csv.DictReader(io.StringIO(done.stdout)))
    assert [row["rank"] for row in rows] == ["1", "2"]
    assert rows[0]["sentence"] == GOUT
    assert rows[0]["year"] == "2001"


def test_bad_records_are_told_and_the_rest_goes_on(tmp_path: Path) -> None:
    records = made_pubmedqa(2) | {"8": {"QUESTION": "Why?", "CONTEXTS": ["a"], "LABELS": []}}
    (tmp_path / "qa.json").write_text(json.dumps(records))
    done = run_citespan("answers", "find", QUESTION, str(tmp_path / "qa.json"), "--json")
    assert done.returncode == 1
    assert json.loads(done.stdout)["results"][0]["pmid"] == "1"
    assert "PMID 8" in done.stderr


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("does it the of?",), "nothing but stop words in it"),
        (("zelatine", "nowhere.xml"), "nowhere.xml: no such file or folder"),
        (("zelatine", "--year", "soon"), "year 'soon': write it as in 2010, 2010-"),
        (("zelatine", "--detector", "nowhere"), "nowhere: no detector of answers"),
        (("zelatine", "--csv", "--json"), "--csv and --json can't be combined"),
        (("zelatine", "nowhere.xml", "--index"), "--index and nowhere.xml: choose one"),
    ],
)
def test_wrong_arguments_come_to_one_line(arguments: tuple[str, ...], said: str) -> None:
    done = run_citespan("answers", "find", *arguments)
    assert done.returncode == 2
    assert said in done.stderr
    assert done.stderr.count("\n") == 1


def test_a_detector_of_ones_own(file: str, tmp_path: Path) -> None:
    to = tmp_path / "model"
    done = run_citespan(
        *("answers", "train", "answers", file, "--out", str(to), "--feature-set", "6"),
        *("--about", "made up for a test", "--json"),
    )
    assert done.returncode == 0, done.stderr
    made = json.loads(done.stdout)
    assert (made["abstracts"], made["answers"], made["others"]) == (20, 20, 60)
    assert "made up for a test" in (to / "README.md").read_text()
    found = run_citespan("answers", "find", made_title(0), file, "--detector", str(to), "--json")
    assert json.loads(found.stdout)["results"][0]["sentence"] == GOUT
    head = json.loads((to / "answers.json").read_text())
    (to / "answers.json").write_text(json.dumps(head | {"version": 0}))
    other = run_citespan("answers", "find", QUESTION, file, "--detector", str(to))
    assert other.returncode == 2
    assert "version 0, this citespan reads version 1" in other.stderr
    assert other.stderr.count("\n") == 1


@pytest.fixture
def paper(tmp_path: Path) -> tuple[str, ...]:
    """Options that name the paper's corpus, in its format: 18 and 10 abstracts, 2 missing."""
    (tmp_path / "mancon.xml").write_text(made_mancon(range(30)))
    (tmp_path / "medline.xml").write_bytes(made_medline(range(18), range(18, 28)))
    return ("--mancon", str(tmp_path / "mancon.xml"), "--medline", str(tmp_path / "medline.xml"))


def test_the_papers_tables_from_a_medline_file(
    file: str, paper: tuple[str, ...], tmp_path: Path
) -> None:
    (tmp_path / "small.yml").write_text(SMALL)
    command = ("answers", "evaluate", "run", str(tmp_path / "small.yml"), file)
    done = run_citespan(*command, *paper, "--json")
    assert done.returncode == 0, done.stderr
    assert "30 claims: 18 in structured abstracts (corpus-2), 10 in unstructured" in done.stderr
    assert "2 without an abstract, 0 like no sentence of theirs" in done.stderr
    zones, answers, both = json.loads(done.stdout)["tables"]
    assert zones["rows"][0]["data"].startswith("38 abstracts"), "20 of the file, 18 of Medline"
    data = {row["data"].split(":")[0] for row in answers["rows"]}
    assert data == {"20 questions made of titles, answer", "corpus-2 rebuilt"}
    assert [row["published"] for row in answers["rows"] if row["name"] == "feature set 5"] == (
        [{"precision": 0.1, "recall": 0.2, "f1": 0.3}] * 2
    )
    assert {row["data"].split(":")[0] for row in both["rows"]} >= {"corpus-3 rebuilt"}
    without = run_citespan(*command, "--mancon", paper[1])
    assert without.returncode == 0
    assert "ManConCorpus has no abstracts; give a Medline file of the 30 PMIDs" in without.stderr
    assert without.stderr.count("\n") == 1
    assert "corpus-2" not in without.stdout
    assert "published: made up" in without.stdout


def test_evaluate_answers_shows_every_feature_set(file: str, paper: tuple[str, ...]) -> None:
    command = ("answers", "evaluate", "answers", file, "--folds", "3")
    done = run_citespan(*command, *paper, "--configuration", "hirohata2008", "--json")
    assert done.returncode == 0, done.stderr
    titles, own = json.loads(done.stdout)["results"]
    assert list(titles["by_labels"]) == ["1", "2", "3", "4", "5", "6", "question"]
    for figures, answers in ((titles["both"]["5"], 20), (own["both"]["5"], 10)):
        assert figures["answers_found"] + figures["answers_missed"] == answers
    (Path(file).parent / "one.json").write_text(json.dumps(made_pubmedqa(1)))
    few = run_citespan(*command[:3], str(Path(file).parent / "one.json"), *command[4:], *paper)
    assert few.returncode == 0, few.stderr
    assert "1 question made of titles, left out" in few.stderr
    assert "corpus-2 rebuilt: 18 abstracts" in few.stdout
    (Path(file).parent / "mancon.xml").write_text(made_mancon(range(100, 103)))
    none = run_citespan(*command, *paper)
    assert none.returncode == 2
    assert "no abstract with a claim of" in none.stderr


def test_a_detector_is_measured_as_it_is(file: str, paper: tuple[str, ...], tmp_path: Path) -> None:
    shutil.copytree(KIND.shipped, tmp_path / "mine")
    command = ("answers", "evaluate", "answers", file, "--json", "--detector")
    results = []
    for detector in ("alamri2015", str(tmp_path / "mine")):
        done = run_citespan(*command, detector)
        assert done.returncode == 0, done.stderr
        measured = json.loads(done.stdout)
        assert "folds" not in measured
        [result] = measured["results"]
        results.append((result["by_labels"][detector], result["both"][detector]))
    assert results[0] == results[1]
    by_labels, both = results[0]
    for figures in (by_labels, both):
        assert figures["answers_found"] + figures["answers_missed"] == 20
    assert "alamri2015" in run_citespan(*command[:4], "--detector", "alamri2015").stdout
    for wrong, complaint in (
        ((*command, str(tmp_path)), f"{tmp_path}: no detector of answers"),
        ((*command, "alamri2015", *paper), "leave out --mancon and --medline"),
    ):
        refused = run_citespan(*wrong)
        assert (refused.returncode, len(refused.stderr.splitlines())) == (2, 1)
        assert complaint in refused.stderr


def test_full_text_answers_too(citespan: Citespan, es: Elasticsearch, indexed: None) -> None:
    """An article beside the abstracts; the detector knows abstracts only."""
    text = "Gout hurts.\n\nZelatine helped patients with gout in all centres."
    sections = (Section("Introduction", 0, 11), Section("Results", 13, len(text)))
    publication = Publication(pmid="99", doi="10.1/zelatine")
    article = Article(
        "full-text", "A trial of zelatine", text, "full-text.txt", sections, publication=publication
    )
    loading.load(es, [article], layout="sentences")
    try:
        found = json.loads(citespan("answers", "find", QUESTION, "--top", "40", "--json").stdout)
        [answer] = [result for result in found["results"] if result["article"] == "full-text"]
        assert (answer["zone"], answer["zone_from"]) == ("Results", "heading")
        assert (answer["pmid"], answer["doi"]) == ("99", "10.1/zelatine")
        assert answer["sentence"] == "Zelatine helped patients with gout in all centres."
        assert 0 <= answer["support"] <= 1
        table = citespan("answers", "find", QUESTION, "--top", "40", "--csv").stdout
        rows = list(csv.DictReader(io.StringIO(table)))
        assert len(rows) == len(found["results"])
        assert all(row["article"] or row["pmid"] for row in rows)
        assert all(
            0 <= float(row[name]) <= 1 for row in rows for name in ("probability", "support")
        )
        [row] = [row for row in rows if row["article"] == "full-text"]
        assert (row["pmid"], row["doi"]) == ("99", "10.1/zelatine")
        assert float(row["support"]) == answer["support"]
        old = citespan("answers", "find", QUESTION, "--detector", "alamri2015", "--json")
        assert {result["article"] for result in json.loads(old.stdout)["results"]} == {None}
        es.indices.delete(index=abstracts.INDEX)
        alone = json.loads(citespan("answers", "find", QUESTION, "--json").stdout)["results"]
        assert "full-text" in {result["article"] for result in alone}
    finally:
        delete("full-text", client=es)


def test_abstracts_without_conclusions_are_found(file: str, tmp_path: Path) -> None:
    records = json.loads(Path(file).read_text())
    for record in records.values():
        record["LONG_ANSWER"] = ""
    (tmp_path / "cut.json").write_text(json.dumps(records))
    done = run_citespan("answers", "find", QUESTION, str(tmp_path / "cut.json"), "--json")
    results = json.loads(done.stdout)["results"]
    assert {result["zone"] for result in results} == {"Results"}


def test_collections_of_abstracts_are_searched_alone(
    citespan: Citespan, es: Elasticsearch, indexed: None, tmp_path: Path
) -> None:
    for name, numbers in (("trials", [1]), ("reviews", [1, 2])):
        file = tmp_path / f"{name}.xml"
        file.write_bytes(made_medline(numbers, []))
        done = citespan("index", str(file), "--format", "medline", "--collection", name, "--json")
        assert json.loads(done.stdout)["indexed"] == len(numbers), done.stderr
    assert es.count(index=abstracts.INDEX)["count"] == 36
    trials = citespan("answers", "find", QUESTION, "--collection", "trials", "--json")
    assert len(json.loads(trials.stdout)["results"]) == 1
    both = ("--collection", "trials", "--collection", "reviews")
    found = citespan("answers", "find", QUESTION, *both, "--json")
    assert len(json.loads(found.stdout)["results"]) == 2

    missing = citespan("answers", "find", QUESTION, "--collection", "trails")
    assert missing.returncode == 2
    assert "there are: reviews, trials" in missing.stderr
    wrong = citespan("index", str(file), "--format", "medline", "--collection", "My Trials")
    assert (wrong.returncode, "lower-case" in wrong.stderr) == (2, True)
    (tmp_path / "a.txt").write_text("Zelatine helped. It was given to patients with gout.")
    article = citespan("index", str(tmp_path / "a.txt"), "--collection", "trials")
    assert (article.returncode, "is for abstracts" in article.stderr) == (2, True)
    es.indices.delete(index=[f"{abstracts.INDEX}-trials", f"{abstracts.INDEX}-reviews"])
