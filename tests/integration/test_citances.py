"""Articles that are found by what others say of them, on a real node."""

import json
import subprocess
from collections.abc import Callable, Mapping
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from elasticsearch import Elasticsearch
from loaded_state import let_leases_lapse
from made_citing import link, load_lines, write_line

import citespan as front_door
from citespan.es_mappings import citances, links
from citespan.es_mappings.index_name import CITESPAN
from citespan.pipelines.errors import UnknownNameError
from citespan.pipelines.indexing.writing.citances import find_outdated
from citespan.pipelines.reformulation.query import Kind, Term
from citespan.pipelines.reformulation.reformulation import Context, parse
from citespan.pipelines.retrieval.article_search import (
    ArticleFilter,
    make_words_query,
    search_articles,
)
from citespan.pipelines.retrieval.citances import score_others, search_citances
from citespan.pipelines.retrieval.request import AskedCitance
from citespan.pipelines.store.catalogue import Catalogue

Citespan = Callable[..., subprocess.CompletedProcess[str]]
SAID = "Fermentation by Saccharomyces wants glucose"
ALSO = "Saccharomyces prefers glucose in every fermentation"


def _cite(text: str, **more: Any) -> dict[str, Any]:
    reference = "Ito K. Sugar feeds yeast in the dark for days. J Yeast. 2001. doi:10.1000/sugar"
    return {"text": text, "references": [reference], **more}


LINES: Mapping[str, dict[str, Any]] = {
    "sugar": {
        "title": "Sugar feeds yeast in the dark for days",
        "doi": "10.1000/sugar",
        "text": "Yeast grows on sugar. Nobody fed it bread. It needs no light.",
    },
    "beer": _cite(f"Beer is old. {SAID} [1].", title="Beer", doi="10.1000/beer"),
    "wine": _cite(f"Wine is older. {ALSO} [1].", title="Wine", doi="10.1000/wine"),
    "glucose": {
        "title": "Glucose",
        "doi": "10.1000/glucose",
        "text": "Glucose is sweet. It melts at high temperatures.",
    },
}


@pytest.fixture
def corpus(es: Elasticsearch, tmp_path: Path) -> Elasticsearch:
    """Two articles, one in each layout, that cite a third in words that it does not have."""
    let_leases_lapse(es)
    front_door.delete(*[article.article for article in front_door.articles(client=es)], client=es)
    es.indices.delete(index=[links.INDEX, citances.INDEX], ignore_unavailable=True)
    paths = [write_line(tmp_path, name, line) for name, line in LINES.items()]
    load_lines(es, "spans", *paths[::2])
    load_lines(es, "sentences", *paths[1::2])
    assert link(es).counts["linked"] == 2
    return es


def read_said(es: Elasticsearch) -> dict[str, set[tuple[str, str]]]:
    """Return what is said of each article, and by whom."""
    es.indices.refresh(index=citances.INDEX)
    found = es.search(index=citances.INDEX, size=100)["hits"]["hits"]
    return {
        hit["_source"]["article"]: {
            (citance["citing"], citance["text"]) for citance in hit["_source"]["citances"]
        }
        for hit in found
    }


def find(es: Elasticsearch, asked: AskedCitance, most: int = 10) -> dict[str, tuple[float, int]]:
    """Return the score and the number of citing articles of each article that is found."""
    terms = parse("baseline").terms(asked.text, Context())
    found = search_articles(Catalogue(es), terms, ArticleFilter(), most, asked)
    return {article.entry.article: (article.score, article.cited.articles) for article in found}


def test_an_article_is_found_by_what_others_say(corpus: Elasticsearch) -> None:
    asked = AskedCitance("How does fermentation by Saccharomyces work?")
    found = find(corpus, asked)
    assert found["sugar"][1] == 2
    assert "sugar" not in find(corpus, AskedCitance(asked.text, weight=0))
    half, whole = (find(corpus, AskedCitance(asked.text, weight=w))["sugar"][0] for w in (0.5, 1))
    assert whole == pytest.approx(2 * half)
    assert find(corpus, asked, most=1).keys() <= {"beer", "wine"}, "their texts have all words"


def test_scores_of_text_and_citances_add_up(corpus: Elasticsearch) -> None:
    query = "Glucose and sugar in fermentation"
    texts = find(corpus, AskedCitance(query, weight=0))
    both = find(corpus, AskedCitance(query, weight=0.5))
    terms = parse("baseline").terms(query, Context())
    said = corpus.search(
        index=citances.INDEX,
        query={"match": {citances.TEXT: " ".join(term.text for term in terms)}},
    )["hits"]["hits"]
    assert [hit["_source"]["article"] for hit in said] == ["sugar"]
    assert both.keys() == texts.keys()
    assert both["sugar"][0] == pytest.approx(texts["sugar"][0] + 0.5 * said[0]["_score"], rel=1e-6)
    assert {name: score for name, score in both.items() if name != "sugar"} == {
        name: score for name, score in texts.items() if name != "sugar"
    }


def test_the_citance_that_is_asked_is_left_out(corpus: Elasticsearch) -> None:
    spellings = (SAID, f"{SAID} [1].", f"  {SAID.upper()} (Ito, 2001)")
    found = {text: find(corpus, AskedCitance(text)) for text in spellings}
    assert {scores["sugar"][1] for scores in found.values()} == {1}, (
        "the other article's words are left"
    )
    front_door.delete("wine", client=corpus)
    for text in spellings:
        assert "sugar" not in find(corpus, AskedCitance(text)), "nobody else says it"
    assert find(corpus, AskedCitance(f"{SAID} and more"))["sugar"][1] == 1


def test_what_is_left_of_a_document_scores_as_on_the_server(corpus: Elasticsearch) -> None:
    """Of a document of which nothing is left out, both scores are there."""
    asked = AskedCitance("what is asked is nobody's citance", weight=1)
    texts = ("glucose", "Saccharomyces glucose", "unknown Fermentation", "α-glucose")
    kinds: tuple[Kind, ...] = ("word", "phrase")
    for text, kind in product(texts, kinds):
        terms = [Term(text, 1.5, kind), Term("every")]
        words = make_words_query(terms, citances.TEXT)
        found = search_citances(corpus, words, terms, asked)
        here = score_others(corpus, terms, asked, ["sugar"], CITESPAN)
        assert here["sugar"].score == pytest.approx(found["sugar"].score, rel=1e-6)
        assert here["sugar"].articles == found["sugar"].articles == 2


def test_the_article_that_asks_says_nothing(corpus: Elasticsearch) -> None:
    asked = "Saccharomyces and glucose make fermentation possible"
    found = find(corpus, AskedCitance(asked, citing="beer"))
    assert found["sugar"][1] == 1
    assert found.keys() == {"sugar", "wine", "glucose"}
    with pytest.raises(UnknownNameError):
        front_door.search_all(asked, ranker="none", citing="bear", client=corpus)


@pytest.mark.parametrize("layout", ["spans", "sentences"])
def test_what_changes_is_what_others_say(
    corpus: Elasticsearch, tmp_path: Path, layout: str
) -> None:
    said = read_said(corpus)
    assert said == {"sugar": {("beer", f"{SAID} ."), ("wine", f"{ALSO} .")}}
    assert link(corpus).citances == 0

    changed = LINES["sugar"] | {"text": "Yeast grows on sugar every day. It needs no light."}
    load_lines(corpus, layout, write_line(tmp_path, "sugar", changed))
    assert read_said(corpus) == said, "a load does not lose what others say"
    assert find(corpus, AskedCitance("fermentation"))["sugar"][1] == 2
    described = front_door.cited("sugar", client=corpus)
    assert (described.links, len(described.citances), described.outdated) == ((), 2, 2)
    assert link(corpus).counts["linked"] == 2
    assert read_said(corpus) == said, "nothing is doubled"

    cider = _cite("Cider froths. Pasteur found glucose in it [1].", title="Cider")
    load_lines(corpus, layout, write_line(tmp_path, "cider", cider))
    assert link(corpus).citances == 1
    assert {citing for citing, _ in read_said(corpus)["sugar"]} == {"beer", "wine", "cider"}

    milder = _cite("Wine is older. Vineyards live on glucose [1].", title="Wine")
    load_lines(corpus, layout, write_line(tmp_path, "wine", milder | {"doi": "10.1000/wine"}))
    assert link(corpus).citances == 1
    assert "Vineyards" in str(read_said(corpus)["sugar"])
    assert ALSO not in str(read_said(corpus)["sugar"])

    front_door.delete("wine", client=corpus)
    assert {citing for citing, _ in read_said(corpus)["sugar"]} == {"beer", "cider"}
    without = {"text": "Beer is old.", "title": "Beer", "doi": "10.1000/beer"}
    load_lines(corpus, layout, write_line(tmp_path, "beer", without))
    front_door.delete("cider", client=corpus)
    report = link(corpus)
    assert (report.removed, report.citances, report.articles) == (1, 1, 0)
    assert read_said(corpus) == {}


def test_a_deleted_article_is_not_found(corpus: Elasticsearch) -> None:
    front_door.delete("sugar", client=corpus)
    assert read_said(corpus) == {}
    assert "sugar" not in find(corpus, AskedCitance("fermentation"))


def test_what_a_killed_run_has_left_undone_is_done_by_the_next(corpus: Elasticsearch) -> None:
    """Links without citances, as of a run that was killed before its end; and stale ones."""
    said = read_said(corpus)
    corpus.indices.delete(index=citances.INDEX)
    assert find(corpus, AskedCitance("fermentation")).keys() == {"beer", "wine"}
    report = link(corpus)
    assert (report.counts["unchanged"], report.citances) == (2, 1)
    assert read_said(corpus) == said
    corpus.update(index=citances.INDEX, id="sugar", doc={"linked": 1.0, "citances": []})
    stray = {"article": "gone", "citances": [], "articles": 0, "links": 3, "linked": 2.0}
    corpus.index(index=citances.INDEX, id="gone", document=stray, refresh=True)
    assert find_outdated(corpus, CITESPAN).keys() == {"sugar", "gone"}
    assert link(corpus).citances == 2
    assert read_said(corpus) == said


def test_the_commands(corpus: Elasticsearch, citespan: Citespan) -> None:
    corpus.indices.refresh(index=CITESPAN.articles)
    query = "Saccharomyces and yeast"
    shown = citespan("search", query, "--ranker", "none")
    assert "found by how 2 articles cite it" in " ".join(shown.stdout.split())
    narrow = citespan("search", query, "--ranker", "none", "--citing", "10.1000/beer", "--json")
    results = {result["article"]: result for result in json.loads(narrow.stdout)["results"]}
    assert results["sugar"]["cited_by"] == 1
    assert 0 < results["sugar"]["cited_score"] < results["sugar"]["article_score"]
    assert "beer" not in results
    refused = citespan("search", query, "--citing", "beer", "--article", "sugar")
    assert (refused.returncode, "remove --article" in refused.stderr) == (2, True)
    assert citespan("search", query, "--citance-weight", "-1").returncode == 2
    assert "Fermentation by" in " ".join(citespan("cited", "sugar").stdout.split())
    described = json.loads(citespan("cited", "sugar", "--json").stdout)
    assert {citance["citing"] for citance in described["cited_for"]} == {"beer", "wine"}

    corpus.indices.delete(index=citances.INDEX)
    findings = json.loads(citespan("doctor", "--json").stdout)["findings"]
    assert {finding["check"]: finding["state"] for finding in findings}["citances"] == "warning"
    citespan("doctor", "--repair")
    findings = json.loads(citespan("doctor", "--json").stdout)["findings"]
    assert {finding["check"]: finding["state"] for finding in findings}["citances"] == "ok"
    assert len(read_said(corpus)["sugar"]) == 2
