"""`citespan index` and `citespan search` as users run them, on the sample and on bad input."""

import json
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from elasticsearch import Elasticsearch
from loaded_state import spans_of
from places import SHARED_DATA, TEST_DATA

from citespan.pipelines.evaluation.shipped import sample

Citespan = Callable[..., subprocess.CompletedProcess[str]]

CITANCE = "When DNA is damaged, p53 is stabilised and stops the cell cycle through p21 [12]"
P53 = ("--article", "p53-dna-damage")
NONE = ("--ranker", "none")
PLAIN = (*P53, *NONE)  # the method of Cohan et al. (2015)
CRAFT = SHARED_DATA / "craft/train/nxml"


@pytest.fixture(scope="module")
def indexed(node: str) -> None:
    from real_node import run_citespan

    done = run_citespan("index", str(sample("jats")), "--models", "vsm,bm25,dfr,lmd")
    assert done.returncode == 0, done.stderr


def as_json(done: subprocess.CompletedProcess[str], status: int = 0) -> dict[str, object]:
    assert done.returncode == status, done.stderr
    loaded: dict[str, object] = json.loads(done.stdout)
    return loaded


def complaint(done: subprocess.CompletedProcess[str], status: int = 2) -> str:
    """The one line on stderr of a command that failed."""
    assert done.returncode == status, done
    assert done.stdout == ""
    lines = done.stderr.splitlines()
    assert len(lines) == 1, done.stderr
    return lines[0]


@pytest.mark.usefixtures("indexed")
def test_loading_again_is_all_unchanged(citespan: Citespan) -> None:
    report = as_json(citespan("index", str(sample("jats")), "--json"))
    assert {key: report[key] for key in ("inputs", "indexed", "unchanged", "spans")} == {
        "inputs": 3,
        "indexed": 0,
        "unchanged": 3,
        "spans": 0,
    }


@pytest.mark.usefixtures("indexed")
@pytest.mark.parametrize("model", ["vsm", "bm25", "dfr", "lmd"])
def test_every_model_finds_the_evidence(citespan: Citespan, es: Elasticsearch, model: str) -> None:
    found = as_json(citespan("search", CITANCE, *PLAIN, "--model", model, "--json"))
    assert (found["article"], found["model"], found["reformulation"]) == (
        "p53-dna-damage",
        model,
        "baseline",
    )
    query = found["query"]
    results = found["results"]
    assert isinstance(query, list)
    assert isinstance(results, list)
    assert {"text": "p21", "weight": 1.0, "kind": "word"} in query
    assert not any(term["text"] in {"12", "is", "the"} for term in query)
    assert [r["rank"] for r in results] == [1, 2, 3]
    assert any("arrest the cell cycle" in r["text"] for r in results)
    for result in results:
        assert result["end"] - result["start"] == len(result["text"])
        assert 0 <= result["last_sentence"] - result["first_sentence"] <= 4
        marked = {result["text"][a:b].lower() for a, b in result["matches"]}
        assert marked & {"p53", "p21", "dna"}


@pytest.mark.usefixtures("indexed")
def test_spans_are_shown_in_their_place(citespan: Citespan) -> None:
    shown = citespan("search", CITANCE, *PLAIN, "--top", "1", "--explain")
    assert shown.returncode == 0
    assert "sentences 35-37, characters 2868-3137" in shown.stdout
    assert "which term scored what" in shown.stdout
    assert "spans merged into it" in shown.stdout


@pytest.mark.usefixtures("indexed")
def test_a_pipe_shows_where_the_span_begins_and_ends(citespan: Citespan) -> None:
    arguments = ("search", CITANCE, *PLAIN, "--top", "1")
    shown = " ".join(citespan(*arguments).stdout.split())
    results = as_json(citespan(*arguments, "--json"))["results"]
    assert isinstance(results, list)
    before, _, rest = shown.partition("⟦")
    span, _, after = rest.partition("⟧")
    assert span.replace("⟨", "").replace("⟩", "") == " ".join(results[0]["text"].split())
    assert span.count("⟨") == span.count("⟩") == len(results[0]["matches"])
    assert before.endswith(" ")
    assert after


@pytest.mark.usefixtures("indexed")
def test_a_citance_that_is_too_long_is_cut_with_a_warning(tmp_path: Path) -> None:
    import sys

    words = " ".join(f"word{number}" for number in range(50_000))
    done = subprocess.run(
        [sys.executable, "-m", "citespan.cli.main", "search", "-", *P53, "--json"],
        input=f"{CITANCE} p53 p53 {words}",
        capture_output=True,
        text=True,
        check=False,
    )
    found = as_json(done)
    assert len(found["query"]) == 1_000
    assert found["results"]
    [line] = done.stderr.splitlines()
    assert "only the 1,000 of the greatest weight are searched for" in line


@pytest.mark.usefixtures("indexed")
def test_explained_terms_add_up(citespan: Citespan) -> None:
    arguments = ("--no-merge", "--explain", "--json", "--model", "bm25")
    results = as_json(citespan("search", CITANCE, *PLAIN, *arguments))["results"]
    assert isinstance(results, list)
    for result in results:
        assert sum(result["terms"].values()) == pytest.approx(result["score"], rel=1e-5)


@pytest.mark.usefixtures("indexed")
def test_the_request_shown_is_one_that_runs(citespan: Citespan, es: Elasticsearch) -> None:
    line, _, body = citespan("search", CITANCE, *PLAIN, "--dsl").stdout.partition("\n")
    index = spans_of(es, "p53-dna-damage")
    assert line == f"GET {index}/_search"
    response = es.search(index=index, **json.loads(body))
    assert len(response["hits"]["hits"]) == 50


@pytest.mark.usefixtures("indexed")
def test_the_citance_may_come_from_standard_input() -> None:
    import sys

    done = subprocess.run(
        [sys.executable, "-m", "citespan.cli.main", "search", "-", *P53, "--json"],
        input=CITANCE,
        capture_output=True,
        text=True,
        check=False,
    )
    assert as_json(done)["results"]


@pytest.mark.usefixtures("indexed")
def test_greek_letters_and_their_names_are_the_same(citespan: Citespan) -> None:
    by_letter, by_name = (
        as_json(
            citespan("search", f"{name}1 signals", "--article", "tgf-beta-smad", *NONE, "--json")
        )
        for name in ("TGF-β", "TGF-beta")
    )
    assert by_letter["results"] == by_name["results"] != []


@pytest.mark.usefixtures("indexed")
@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (("", *P53), "nothing of the citance is left to search for"),
        (("it was there in 2003 [4]", *P53), "nothing of the citance is left to search for"),
        ((CITANCE, "--article", "p53-dna-damag"), "unknown article 'p53-dna-damag'; did you mean "),
        ((CITANCE, *P53, "--model", "tfidf"), "unknown model 'tfidf'; choose from: bm25, dfr"),
        ((CITANCE, *P53, "--reformulation", "x"), "unknown reformulation 'x'; choose from: "),
        ((CITANCE, *P53, "--top", "0"), "top 0 is not possible; use 1 or more"),
        ((CITANCE, *PLAIN, "--top", "0"), "top 0 of 50 retrieved spans is not possible"),
        ((CITANCE, *P53, "--depth", "10001"), "use 1 <= top <= depth <= 10000"),
        ((CITANCE, *PLAIN, "--top", "9", "--depth", "5"), "use 1 <= top <= depth <= 10000"),
    ],
)
def test_what_cannot_be_searched_is_one_clear_line(
    citespan: Citespan, arguments: tuple[str, ...], expected: str
) -> None:
    assert expected in complaint(citespan("search", *arguments))


@pytest.mark.parametrize(
    ("damage", "expected"),
    [
        ("delete", "the index of article 'delete' is gone"),
        ("close", "Elasticsearch refused a search: closed"),
    ],
)
def test_an_index_that_cannot_be_searched_is_one_clear_line(
    citespan: Citespan, es: Elasticsearch, tmp_path: Path, damage: str, expected: str
) -> None:
    (tmp_path / f"{damage}.txt").write_text("The kinase binds. It is then released.")
    assert citespan("index", str(tmp_path)).returncode == 0
    index = spans_of(es, damage)
    getattr(es.indices, damage)(index=index)
    assert expected in complaint(citespan("search", "a kinase", "--article", damage))
    es.indices.delete(index=index, ignore_unavailable=True)  # other tests find closed indices


def test_no_server_is_status_three(citespan: Citespan) -> None:
    import os

    env = os.environ | {"CITESPAN_ES_URL": "http://127.0.0.1:9"}
    assert "can't be reached" in complaint(citespan("search", CITANCE, *P53, env=env), 3)


def test_a_model_that_was_not_indexed_is_told_with_the_remedy(
    citespan: Citespan, tmp_path: Path
) -> None:
    (tmp_path / "plain.txt").write_text("The kinase binds. It is then released.")
    assert citespan("index", str(tmp_path)).returncode == 0
    said = complaint(citespan("search", "a kinase", "--article", "plain", "--model", "bm25"))
    assert "indexed for vsm, not for bm25; index it again with --models vsm,bm25" in said


def test_debug_shows_the_traceback(citespan: Citespan) -> None:
    done = citespan("--debug", "search", CITANCE, *P53, "--model", "tfidf")
    assert done.returncode == 2
    assert "Traceback" in done.stderr


BOMB = (
    '<?xml version="1.0"?><!DOCTYPE article [<!ENTITY a "aaaaaaaaaa">'
    + "".join(f'<!ENTITY a{n} "{f"&a{n - 1 or str()};" * 10}">' for n in range(1, 10))
    + "]><article><body><p>&a9;</p></body></article>"
)
OUTSIDE = (
    '<?xml version="1.0"?><!DOCTYPE article [<!ENTITY x SYSTEM "file:///etc/passwd">]>'
    "<article><body><p>&x;</p></body></article>"
)
BAD_XML = {
    "truncated.xml": "<article><front><article-meta>",
    "empty.xml": "",
    "bomb.xml": BOMB,
    "outside.xml": OUTSIDE,
    "deep.xml": "<article><body>" + "<sec>" * 10_000 + "</sec>" * 10_000 + "</body></article>",
}


def test_bad_xml_is_quarantined_and_the_rest_is_indexed(citespan: Citespan, tmp_path: Path) -> None:
    for name, content in BAD_XML.items():
        (tmp_path / name).write_text(content)
    (tmp_path / "not-utf-8.xml").write_bytes("<article><p>caf\xe9</p></article>".encode("latin-1"))
    good = (
        "<article><front/><body><sec><p>The kinase binds its receptor.</p></sec></body></article>"
    )
    (tmp_path / "good.xml").write_text(good)
    (tmp_path / "no-text.xml").write_text("<article><front/><body/></article>")

    done = citespan("index", str(tmp_path), "--format", "jats", "--json")
    report = as_json(done, status=1)
    assert (report["inputs"], report["indexed"]) == (8, 1)
    quarantined, skipped = report["quarantined"], report["skipped"]
    assert isinstance(quarantined, list)
    assert isinstance(skipped, list)
    names = {Path(entry["path"].rpartition(":")[0] or entry["path"]).name for entry in quarantined}
    names |= {Path(entry["path"]).name for entry in quarantined}
    assert {*BAD_XML, "not-utf-8.xml"} <= names
    assert len(quarantined) == 6
    assert [Path(entry["path"]).name for entry in skipped] == ["no-text.xml"]
    assert all(entry["reason"] and "\n" not in entry["reason"] for entry in quarantined)
    assert "root:" not in done.stdout
    assert len(done.stderr.splitlines()) == 7


@pytest.mark.parametrize("layout", ["spans", "sentences"])
def test_evidence_in_a_pdf_names_its_page(citespan: Citespan, layout: str, tmp_path: Path) -> None:
    paper = tmp_path / f"tanks-{layout}.pdf"
    shutil.copy(TEST_DATA / "readers" / "pdf" / "made.pdf", paper)
    as_json(citespan("index", str(paper), "--layout", layout, "--json"))
    query = ("search", "The end of the methods stands below", "--article", paper.stem)
    found = as_json(citespan(*query, *NONE, "--json"))
    assert isinstance(found["results"], list)
    assert "The end of the methods" in found["results"][0]["text"]
    assert found["results"][0]["page"] == 2
    shown = citespan("show", paper.stem, "--sentences", "0-3").stdout
    assert "Abstract, page 1" in shown


def test_bad_lines_are_told_by_their_number(citespan: Citespan, tmp_path: Path) -> None:
    lines = [
        '{"id": "a/b", "text": "First one. Second one."}',
        "not JSON",
        '{"id": "a:b", "text": "A single sentence."}',
        '{"id": "a/b", "text": "The same id."}',
        '{"text": "No id."}',
        '{"id": "blank", "text": " "}',
    ]
    file = tmp_path / "articles.jsonl"
    file.write_text("\n".join(lines))
    report = as_json(citespan("index", str(file), "--json"), status=1)
    assert (report["inputs"], report["indexed"], report["sentences"]) == (6, 2, 3)
    quarantined = report["quarantined"]
    assert isinstance(quarantined, list)
    assert [entry["path"] for entry in quarantined] == [f"{file}:{n}" for n in (2, 4, 5)]
    assert "has the id 'a/b'" in quarantined[1]["reason"]
    # ids that no index name can hold stay apart
    for article, text in (("a/b", "First one."), ("a:b", "A single sentence.")):
        found = as_json(citespan("search", text, "--article", article, *NONE, "--json"))["results"]
        assert isinstance(found, list)
        assert text in found[0]["text"]


def test_articles_may_come_from_standard_input() -> None:
    import sys

    done = subprocess.run(
        [sys.executable, "-m", "citespan.cli.main", "index", "-", "--format", "jsonl", "--json"],
        input='{"id": "piped", "text": "It came through a pipe."}\n',
        capture_output=True,
        text=True,
        check=False,
    )
    assert as_json(done)["indexed"] == 1


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (("nowhere",), "nowhere: no such file or folder"),
        (("{folder}", "--format", "odt"), "unknown format 'odt'; choose from: docx, jats, jsonl"),
        (("{folder}", "--models", "tfidf"), "unknown model 'tfidf'"),
        (("{folder}", "--splitter", "none"), "unknown sentence splitter 'none'"),
        (("{folder}", "--shortest", "3", "--longest", "2"), "spans of 3 to 2 sentences"),
        (("{folder}",), "no known format"),
    ],
)
def test_what_cannot_be_indexed_is_one_clear_line(
    citespan: Citespan, tmp_path: Path, arguments: tuple[str, ...], expected: str
) -> None:
    (tmp_path / "data.bin").write_bytes(bytes(range(256)))
    filled = (argument.replace("{folder}", str(tmp_path)) for argument in arguments)
    assert expected in complaint(citespan("index", *filled))


@pytest.mark.skipif(not CRAFT.is_dir(), reason="../shared/data is not here")
def test_craft_is_indexed_whole(citespan: Citespan, es: Elasticsearch) -> None:
    report = as_json(citespan("index", str(CRAFT), "--format", "jats", "--json"))
    assert (report["inputs"], report["indexed"]) == (60, 60)

    from citespan.pipelines.corpus.article import Article
    from citespan.pipelines.corpus.reader import readers
    from citespan.pipelines.layouts.spans.missing_spaces import restore_text
    from citespan.pipelines.store.catalogue import Catalogue

    reader = readers["jats"]
    for unit in reader.find(CRAFT):
        for article in reader.read(unit):
            assert isinstance(article, Article)
            index = Catalogue(es).find(article.id).index
            response = es.search(index=index, query={"match_all": {}}, size=10_000)
            assert response["hits"]["total"]["value"] == len(response["hits"]["hits"])
            for hit in response["hits"]["hits"]:
                span = hit["_source"]
                assert article.text[span["start"] : span["end"]] == restore_text(span)
    citance = "PGC-1alpha deficient mice develop hepatic steatosis after starvation [3]"
    found = as_json(citespan("search", citance, "--article", "PMC1064854", *NONE, "--json"))[
        "results"
    ]
    assert isinstance(found, list)
    assert all("steatosis" in result["text"].lower() for result in found)
