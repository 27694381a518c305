"""What queries find among the entries of a folder, and what a folder can't answer."""

from collections import Counter
from collections.abc import Iterator, Sequence
from math import log
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from citespan.es_mappings.articles import ArticleEntry
from citespan.pipelines.errors import InputError
from citespan.pipelines.folder.client import FolderClient, _Article
from citespan.pipelines.folder.kept import KeptArticles, KeptEntry
from citespan.pipelines.folder.queries import EntrySearch, sort_found
from citespan.pipelines.layouts.sentences.term_frequencies import (
    FrequencyRequest,
    count_frequencies,
)
from citespan.pipelines.retrieval.query_dsl import Phrase
from citespan.pipelines.text.lucene import find_terms, tokenise

TEXTS = ("yeast grows on sugar and sugar", "bread rises", "yeast and bread")
SOURCES: Sequence[dict[str, Any]] = (
    {"article": "a", "title": "Yeast on sugar", "year": 2001, "also_known_as": ["1", "PMC1"]},
    {"article": "b", "title": "Bread", "year": 2003, "journal": "J. Bread"},
    {"article": "c", "title": "Sugar", "also_known_as": ["3"]},
)


@pytest.fixture
def search() -> EntrySearch:
    counts = [Counter(find_terms(text)) for text in TEXTS]
    entries = [
        KeptEntry(10 + place, "unit", str(source["article"]), source, counts[place].total())
        for place, source in enumerate(SOURCES)
    ]

    def read(term: str) -> list[tuple[int, int]]:
        return [(10 + n, count[term]) for n, count in enumerate(counts) if count[term]]

    return EntrySearch(entries, read)


def found_by(search: EntrySearch, query: dict[str, Any]) -> str:
    return "".join(str(SOURCES[place]["article"]) for place in sorted(search.find(query)))


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ({"match_all": {}}, "abc"),
        ({"term": {"article": "b"}}, "b"),
        ({"term": {"journal": {"value": "j. bread", "case_insensitive": True}}}, "b"),
        ({"terms": {"also_known_as": ["PMC1", "3", "none"]}}, "ac"),
        ({"prefix": {"also_known_as": {"value": "pm", "case_insensitive": True}}}, "a"),
        ({"prefix": {"also_known_as": {"value": "pm"}}}, ""),
        ({"fuzzy": {"also_known_as": {"value": "PMC2"}}}, "a"),
        ({"range": {"year": {"gte": 2002}}}, "b"),
        ({"range": {"year": {"gte": 2001, "lte": 2002}}}, "a"),
        ({"match": {"title": {"query": "sugar yeasts", "operator": "and"}}}, "a"),
        ({"match": {"title": {"query": "sugar yeasts"}}}, "ac"),
        ({"match": {"text": {"query": "the"}}}, ""),
        ({"bool": {"should": [{"term": {"article": "a"}}, {"term": {"article": "c"}}]}}, "ac"),
        ({"bool": {"must": [{"match": {"text": {"query": "yeast"}}}],
                   "filter": [{"range": {"year": {"lte": 2001}}}]}}, "a"),
        ({"bool": {"must_not": [{"terms": {"article": ["a", "c"]}}]}}, "b"),
        ({"bool": {"must_not": [{"term": {"article": "b"}}]}}, "ac"),
        ({"bool": {"filter": [{"match_all": {}}], "should": [{"term": {"article": "a"}}]}}, "abc"),
    ],
)  # fmt: skip
def test_what_queries_find(search: EntrySearch, query: dict[str, Any], found: str) -> None:
    assert found_by(search, query) == found


def test_texts_are_scored_by_bm25(search: EntrySearch) -> None:
    scores = search.find({"match": {"text": {"query": "sugar bread", "boost": 2.0}}})
    average = sum(len(find_terms(text)) for text in TEXTS) / len(TEXTS)

    def score(occurrences: int, documents: int, length: int) -> float:
        idf = log(1 + (3 - documents + 0.5) / (documents + 0.5))
        return 2 * idf * 2.2 * occurrences / (occurrences + 1.2 * (0.25 + 0.75 * length / average))

    expected = {0: score(2, 1, 4), 1: score(1, 2, 2), 2: score(1, 2, 2)}
    assert scores == pytest.approx(expected, abs=1e-6)


def test_what_is_found_is_sorted_by_falling_score_then_by_field() -> None:
    entries = [KeptEntry(n, "", letter, {"article": letter}, 1) for n, letter in enumerate("cab")]
    found = {0: 1.0, 1: 1.0, 2: 3.0}
    ordered = sort_found(found, entries, [{"_score": "desc"}, {"article": "asc"}])
    assert ordered == [(2, [3.0, "b"]), (1, [1.0, "a"]), (0, [1.0, "c"])]
    assert [place for place, _ in sort_found(found, entries, ["_doc"])] == [0, 1, 2]
    dated = [KeptEntry(n, "", source["article"], source, 1) for n, source in enumerate(SOURCES)]
    by_year = sort_found(found, dated, [{"year": "desc"}, "article"])
    assert [place for place, _ in by_year] == [1, 0, 2], "what has no year comes last"


@pytest.mark.parametrize(
    "query",
    [
        {"wildcard": {"article": "a*"}},
        {"match": {"journal": {"query": "bread"}}},
        {"bool": {"boost": 2.0}},
        {"bool": {"should": [{"match_all": {}}], "boost": 2}},
    ],
)
def test_other_queries_name_the_remedy(search: EntrySearch, query: dict[str, Any]) -> None:
    with pytest.raises(InputError, match="start a server by `citespan node up`"):
        search.find(query)


def test_no_entries_are_found_where_there_are_none() -> None:
    search = EntrySearch([], lambda _: [])
    assert search.find({"match": {"text": {"query": "yeast"}}}) == {}
    assert search.find({"match_all": {}}) == {}


@pytest.fixture
def client(tmp_path: Path) -> Iterator[FolderClient]:
    with FolderClient(KeptArticles(tmp_path / "none.citespan")) as client:
        yield client


def test_what_only_a_server_can_do_names_the_remedy(client: FolderClient) -> None:
    for ask in (
        lambda: client.index(index="citespan-articles", document={}),
        lambda: client.indices.create(index="citespan-articles"),
        lambda: client.bulk(operations=[]),
    ):
        with pytest.raises(InputError, match="start a server by `citespan node up`"):
            ask()


WORDS = st.lists(st.sampled_from("p53 cell cells the binds of IL-2 β".split()), max_size=12)


@given(st.lists(WORDS, min_size=1, max_size=4), WORDS)
def test_terms_and_phrases_are_counted_as_they_stand(
    sentences: list[list[str]], phrase: list[str]
) -> None:
    texts = [" ".join(words) for words in sentences]
    documents = [
        {"number": n, "text": text, "edition": "a~1", "start": 0, "end": 0}
        for n, text in enumerate(texts)
    ]
    entry = ArticleEntry(article="a", edition="a~1", index="i", sentences=len(texts))
    tokens = tokenise(" ".join(phrase))
    terms = [token.term for token in tokens]
    places = tuple(token.position - tokens[0].position for token in tokens)
    phrases = [Phrase(tuple(terms), places, " ".join(phrase))] if len(terms) > 1 else []

    class OneArticle(FolderClient):
        def __init__(self) -> None:
            super().__init__(None)  # type: ignore[arg-type]

        def _find_article(self, edition: str) -> _Article:
            assert edition == "a~1"
            return _Article(documents)

    asked = FrequencyRequest(entry, list(dict.fromkeys(terms)), phrases)
    [(counted, of_phrases)] = count_frequencies(OneArticle(), [asked])
    expected = [[tokens_of(text).count(term) for term in asked.terms] for text in texts]
    assert np.array_equal(counted, np.array(expected).reshape(counted.shape))
    for number, text in enumerate(texts):
        by_position = {token.position: token for token in tokenise(text)}
        for column, wanted in enumerate(phrases):
            begins = [place for place in by_position if wanted.match_at(place, by_position)]
            assert of_phrases[number, column] == len(begins)


def tokens_of(text: str) -> list[str]:
    return [token.term for token in tokenise(text)]
