"""A layout is one object: all searching goes through it, whatever its name."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pytest
from elasticsearch import Elasticsearch

from citespan.es_mappings.articles import ArticleEntry
from citespan.pipelines.errors import InputError, UnknownNameError
from citespan.pipelines.reformulation.options import Options
from citespan.pipelines.reformulation.query import Term
from citespan.pipelines.retrieval.merge import ScoredSpan
from citespan.pipelines.retrieval.model import models
from citespan.pipelines.retrieval.passage import Passage
from citespan.pipelines.retrieval.request import Retrieval, SearchRequest
from citespan.pipelines.retrieval.search import (
    article_context,
    console_request,
    find_passages,
    search,
    search_many,
)
from citespan.pipelines.store.layout import layouts

NO_SERVER = Elasticsearch("http://127.0.0.1:9")


@dataclass
class MadeRetrieval:
    request: SearchRequest
    spans: Sequence[ScoredSpan]

    def passages(
        self, client: Elasticsearch, spans: Sequence[ScoredSpan], *, explain: bool
    ) -> list[Passage]:
        return [
            Passage(
                rank, span.score, span.first_sentence, span.last_sentence, 0, 4, "", "text", (), "",
                "", {"word": span.score} if explain else {},
            )
            for rank, span in enumerate(spans, start=1)
        ]  # fmt: skip


class MadeSearcher:
    """Finds two spans for each term, one inside the other, and gives the last request first."""

    def check(self, request: SearchRequest) -> None:
        if request.model.name == "lmd":
            raise InputError("not by lmd")

    def retrieve(
        self, client: Elasticsearch, requests: Sequence[SearchRequest]
    ) -> Iterator[tuple[int, Retrieval]]:
        for number in reversed(range(len(requests))):
            spans = [
                ScoredSpan(int(term.text), int(term.text) + length, 2.0 - length)
                for term in requests[number].terms
                for length in (0, 1)
            ]
            yield number, MadeRetrieval(requests[number], spans)

    def texts(
        self, client: Elasticsearch, entry: ArticleEntry, spans: Sequence[ScoredSpan]
    ) -> list[str]:
        return [f"{span.first_sentence}-{span.last_sentence}" for span in spans]

    def console_request(self, client: Elasticsearch, request: SearchRequest) -> Mapping[str, Any]:
        return {"made": len(request.terms)}


class MadeLayout:
    name = "made"
    version = 1
    searcher = MadeSearcher()


@pytest.fixture
def entry(monkeypatch: pytest.MonkeyPatch) -> ArticleEntry:
    layouts.names()
    monkeypatch.setitem(layouts._things, "made", MadeLayout())
    return ArticleEntry(
        article="a", layout="made", mapping_version=1, index="i", shortest=1, longest=5, models=[]
    )


def request_for(entry: ArticleEntry, *texts: str) -> SearchRequest:
    return SearchRequest(entry, tuple(map(Term, texts)), models["vsm"])


def test_a_third_layout_is_searched_like_the_others(entry: ArticleEntry) -> None:
    request = request_for(entry, "4")
    assert search(NO_SERVER, request) == [ScoredSpan(4, 5, 3.0)]
    [passage] = next(find_passages(NO_SERVER, [request]))
    assert (passage.first_sentence, passage.score, passage.term_scores) == (4, 3.0, {})
    [explained] = next(find_passages(NO_SERVER, [request], explain=True))
    assert explained.term_scores == {"word": 3.0}
    assert console_request(NO_SERVER, request) == {"made": 1}
    context = article_context(NO_SERVER, entry, Options(), models["vsm"])
    assert context.first_spans is not None
    assert context.first_spans([Term("7")], 1) == ["7-8"]


def test_results_are_in_the_order_of_the_requests(entry: ArticleEntry) -> None:
    requests = [request_for(entry, *texts) for texts in (["4"], [], ["9"])]
    found = list(search_many(NO_SERVER, requests))
    assert [[span.first_sentence for span in spans] for spans in found] == [[4], [], [9]]
    passages = list(find_passages(NO_SERVER, requests))
    assert [[passage.first_sentence for passage in some] for some in passages] == [[4], [], [9]]


def test_a_layout_refuses_what_it_cannot_search(entry: ArticleEntry) -> None:
    with pytest.raises(InputError, match="not by lmd"):
        SearchRequest(entry, (Term("4"),), models["lmd"])


def test_an_unknown_layout_is_named(entry: ArticleEntry) -> None:
    entry.layout = "newer"
    with pytest.raises(UnknownNameError, match="unknown layout 'newer'; choose from: made, sente"):
        request_for(entry, "4")
