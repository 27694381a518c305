"""Articles of which only the abstract is indexed: checked, linked, searched, shown and deleted like
the others, by the real command line on a real node."""

import csv
import io
import json
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import loading
import pytest
from elasticsearch import Elasticsearch
from made_citing import SUGAR, load_lines, write_line
from made_medline import citation, medline, section

import citespan as front_door
from citespan.es_mappings import abstracts
from citespan.es_mappings.links import INDEX as LINKS
from citespan.library import open_folder
from citespan.pipelines.citations.resolution import make_catalogue_look_up, resolve
from citespan.pipelines.corpus.abstract import Abstract
from citespan.pipelines.corpus.article import Article, Sentence
from citespan.pipelines.corpus.publication import Publication
from citespan.pipelines.corpus.readers.medline import MedlineReader
from citespan.pipelines.indexing.documents.abstract_document import split_abstract
from citespan.pipelines.requests import SearchOptions
from citespan.pipelines.text.splitter import DEFAULT, splitters

Citespan = Callable[..., subprocess.CompletedProcess[str]]
SUGAR_LINE = {
    "title": SUGAR,
    "doi": "10.1000/sugar",
    "text": "Yeast grows on sugar in the dark. Nobody fed it bread. It needs no light.",
}
REVIEW_LINE = {
    "title": "What grows where, a review",
    "doi": "10.1000/review",
    "text": "Yeast grows on sugar in the dark [1]. Moss grows on old stones in the shade [2]. "
    "Planets turn slowly [3].",
    "references": [
        f"Ito K. {SUGAR}. J Yeast. 2001. doi:10.1000/sugar",
        "Ito K. Moss grows on old stones in gardens. J Moss. 2001.",
        "Ito K. Planets turn slowly in the dark sky. J Planets. 2005.",
    ],
}
ABSTRACT_TITLE = "Moss grows on old stones in gardens"
MOSS_SENTENCES = ("We walked past stones.", "Moss grows on old stones in the shade.")
AUTHOR = "<AuthorList><Author><LastName>Ito</LastName><ForeName>K</ForeName></Author></AuthorList>"


def _name(doi: str) -> str:
    return f'<ELocationID EIdType="doi">{doi}</ELocationID>{AUTHOR}'


ABSTRACTS = (
    citation(
        11, SUGAR, section("Yeast grows on sugar in the dark."), article=_name("10.1000/sugar")
    ),
    citation(
        12,
        ABSTRACT_TITLE,
        section(MOSS_SENTENCES[0], "METHODS") + section(MOSS_SENTENCES[1], "RESULTS"),
        article=_name("10.1000/moss"),
    ),
)


@pytest.fixture
def review(es: Elasticsearch, tmp_path: Path) -> Path:
    """The file of a review that cites a full text, an abstract and what is not indexed; an abstract
    of the full text is indexed too."""
    es.indices.delete(index=[abstracts.INDEX, LINKS], ignore_unavailable=True)
    every = [article.article for article in front_door.articles(client=es)]
    front_door.delete(*every, client=es)
    load_lines(es, "sentences", write_line(tmp_path, "sugar", SUGAR_LINE))
    records = tmp_path / "medline.xml"
    records.write_bytes(medline(ABSTRACTS))
    assert front_door.index(records, client=es, processes=0).abstracts == len(ABSTRACTS)
    return write_line(tmp_path, "review", REVIEW_LINE)


def _read(done: subprocess.CompletedProcess[str]) -> Any:
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_a_check_says_what_was_checked_against_an_abstract_only(
    citespan: Citespan, review: Path, tmp_path: Path
) -> None:
    page, missing = tmp_path / "report.html", tmp_path / "missing.csv"
    written = ("--html", str(page), "--missing", str(missing))
    found = _read(citespan("check", str(review), "--json", *written))["citations"]
    assert [
        (citation["article"], citation["abstract_only"], citation["status"]) for citation in found
    ] == [("sugar", False, "found"), ("12", True, "found"), (None, False, "not indexed")]
    best = found[1]["results"][0]
    assert (best["text"], best["section"]) == (MOSS_SENTENCES[1], "Abstract / RESULTS")
    assert found[1]["reference"]["doi"] == ""
    assert page.read_text().count("Only the abstract is indexed") == 1
    assert len(missing.read_text().splitlines()) == 2

    shown = citespan("check", str(review)).stdout
    assert shown.count("abstract only") == 2  # of the citation, and in the totals
    assert "1 checked against an abstract only" in shown
    assert citespan("check", str(review), "--markdown").stdout.count(", abstract only") == 1
    rows = csv.DictReader(io.StringIO(citespan("check", str(review), "--csv").stdout))
    assert [row["abstract_only"] for row in rows][:3] == ["False", "True", "False"]


def test_abstracts_are_linked_and_shown_with_who_cites_them(
    es: Elasticsearch, citespan: Citespan, review: Path, tmp_path: Path
) -> None:
    load_lines(es, "spans", review)
    report = _read(citespan("link", "--json"))
    assert (report["linked"], report["not_indexed"]) == (2, 1)
    cited = _read(citespan("cited", "pmid:12", "--json"))
    assert (cited["article"], cited["abstract_only"], cited["citations"]) == ("12", True, 1)
    assert [sentence["citations"] for sentence in cited["sentences"]] == [0, 0, 1]
    assert _read(citespan("cited", "11", "--json"))["article"] == "sugar"
    assert _read(citespan("link", "--json"))["unchanged"] == 2

    # Its full text has the same id.
    full = {"title": "Moss grows on old stones in gardens", "doi": "10.1000/moss"}
    text = "Stones are old. Moss grows on old stones in the shade."
    load_lines(es, "spans", write_line(tmp_path, "12", full | {"text": text}))
    again = _read(citespan("link", "--json"))
    assert (again["linked"], again["unchanged"]) == (1, 1)
    cited = _read(citespan("cited", "12", "--json"))
    assert (cited["article"], cited["abstract_only"], cited["citations"]) == ("12", False, 1)
    front_door.delete("12", kind="article", client=es)
    assert _read(citespan("link", "--json"))["linked"] == 1
    assert _read(citespan("cited", "12", "--json"))["citations"] == 1


@pytest.mark.usefixtures("review")
def test_abstracts_come_last_in_the_order_of_titles(es: Elasticsearch, tmp_path: Path) -> None:
    titles = ("β-cells fail", "Éclairs feed yeast", "ants walk", "zebras run", "Beta-cells thrive")
    for number, title in enumerate(titles):
        line = {"title": title, "text": "Yeast grows in the dark."}
        load_lines(es, "sentences", write_line(tmp_path, f"title-{number}", line))
    folded = ["ants walk", "β-cells fail", "Beta-cells thrive", "Éclairs feed yeast"]
    found = front_door.articles(order="title", client=es)
    assert [article.title for article in found] == [*folded, SUGAR, "zebras run", ABSTRACT_TITLE]
    pages = [front_door.articles(order="title", top=2, first=at, client=es) for at in (0, 2, 4)]
    assert [article.title for page in pages for article in page] == [
        article.title for article in found
    ][:6]
    alone, _ = open_folder(tmp_path)
    listed = [article.title for article in front_door.articles(order="title", client=alone)]
    assert [title for title in listed if title in titles] == [*folded, "zebras run"]


@pytest.mark.usefixtures("review")
def test_abstracts_are_searched_alone_and_with_all_articles(citespan: Citespan) -> None:
    citance = "Moss grows on old stones"
    found = _read(citespan("search", citance, "--article", "10.1000/moss", "--json"))
    assert (found["article"], found["abstract_only"], found["verdict"]) == ("12", True, "found")
    assert found["results"][0]["text"] in (MOSS_SENTENCES[1], "Moss grows on old stones in gardens")
    assert "abstract only" in citespan("search", citance, "--article", "12").stdout
    spans = _read(citespan("search", citance, "--article", "12", "--ranker", "none", "--json"))
    assert spans["abstract_only"]
    assert all("Moss" in result["text"] for result in spans["results"])

    every = _read(citespan("search", citance, "--json"))["results"]
    assert (every[0]["article"], every[0]["abstract_only"]) == ("12", True)
    twice = _read(citespan("search", "Yeast grows on sugar in the dark", "--json"))["results"]
    assert (twice[0]["article"], twice[0]["abstract_only"]) == ("sugar", False)
    assert "11" not in {result["article"] for result in twice}
    same = _read(citespan("search", "Yeast grows on sugar", "--article", "PMID: 11", "--json"))
    assert (same["article"], same["abstract_only"]) == ("sugar", False)


@pytest.mark.parametrize("reformulation", ["baseline", "np"])
def test_an_abstract_has_the_spans_of_an_article_of_the_same_text(
    es: Elasticsearch, review: Path, reformulation: str
) -> None:
    [*_, moss] = MedlineReader().abstracts(review.with_name("medline.xml"))
    assert isinstance(moss, Abstract)
    title = Sentence(0, len(moss.title))
    sentences = (title, *split_abstract(moss, splitters[DEFAULT]))
    same = Article("same", moss.title, moss.text, "same", sentences=sentences)
    loading.load(es, [same], layout="sentences")
    settings: SearchOptions = {"ranker": "none", "reformulation": reformulation, "model": "bm25"}
    citance = "Moss grows on the old stones of walls and in the shade"
    found = [
        [
            (
                passage.first_sentence,
                passage.last_sentence,
                passage.score,
                passage.start,
                passage.end,
                passage.text,
            )
            for passage in front_door.search(citance, article, client=es, top=5, **settings)
        ]
        for article in ("12", "same")
    ]
    assert found[0] == found[1] != []
    front_door.delete("same", client=es)


@pytest.mark.usefixtures("review")
def test_the_request_for_kibana_finds_the_abstract(es: Elasticsearch, citespan: Citespan) -> None:
    asked = ("search", "Moss grows", "--article", "12", "--ranker", "none", "--dsl")
    address, _, body = citespan(*asked).stdout.partition("\n")
    assert address == f"GET {abstracts.INDEX}/_search"
    [hit] = es.search(index=abstracts.INDEX, body=json.loads(body))["hits"]["hits"]
    assert (hit["_id"], hit["_score"] > 0) == ("12", True)


@pytest.mark.usefixtures("review")
def test_abstracts_are_listed_shown_and_deleted(es: Elasticsearch, citespan: Citespan) -> None:
    listed = _read(citespan("articles", "--json"))
    assert [(article["article"], article["abstract_only"]) for article in listed["articles"]] == [
        ("12", True),
        ("sugar", False),
    ]
    assert (listed["count"], listed["abstracts"]) == (3, 2)
    [moss] = listed["articles"][:1]
    assert (moss["authors"], moss["year"], moss["doi"]) == (["Ito, K"], 2001, "10.1000/moss")
    assert "1 article and 2 abstracts, of which 2 are listed" in citespan("articles").stdout
    assert "12" in citespan("articles", "moss").stdout

    shown = _read(citespan("show", "12", "--json"))
    assert shown["abstract_only"]
    text = _read_text(es, "12")
    assert [text[sentence["start"] : sentence["end"]] for sentence in shown["sentences"]] == [
        "Moss grows on old stones in gardens",
        *MOSS_SENTENCES,
    ]
    assert [sentence["text"] for sentence in shown["sentences"]][1:] == [*MOSS_SENTENCES]
    assert "abstract only" in citespan("show", "12").stdout

    assert _read(citespan("delete", "12", "--yes", "--json")) == {"deleted": ["12"]}
    assert citespan("show", "12").returncode == 2
    assert citespan("search", "Moss grows", "--article", "12").returncode == 2


def _read_text(es: Elasticsearch, pmid: str) -> str:
    return str(es.get(index=abstracts.INDEX, id=pmid)["_source"]["text"])


@pytest.mark.usefixtures("review")
def test_an_identifier_of_the_abstract_alone_names_the_full_text(es: Elasticsearch) -> None:
    references = [Publication(pmid="11"), Publication(pmid="12"), Publication(pmid="13")]
    found = resolve(references, make_catalogue_look_up(es))
    assert [resolution.article for resolution in found] == ["sugar", "12", None]
