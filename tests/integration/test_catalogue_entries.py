"""Entries of the catalogue are never less than they were: what changes them, and what mends them.

By the command line and the documents on the server, of this version or of another
(`tests/support/command_line.py`).
"""

import json
from pathlib import Path
from typing import Any

import pytest
from command_line import run
from elasticsearch import Elasticsearch
from real_node import empty_node
from small_loads import line

CATALOGUE = "citespan-articles"
LAYOUTS = pytest.mark.parametrize("layout", ["sentences", "spans"])


@pytest.fixture(autouse=True)
def empty(es: Elasticsearch) -> None:
    """Each begins on an empty node."""
    empty_node(es)


def load(*arguments: object) -> dict[str, Any]:
    """Load, without anything amiss, and return the report."""
    done = run("index", *arguments, "--json")
    assert done.returncode == 0, done.stderr
    report: dict[str, Any] = json.loads(done.stdout)
    return report


def write(folder: Path, number: int) -> Path:
    """Write articles, each in a file of its own."""
    folder.mkdir()
    for n in range(number):
        (folder / f"{n}.jsonl").write_text(line(f"kept-{n}", 5))
    return folder


def found_by_text(es: Elasticsearch, file: Path) -> set[str]:
    """The articles that a search for each word of an article finds by their texts."""
    es.indices.refresh(index=CATALOGUE)
    text = json.loads(file.read_text())["text"]
    query = {"match": {"text": {"query": text, "operator": "and"}}}
    return {hit["_id"] for hit in es.search(index=CATALOGUE, query=query)["hits"]["hits"]}


def count_without_text(es: Elasticsearch) -> int:
    es.indices.refresh(index=CATALOGUE)
    query = {"bool": {"must_not": [{"exists": {"field": "text"}}]}}
    return int(es.count(index=CATALOGUE, query=query)["count"])


@LAYOUTS
def test_an_article_that_one_of_two_folders_has_lost_is_found_by_its_text(
    es: Elasticsearch, tmp_path: Path, layout: str
) -> None:
    first, second = write(tmp_path / "first", 4), write(tmp_path / "second", 4)
    load(first, "--layout", layout)
    load(second, "--layout", layout)
    assert "kept-3" in found_by_text(es, first / "3.jsonl")
    (second / "3.jsonl").unlink()
    assert load(second, "--layout", layout, "--delete-missing")["deleted"] == 0
    [source] = es.get(index=CATALOGUE, id="kept-3")["_source"]["source"]
    assert str(first) in str(source)
    assert count_without_text(es) == 0
    assert "kept-3" in found_by_text(es, first / "3.jsonl")


@LAYOUTS
def test_doctor_gives_an_entry_back_its_text(
    es: Elasticsearch, tmp_path: Path, layout: str
) -> None:
    folder = write(tmp_path / "folder", 3)
    (folder / "dots.jsonl").write_text(json.dumps({"id": "dots", "text": "... ..."}))
    load(folder, "--layout", layout)
    assert run("doctor").returncode == 0
    before = found_by_text(es, folder / "1.jsonl")
    es.update_by_query(index=CATALOGUE, query={"term": {"article": "kept-1"}}, refresh=True)
    assert "kept-1" not in found_by_text(es, folder / "1.jsonl")
    told = run("doctor")
    assert told.returncode == 1
    assert "kept-1" in told.stdout
    mended = run("doctor", "--repair")
    assert mended.returncode == 0, mended.stdout
    assert found_by_text(es, folder / "1.jsonl") == before
    assert run("doctor").returncode == 0


@LAYOUTS
def test_doctor_deletes_an_entry_that_a_late_request_has_brought_back(
    es: Elasticsearch, tmp_path: Path, layout: str
) -> None:
    """A copy of the first writing of an entry comes when its deletion is forgotten."""
    folder = write(tmp_path / "folder", 12)
    load(folder, "--layout", layout)
    entry = es.get(index=CATALOGUE, id="kept-3")["_source"]
    text = json.loads((folder / "3.jsonl").read_text())["text"]
    yes = ["--yes"] * ("--yes" in run("delete", "--help").stdout)
    assert run("delete", "kept-3", *yes).returncode == 0
    es.create(index=CATALOGUE, id="kept-3", document={**entry, "text": text}, refresh=True)
    told = run("doctor")
    assert told.returncode == 1, told.stdout
    assert "kept-3" in run("doctor", "--repair").stdout
    assert not es.exists(index=CATALOGUE, id="kept-3")
    assert run("doctor").returncode == 0


@LAYOUTS
def test_doctor_keeps_the_entries_of_an_index_that_is_lost(
    es: Elasticsearch, tmp_path: Path, layout: str
) -> None:
    """A snapshot may still have it."""
    load(write(tmp_path / "folder", 3), "--layout", layout)
    es.indices.delete(index=",".join(es.indices.get(index=f"citespan-{layout}-*")))
    told = run("doctor", "--repair")
    assert told.returncode == 1
    assert "restore a snapshot" in " ".join(told.stdout.split())
    assert es.count(index=CATALOGUE)["count"] == 3
