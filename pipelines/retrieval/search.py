"""Searching the spans of articles, one citance at a time or many, in either layout."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from elasticsearch import Elasticsearch

from citespan.pipelines.errors import InputError
from citespan.pipelines.retrieval import sentence_search, span_search
from citespan.pipelines.retrieval.merge import ScoredSpan, merge, merge_best, ranked
from citespan.pipelines.retrieval.request import TOP, SearchRequest

_BATCH = 400


def search(client: Elasticsearch, request: SearchRequest) -> list[ScoredSpan]:
    """The best spans for one citance, best first.

    Raises:
        InputError: if there is no term to search for.
        CitespanError: if the article's index is gone.
    """
    _check(request)
    return next(search_many(client, [request]))


def search_many(
    client: Elasticsearch, requests: Sequence[SearchRequest]
) -> Iterator[list[ScoredSpan]]:
    """The best spans for each citance, in the order of the requests, batch by batch.

    A request without terms has no result; the caller is to report it.

    Raises:
        CitespanError: if an article's index is gone.
    """
    for at in range(0, len(requests), _BATCH):
        batch = requests[at : at + _BATCH]
        found: list[list[ScoredSpan]] = [[] for _ in batch]
        for layout, search_layout in _SEARCHES.items():
            places = [
                place
                for place, request in enumerate(batch)
                if request.terms and request.article.layout == layout
            ]
            retrieved = search_layout(client, [batch[place] for place in places])
            for place, spans in zip(places, retrieved, strict=True):
                found[place] = _best(spans, batch[place])
        yield from found


_SEARCHES = {
    "spans": span_search.search_spans,
    "sentences": sentence_search.search_sentences,
}


def console_request(client: Elasticsearch, request: SearchRequest) -> Mapping[str, Any]:
    """The body of what the server is asked, for Kibana's console.

    Raises:
        InputError: if there is no term to search for.
    """
    _check(request)
    if request.article.layout == "spans":
        return span_search.body(request)
    return sentence_search.body(client, request)


def _check(request: SearchRequest) -> None:
    if not request.terms:
        raise InputError(
            "nothing of the citance is left to search for; give one with words other than "
            "citation markers, stop words and numbers"
        )


def _best(spans: Sequence[ScoredSpan], request: SearchRequest) -> list[ScoredSpan]:
    if not request.merged:
        return ranked(spans)
    merged = merge_best(spans, max(request.top, TOP)) if request.depth is None else merge(spans)
    return merged[: request.top]
