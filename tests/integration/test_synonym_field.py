"""`text.umls`: indexing with a vocabulary, and queries that the server expands."""

import json
from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess

import pytest
from elasticsearch import Elasticsearch
from loaded_state import spans_of

from citespan.pipelines.vocabulary.builder import build
from citespan.pipelines.vocabulary.terms import VocabularyTerm

Citespan = Callable[..., CompletedProcess[str]]

SENTENCES = [
    "Apoptosis ends the life of many a neuron in this region.",
    "The mice were kept in pairs and fed twice a day.",
    "Growth of the liver depends on the light it is kept in.",
    "Nothing else was seen in the cell by any of us.",
]
TERMS = [
    ("C1", "apoptosis", "FIRST"),
    ("C1", "programmed cell death", "FIRST"),
    ("C2", "growth of the liver", "SECOND"),
    ("C2", "hepatic enlargement", "SECOND"),
    ("C3", "telomere", "FIRST"),
    ("C3", "chromosome end", "FIRST"),
]
BY_SYNONYM = [("programmed cell death", 0), ("hepatic enlargement", 2)]


@pytest.fixture(scope="module")
def vocabulary(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("vocabulary") / "store"
    terms = [VocabularyTerm(cui, text, source, "SY", False) for cui, text, source in TERMS]
    build(terms, folder, "made for a test")
    return folder


@pytest.fixture(scope="module")
def articles(tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("articles") / "articles.jsonl"
    lines = [
        {"id": name, "title": name, "text": " ".join(SENTENCES)} for name in ("expanded", "plain")
    ]
    file.write_text("".join(json.dumps(line) + "\n" for line in lines[:1]))
    (file.parent / "plain.jsonl").write_text(json.dumps(lines[1]) + "\n")
    return file.parent


@pytest.fixture(scope="module")
def indexed(node: str, articles: Path, vocabulary: Path) -> None:
    """`expanded` is indexed with the vocabulary, `plain` without."""
    from real_node import run_citespan

    for name, options in (("articles", ["--vocabulary", str(vocabulary)]), ("plain", [])):
        done = run_citespan("index", str(articles / f"{name}.jsonl"), *options)
        assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(("synonym", "sentence"), BY_SYNONYM)
def test_a_plain_query_finds_what_holds_only_the_synonym(
    es: Elasticsearch, indexed: None, synonym: str, sentence: int
) -> None:
    """As `match`, which KQL's `text.umls: words` is, and in Lucene syntax."""
    index = spans_of(es, "expanded")
    for query in (
        {"match": {"text.umls": synonym}},
        {"query_string": {"query": f"text.umls:({synonym})"}},
        {"match": {"text.umls": {"query": synonym, "auto_generate_synonyms_phrase_query": False}}},
    ):
        hits = es.search(index=index, query=query, size=100)["hits"]["hits"]
        assert f"{sentence}-{sentence}" in [hit["_id"] for hit in hits], query
    for query in ({"match_phrase": {"text": synonym}}, {"match_phrase": {"text.umls": synonym}}):
        assert not es.search(index=index, query=query)["hits"]["hits"]


def test_words_of_a_term_are_still_found_one_by_one(es: Elasticsearch, indexed: None) -> None:
    query = {"match": {"text.umls": "programmed cell death"}}
    hits = es.search(index=spans_of(es, "expanded"), query=query, size=100)["hits"]["hits"]
    assert "3-3" in [hit["_id"] for hit in hits]


def test_quoted_text_is_searched_for_as_it_stands(es: Elasticsearch, indexed: None) -> None:
    for query in (
        {"match_phrase": {"text.umls": "growth of the liver depends"}},
        {"query_string": {"query": 'text.umls:"growth of the liver depends"'}},
    ):
        hits = es.search(index=spans_of(es, "expanded"), query=query, size=100)["hits"]["hits"]
        assert "2-2" in [hit["_id"] for hit in hits]


@pytest.mark.parametrize("synonyms", ["phrase", "conjunction"])
@pytest.mark.parametrize(("synonym", "sentence"), BY_SYNONYM)
def test_umls_field_is_expanded_by_the_server(
    citespan: Citespan, indexed: None, synonym: str, sentence: int, synonyms: str
) -> None:
    citance = f"We now understand {synonym} [12]"
    options = ("--article", "expanded", "--json", "--ranker", "none", "--top", "1")
    options += ("--synonyms", synonyms, "--reformulation", "umls-field")
    done = citespan("search", citance, *options)
    assert done.returncode == 0, done.stderr
    best = json.loads(done.stdout)["results"][0]
    assert best["first_sentence"] <= sentence <= best["last_sentence"]


def test_an_article_indexed_without_synonyms_is_told(citespan: Citespan, indexed: None) -> None:
    done = citespan("search", "liver", "--article", "plain", "--reformulation", "umls-field")
    assert done.returncode == 2
    assert "index it again with --vocabulary" in done.stderr


def test_what_loading_again_changes(
    es: Elasticsearch, citespan: Citespan, indexed: None, articles: Path, vocabulary: Path
) -> None:
    def load(*options: str) -> tuple[int, int]:
        done = citespan("index", str(articles / "articles.jsonl"), "--json", *options)
        report = json.loads(done.stdout)
        return report["unchanged"], report["replaced"]

    def finds(words: str) -> bool:
        query = {"match": {"text.umls": words}}
        hits = es.search(index=spans_of(es, "expanded"), query=query, size=100)["hits"]["hits"]
        return "0-0" in [hit["_id"] for hit in hits]

    whole = ("--vocabulary", str(vocabulary))
    assert load(*whole) == (1, 0)
    assert load() == (1, 0)
    assert finds("programmed") is False
    assert finds("programmed cell death")
    assert load(*whole, "--sources", "SECOND") == (0, 1)
    assert not finds("programmed cell death")
    assert load(*whole) == (0, 1)


def test_unknown_sources_and_types_are_told_with_those_there_are(
    citespan: Citespan, articles: Path, vocabulary: Path
) -> None:
    paths = ("index", str(articles), "--vocabulary", str(vocabulary))
    done = citespan(*paths, "--sources", "THIRD")
    assert done.returncode == 2
    assert "THIRD" in done.stderr
    assert "FIRST, SECOND" in done.stderr
    done = citespan(*paths, "--types", "T047")
    assert done.returncode == 2
    assert "T047" in done.stderr
    done = citespan("index", str(articles), "--vocabulary", str(articles))
    assert done.returncode == 2
    assert "vocabulary" in done.stderr
