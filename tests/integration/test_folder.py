"""A folder of articles in place of a server: the same answers as with a real node, by the real
command line, by Python and on the pages."""

import json
import os
import random
import shutil
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import command_line
import httpx
import pytest
from elasticsearch import Elasticsearch
from made_articles import random_article
from served import HOSTILE, served

import citespan as front_door
from citespan.library import open_folder
from citespan.pipelines.corpus.article import Article
from citespan.pipelines.evaluation.shipped import sample
from citespan.pipelines.folder.client import FolderClient

SIGNALS = sample("jats").parent / "manuscript" / "signals.md"
CITANCE = "p53 stops the cell cycle after DNA damage [12], as kinases bind TGF-β1 in mice."
LEFT_OUT = ("seq_no", "loaded", "source", "index", "edition")
MADE = 12


def write_line(article: Article) -> str:
    return json.dumps({"id": article.id, "title": article.title, "text": article.text})


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The sample, and made articles, one of them with characters that Python analyses otherwise
    than the server may."""
    folder = tmp_path_factory.mktemp("folder") / "articles"
    shutil.copytree(sample("jats"), folder)
    made = [random_article(f"made-{n}", 40, random.Random(n)) for n in range(MADE)]
    lines = map(write_line, [*made, HOSTILE])
    (folder / "made.jsonl").write_text("\n".join(lines))
    return folder


@pytest.fixture
def both(es: Elasticsearch, folder: Path) -> Iterator[tuple[Elasticsearch, FolderClient]]:
    """A client of the node, and one of the folder, with the same articles."""
    front_door.index(sample("jats"), layout="sentences", client=es, processes=0)
    front_door.index(folder / "made.jsonl", layout="sentences", client=es, processes=0)
    yield es, open_folder(folder)[0]


def approximate(value: Any) -> Any:
    """Return a value of JSON whose numbers equal all that differ by no more than 32 bits can tell,
    without what differs between two loads."""
    if isinstance(value, dict):
        return {key: approximate(part) for key, part in value.items() if key not in LEFT_OUT}
    if isinstance(value, list | tuple):
        return [approximate(part) for part in value]
    return pytest.approx(value, rel=1e-6, abs=1e-6) if isinstance(value, float) else value


def take(value: Any) -> Any:
    """Return a value of JSON without what differs between two loads."""
    if isinstance(value, dict):
        return {key: take(part) for key, part in value.items() if key not in LEFT_OUT}
    return [take(part) for part in value] if isinstance(value, list | tuple) else value


def ask_both(
    both: tuple[Elasticsearch, FolderClient], ask: Callable[[Elasticsearch], Any]
) -> list[Any]:
    return [approximate(ask(both[0])), take(ask(both[1]))]


def test_a_manuscript_has_the_same_statuses_passages_and_probabilities(
    both: tuple[Elasticsearch, FolderClient], tmp_path: Path
) -> None:
    generator = random.Random(1)
    texts = [random_article(f"made-{n}", 40, random.Random(n)) for n in range(MADE)]
    citations = []
    for number in range(40):
        article = generator.choice(texts)
        at = generator.randrange(len(article.text) - 300)
        said = " ".join(article.text[at : at + 200].replace(".", "").split()[1:-1])
        citations.append(f"It was seen that {said} [@ref{number % MADE}].")
    entries = [
        f"@article{{ref{number}, title = {{{{{article.title}}}}}, author = {{Ito, K}}}}"
        for number, article in enumerate(texts)
    ]
    entries[0] = "@article{ref0, doi = {10.1000/none}}"
    (tmp_path / "made.bib").write_text("\n".join(entries))
    made = tmp_path / "made.md"
    made.write_text("---\ntitle: T\nbibliography: made.bib\n---\n\n" + "\n\n".join(citations))
    for manuscript in (SIGNALS, made):
        served, alone = ask_both(
            both, lambda client, m=manuscript: front_door.check(m, client=client).to_json()
        )
        assert alone == served
    assert {citation["status"] for citation in alone["citations"]} <= {"not indexed", "unresolved"}


@pytest.mark.parametrize("article", ["p53-dna-damage", "made-3", HOSTILE.id])
def test_searches_of_an_article_find_the_same(
    both: tuple[Elasticsearch, FolderClient], article: str
) -> None:
    for settings in (
        {"ranker": "evidence", "top": 10, "scores": True, "rivals": True},
        {"ranker": "evidence", "reformulation": "np+prf", "model": "bm25"},
        {"ranker": "none", "reformulation": "np", "explain": True},
        {"ranker": "none", "model": "lmd", "longest": 3, "top": 20, "depth": 50},
        {"ranker": "none", "model": "dfr", "reformulation": "keywords", "idf": "both"},
    ):
        served, alone = ask_both(
            both,
            lambda client, s=settings: front_door.search(
                CITANCE, article, client=client, **s
            ).to_json(),
        )
        assert alone == served
        assert alone["results"]


def test_searches_of_all_articles_find_the_same(both: tuple[Elasticsearch, FolderClient]) -> None:
    for settings in (
        {"ranker": "evidence", "top": 8, "per_article": 2},
        {"ranker": "none", "top": 8},
        {"ranker": "evidence", "reformulation": "np", "year": "2020-"},
        {"ranker": "evidence", "year": "-1900"},
        {"ranker": "none", "citing": "made-1"},
    ):
        served, alone = ask_both(
            both,
            lambda client, s=settings: [
                article.to_json() for article in front_door.search_all(CITANCE, client=client, **s)
            ],
        )
        assert alone == served


def test_questions_have_the_same_answers(both: tuple[Elasticsearch, FolderClient]) -> None:
    def ask(client: Elasticsearch) -> list[Any]:
        question = "Does insulin move GLUT4 to the cell surface?"
        return [answer.to_json() for answer in front_door.answers(question, client=client)]

    served, alone = ask_both(both, ask)
    assert alone == served
    assert alone


def test_articles_are_listed_shown_and_missed_alike(
    both: tuple[Elasticsearch, FolderClient],
) -> None:
    def ask(client: Elasticsearch) -> list[Any]:
        asked: list[Any] = [
            [article.article for article in front_door.articles(text, client=client)]
            for text in (None, "title made", "made-1", "p53", "nothing of the kind")
        ]
        asked.append(
            [article.title for article in front_door.articles(order="title", client=client)]
        )
        asked.append(front_door.library.count_articles(client=client))
        asked += [sentence.to_json() for sentence in front_door.show("made-1", 3, 9, client=client)]
        asked.append(front_door.cited("made-1", client=client).to_json())
        for unknown in ("p53-dna-damge", "zzz"):
            with pytest.raises(front_door.CitespanError) as told:
                front_door.show(unknown, client=client)
            asked.append(str(told.value))
        return asked

    both[0].indices.refresh(index="citespan-*")
    served, alone = ask_both(both, ask)
    assert alone == served


@pytest.fixture
def without(tmp_path: Path) -> dict[str, str]:
    """An environment with an empty home, in which no server can be known and no program found."""
    home = tmp_path / "home"
    home.mkdir()
    return {"HOME": str(home), "PATH": "", "CITESPAN_ES_URL": "", "CITESPAN_HOME": str(home / "c")}


def test_the_command_line_needs_no_server(
    folder: Path, tmp_path: Path, without: dict[str, str]
) -> None:
    own = tmp_path / "library"
    shutil.copytree(folder, own)
    (own / "broken.xml").write_text("<article>")
    first = command_line.run("check", SIGNALS, "--articles", own, "--json", **without)
    assert first.returncode == 1  # an input is quarantined
    found = json.loads(first.stdout)
    assert [citation["status"] for citation in found["citations"]][:4] == [
        "found",
        "found",
        "found",
        "none",
    ]
    broken, counted = first.stderr.splitlines()
    assert broken.startswith(f"quarantined: {own}/broken.xml: ")
    assert counted == (
        f"{own}: {4 + MADE + 1} inputs: {3 + MADE + 1} new, 1 quarantined; kept in {own}.citespan"
    )
    (own / "broken.xml").unlink()
    again = command_line.run("check", SIGNALS, "--articles", own, "--json", **without)
    assert (again.returncode, again.stderr) == (0, "")
    assert json.loads(again.stdout) == found

    command = ("search", CITANCE, "--article", "p53-dna-damage", "--json", "--articles", own)
    assert json.loads(command_line.run(*command, **without).stdout)["results"]
    every = ("search", CITANCE, "--json", "--articles", own)
    assert json.loads(command_line.run(*every, **without).stdout)["results"]
    lines = tmp_path / "lines.jsonl"
    lines.write_text(json.dumps({"article": "p53-dna-damage", "citance": CITANCE}))
    many = command_line.run("search", "--from", lines, "--articles", own, **without)
    assert json.loads(many.stdout)["verdict"] == "found"
    assert list(Path(without["HOME"]).iterdir()) == []


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("check", str(SIGNALS), "--articles", "gone"), "gone: no folder of articles"),
        (("search", CITANCE, "--articles", "gone"), "gone: no folder of articles"),
        (("serve", "--port", "0", "--articles", "gone"), "gone: no folder of articles"),
        (("search", CITANCE, "--article", "a", "--dsl", "--articles", "gone"), "--dsl prints"),
    ],
)
def test_a_folder_that_can_not_be_used_is_one_line(
    arguments: tuple[str, ...], said: str, without: dict[str, str]
) -> None:
    done = command_line.run(*arguments, **without)
    assert (done.returncode, done.stdout) == (2, "")
    [line] = done.stderr.splitlines()
    assert said in line


def test_the_pages_need_no_server(folder: Path, tmp_path: Path, without: dict[str, str]) -> None:
    own = tmp_path / "library"
    shutil.copytree(folder, own)
    open_folder(own)  # so that the page says nothing of what it reads
    environment = {**os.environ, **without}
    with (
        served(environment, "--articles", str(own)) as server,
        httpx.Client(base_url=server.url, timeout=30) as client,
    ):
        assert client.get("/api/articles").json()["count"] == 3 + MADE + 1
        asked = {"article": "p53-dna-damage", "citance": CITANCE}
        found = client.get("/api/search", params=asked).json()
        assert (found["verdict"], bool(found["results"])) == ("found", True)
        page = client.get("/article", params=asked | {"cited": "true"})
        assert (page.status_code, "<mark" in page.text) == (200, True)
        answered = client.get("/api/answers", params={"question": "Does insulin move GLUT4?"})
        assert {result["article"] for result in answered.json()["results"]} == {"insulin-glut4"}

        files = [
            ("files", (file.name, file.read_bytes()))
            for file in (SIGNALS, SIGNALS.with_suffix(".bib"))
        ]
        sent = client.post("/api/check", files=files)
        key = sent.json()["id"]
        ends = time.monotonic() + 60
        while client.get(f"/api/check/{key}/progress").json()["state"] != "done":
            assert time.monotonic() < ends
            time.sleep(0.1)
        checked = client.get(f"/api/check/{key}").json()
        assert [citation["status"] for citation in checked["citations"]][:2] == ["found", "found"]
