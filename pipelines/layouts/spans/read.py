"""Reading the sentences of articles."""

from collections.abc import Iterable, Sequence
from typing import Any

from elasticsearch import Elasticsearch

from citespan.es_mappings.articles import ArticleEntry
from citespan.es_mappings.spans import span_id
from citespan.pipelines.batches import batched
from citespan.pipelines.errors import CitespanError
from citespan.pipelines.layouts.spans.missing_spaces import restore_text
from citespan.pipelines.server_reason import read_documents
from citespan.pipelines.store.paging import (
    PAGE,
    ArticleSearch,
    SentenceDocuments,
    gone,
    page_settings,
    read_pages,
    search_pages,
)


def read_sentences(
    client: Elasticsearch, wanted: Sequence[tuple[ArticleEntry, Iterable[int]]]
) -> list[SentenceDocuments]:
    """Return sentences of articles by their numbers.

    Raises:
        ArticleGoneError: if a sentence does not exist.
        CitespanError: if single sentences are not stored.
    """
    return [_read_sentences(client, entry, list(numbers)) for entry, numbers in wanted]


def _read_sentences(
    client: Elasticsearch, entry: ArticleEntry, numbers: list[int]
) -> SentenceDocuments:
    _check_singles(entry, "read the whole article")
    found: SentenceDocuments = {}
    for some in batched(numbers, PAGE):
        response = client.mget(index=entry.index, ids=[span_id(n, n) for n in some])
        for number, hit in zip(some, read_documents(response), strict=True):
            if hit is None:
                raise gone(entry, "the index")
            source = hit["_source"]
            found[number] = source | {"text": restore_text(source)}
    return found


def read_articles(
    client: Elasticsearch, entries: Sequence[ArticleEntry]
) -> list[SentenceDocuments]:
    """Return all sentences of articles in order.

    Raises:
        ArticleGoneError: if an article's spans are gone.
        CitespanError: if single sentences are not stored.
    """
    for entry in entries:
        _check_singles(entry, "index it again with `shortest=1`")
    searches = [ArticleSearch(entry, _single_sentences(entry)) for entry in entries]
    return [
        {
            number: {**document, "text": document["text"] + document.get("white_space", " ")}
            for number, document in documents.items()
        }
        for documents in read_pages(client, searches, "first_sentence")
    ]


def _single_sentences(entry: ArticleEntry) -> dict[str, Any]:
    return {
        "query": {"bool": {"filter": [{"term": {"length": 1}}]}},
        **page_settings(entry.sentences, "first_sentence"),
    }


def read_text(client: Elasticsearch, entry: ArticleEntry) -> str:
    """Return all sentences of an article in order, separated by a space."""
    # An article of fewer sentences than the shortest span is one span.
    shortest = min(entry.shortest, entry.sentences)
    body = {
        "query": {"term": {"length": {"value": shortest}}},
        "sort": ["first_sentence"],
        "_source": ["start", "end", "text", "joints"],
        "size": PAGE,
        "track_total_hits": False,
    }
    parts: list[str] = []
    read = 0
    fields = ["hits.hits._source", "hits.hits.sort"]
    for _, hits in search_pages(client, [ArticleSearch(entry, body)], fields):
        for hit in hits:
            span = hit["_source"]
            if span["end"] > read:
                parts.append(restore_text(span)[max(0, read - span["start"]) :])
                read = span["end"]
    return " ".join(parts)


def _check_singles(entry: ArticleEntry, remedy: str) -> None:
    """Raise a CitespanError, with the remedy, if single sentences of an article are not stored."""
    if entry.shortest > 1 and entry.sentences > 1:
        raise CitespanError(
            f"article '{entry.article}' is indexed with spans of at least {entry.shortest} "
            f"sentences, so single sentences are not stored; {remedy}"
        )
