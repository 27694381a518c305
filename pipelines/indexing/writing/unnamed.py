"""Finds where catalogue and documents differ: editions that no entry names, which a killed load or
a late request has left, and entries without any document, as where a late copy of the first writing
of an entry has undone its deletion."""

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from elasticsearch import Elasticsearch
from elasticsearch.helpers import scan

from citespan.es_mappings.index_name import IndexNames
from citespan.pipelines.indexing.writing.checkpoint import GROUP_BYTES
from citespan.pipelines.store.catalogue import Catalogue
from citespan.pipelines.store.edition import Place
from citespan.pipelines.store.server import Server

_PAGE = 5000
_OF_A_GROUP = re.compile(rf"~[0-9a-f]{{{2 * GROUP_BYTES}}}\Z")
_NEEDED = ("article", "layout", "index", "edition", "sentences", "citations")


@dataclass(frozen=True, slots=True)
class Leftovers:
    """Where catalogue and documents differ.

    Attributes:
        unnamed: the places of all editions that no entry names, sorted.
        empty: the ids of the articles that have an entry and no sentence or span, sorted.
        entries: how many entries there are.
    """

    unnamed: list[Place]
    empty: list[str]
    entries: int


def find_leftovers(server: Server, catalogue: Catalogue) -> Leftovers:
    """Return where catalogue and documents differ.

    Among them are those that a load which is running has written, and has not yet named: it holds
    a lease.

    The sentences of each article in the layout `sentences`, and its citations, are counted, and
    only where there are more than its entry says are their editions read.
    """
    names = catalogue.names
    span_indices = _list_spans(server, names)
    sentences = server.call(lambda: dict(count_documents(server.client, f"{names.sentences}-*")))
    citations = server.call(lambda: dict(count_documents(server.client, names.citations)))
    server.refresh(names.articles)
    present = frozenset(span_indices)
    empty: list[str] = []
    named: dict[str, str] = {}
    places: dict[str, str] = {}
    for version in catalogue.scan(_NEEDED):
        entry = version.entry
        span_indices.discard(entry.index)
        if entry.layout == "sentences":
            if entry.article not in sentences:
                empty.append(entry.article)
            sentences[entry.article] = sentences.get(entry.article, 0) - entry.sentences
            places[entry.article] = entry.index
        elif entry.index not in present:
            empty.append(entry.article)
        citations[entry.article] = citations.get(entry.article, 0) - (entry.citations or 0)
        named[entry.article] = entry.edition
    found = [
        Place("", "spans", index, index.removeprefix(names.spans_prefix), 0, 0)
        for index in span_indices
    ]
    for article in _list_more(sentences):
        stored = server.call(lambda: _read_editions(server.client, f"{names.sentences}-*", article))  # noqa: B023
        found += [
            Place(article, "sentences", index, edition, count, 0)
            for (index, edition), count in stored.items()
            if (index, edition) != (places.get(article), named.get(article))
        ]
    for article in _list_more(citations):
        stored = server.call(lambda: _read_editions(server.client, names.citations, article))  # noqa: B023
        found += [
            Place(article, "sentences", index, edition, 0, 0, count)
            for (index, edition), count in stored.items()
            if edition != named.get(article)
        ]
    found.sort(key=lambda place: (place.layout, place.index, place.edition))
    return Leftovers(found, sorted(empty), len(named))


def find_unnamed_spans(server: Server, catalogue: Catalogue) -> list[str]:
    """Return the span indices that no entry names and that a load has made, sorted."""
    found = {
        index
        for index in _list_spans(server, catalogue.names)
        if _OF_A_GROUP.search(index) is not None
    }
    server.refresh(catalogue.names.articles)
    if found:
        for version in catalogue.scan(["index"], {"term": {"layout": "spans"}}):
            found.discard(version.entry.index)
    return sorted(found)


def _list_spans(server: Server, names: IndexNames) -> set[str]:
    return set(
        server.call(
            lambda: server.client.indices.get(index=names.all_spans, filter_path="*.aliases")
        )
    )


def _list_more(excess: Mapping[str, int]) -> list[str]:
    return [article for article, count in excess.items() if count > 0]


def count_documents(
    client: Elasticsearch, index: str, field: str = "article"
) -> Iterator[tuple[str, int]]:
    """Yield how many documents there are of each article that a field names, in the indices of
    that name."""
    after: dict[str, Any] = {}
    while True:
        composite = {"size": _PAGE, "sources": [{"article": {"terms": {"field": field}}}]}
        answer = client.search(
            index=index,
            size=0,
            allow_partial_search_results=False,
            ignore_unavailable=True,
            aggs={"each": {"composite": composite | after}},
        )
        each = answer.get("aggregations", {}).get("each", {"buckets": []})
        for bucket in each["buckets"]:
            yield bucket["key"]["article"], bucket["doc_count"]
        if "after_key" not in each:
            return
        after = {"after": each["after_key"]}


def is_of_a_load(place: Place) -> bool:
    """Whether a load has named the edition, which may be of something else."""
    return _OF_A_GROUP.search(place.edition) is not None


def _read_editions(
    client: Elasticsearch, index: str, article: str
) -> Mapping[tuple[str, str], int]:
    """Return how many documents each edition of an article has had, by index and edition."""
    found: dict[tuple[str, str], int] = defaultdict(int)
    query = {"query": {"term": {"article": article}}, "_source": ["edition", "number"]}
    for hit in scan(client, index=index, query=query, size=_PAGE):
        source = hit["_source"]
        key = hit["_index"], source["edition"]
        found[key] = max(found[key], source["number"] + 1)
    return found
