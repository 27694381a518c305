"""`citespan delete` says what it deletes, asks, and deletes that and nothing else.

By the command line and the documents on the server, of this version or of another
(`tests/support/command_line.py`).
"""

import json
import os
import pty
import subprocess
from pathlib import Path

import pytest
from command_line import COMMAND, run
from elasticsearch import Elasticsearch
from made_medline import citation, medline, section
from real_node import empty_node
from small_loads import line

LAYOUTS = pytest.mark.parametrize("layout", ["sentences", "spans"])


@pytest.fixture(autouse=True)
def empty(es: Elasticsearch) -> None:
    """Each begins on an empty node."""
    empty_node(es)


def index(file: Path, text: str, *arguments: object) -> None:
    file.write_text(text)
    done = run("index", file, *arguments)
    assert done.returncode == 0, done.stderr


def stored(es: Elasticsearch, index: str = "citespan-articles") -> set[str]:
    es.indices.refresh(index="citespan-*")
    hits = es.search(index=index, size=100, ignore_unavailable=True)["hits"]["hits"]
    return {hit["_id"] for hit in hits}


def article(name: str, *also: str) -> str:
    return json.dumps(
        {"id": name, "title": f"Of {name}", "text": "It is. It was.", "also_known_as": also}
    )


@LAYOUTS
def test_what_was_deleted_by_its_id_is_not_deleted_again_by_a_second_name(
    es: Elasticsearch, tmp_path: Path, layout: str
) -> None:
    lines = f"{article('gone1')}\n{article('other', 'gone1')}"
    index(tmp_path / "a.jsonl", lines, "--layout", layout)
    yes = ["--yes"] if run("delete", "--help").stdout.count("--yes") else []
    assert run("delete", "gone1", *yes).returncode == 0
    again = run("delete", "gone1", *yes)
    assert stored(es) == {"other"}
    assert again.returncode == 2
    [told] = again.stderr.splitlines()
    assert "another name of article 'other', 'Of other'; to delete it, name other" in told


def test_abstracts(es: Elasticsearch, tmp_path: Path) -> None:
    """One that is indexed alone, and one of which the full text is as well."""
    texts = [
        citation(pmid, "Kinases", section("Kinases bind. They let go."))
        for pmid in ("24267613", "77")
    ]
    index(tmp_path / "m.xml", medline(texts).decode(), "--no-zones")
    index(tmp_path / "a.jsonl", article("PMC2238709", "77"))
    both = run("delete", "77", "--yes")
    assert both.returncode == 2
    [told] = both.stderr.splitlines()
    assert "PMC2238709 with --kind article" in told
    assert "--kind abstract" in told
    assert len(stored(es)) == 1
    done = run("delete", "24267613", "--yes", "--json")
    assert (done.returncode, json.loads(done.stdout)) == (0, {"deleted": ["24267613"]})
    assert stored(es, "citespan-abstracts") == {"77"}
    assert run("delete", "77", "--kind", "abstract", "--yes").stdout.strip() == "1 abstract deleted"
    assert stored(es, "citespan-abstracts") == set()
    assert run("delete", "PMC2238709", "--yes").stdout.strip() == "1 article deleted"


def test_an_abstract_of_a_collection(es: Elasticsearch, tmp_path: Path) -> None:
    text = citation("5", "Kinases", section("Kinases bind. They let go."))
    index(tmp_path / "m.xml", medline([text]).decode(), "--no-zones", "--collection", "mine")
    assert run("delete", "5", "--yes").returncode == 2
    assert run("delete", "5", "--collection", "mine", "--yes").returncode == 0
    assert stored(es, "citespan-abstracts-mine") == set()


def test_a_name_that_is_almost_one(tmp_path: Path) -> None:
    index(tmp_path / "a.jsonl", line("kept-article", 3))
    done = run("delete", "kept-artikle", "--yes")
    assert done.returncode == 2
    assert done.stderr.strip().endswith(
        "unknown article 'kept-artikle'; did you mean kept-article?"
    )


def test_nobody_to_ask(es: Elasticsearch, tmp_path: Path) -> None:
    index(tmp_path / "a.jsonl", article("a"))
    done = run("delete", "a")
    assert done.returncode == 2
    [told] = done.stderr.splitlines()
    assert "add --yes" in told
    assert stored(es) == {"a"}


@pytest.mark.parametrize(("answer", "left"), [("n", {"a", "b"}), ("y", {"b"})])
def test_on_a_terminal_it_shows_what_goes_and_asks(
    es: Elasticsearch, tmp_path: Path, answer: str, left: set[str]
) -> None:
    index(tmp_path / "a.jsonl", f"{article('a')}\n{article('b')}")
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        [*COMMAND, "delete", "a"], stdin=theirs, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    os.close(theirs)
    os.write(ours, f"{answer}\n".encode())
    _, told = process.communicate(timeout=120)
    os.close(ours)
    assert b"article a: Of a" in told
    assert b"Delete 1 article?" in told
    assert stored(es) == left
    assert process.returncode == (1 if answer == "n" else 0)


def test_what_the_server_refuses_to_delete_is_told(es: Elasticsearch, tmp_path: Path) -> None:
    lines = f"{article('a')}\n{article('b')}"
    index(tmp_path / "a.jsonl", lines, "--layout", "sentences")
    block = {"index.blocks.write": True}
    es.indices.put_settings(index="citespan-sentences-000", settings=block)
    yes = ["--yes"] if run("delete", "--help").stdout.count("--yes") else []
    done = run("delete", "a", "b", *yes)
    es.indices.put_settings(index="citespan-sentences-000", settings={"index.blocks.write": None})
    assert done.returncode == 3, done
    [told] = done.stderr.splitlines()
    assert "write" in told
