"""Reading the sentences of articles in the layout `sentences`, without what writing needs."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from elasticsearch import Elasticsearch

from citespan.es_mappings.articles import ArticleEntry
from citespan.es_mappings.index_name import numbered_id, slug
from citespan.pipelines.errors import ArticleGoneError
from citespan.pipelines.server_reason import read_documents
from citespan.pipelines.store.paging import ArticleSearch, multi_search

_READ_AT_ONCE = 1_000
_PAGE = 10_000  # Elasticsearch's index.max_result_window

SentenceDocuments = dict[int, Mapping[str, Any]]
"""Sentences by their numbers, each with `start`, `end`, `section` and `text`, which includes the
white space behind it."""


def read_sentences(
    client: Elasticsearch, wanted: Sequence[tuple[ArticleEntry, Iterable[int]]]
) -> list[SentenceDocuments]:
    """Return sentences of articles in the layout `sentences`, as `Layout.read_sentences` does."""
    found: list[SentenceDocuments] = [{} for _ in wanted]
    asked = [
        (at, entry, number)
        for at, (entry, numbers) in enumerate(wanted)
        for number in dict.fromkeys(numbers)
    ]
    for place in range(0, len(asked), _READ_AT_ONCE):
        some = asked[place : place + _READ_AT_ONCE]
        for (at, entry, number), source in zip(some, _read(client, some), strict=True):
            if source is None:
                raise _gone(entry, f"sentence {number}")
            found[at][number] = source
    return found


def read_articles(
    client: Elasticsearch, entries: Sequence[ArticleEntry]
) -> list[SentenceDocuments]:
    """Return all sentences of articles in the layout `sentences`, as `Layout.read_articles` does.

    A search by edition, in the order in which documents are stored, is several times as fast as
    asking for each sentence by its id.
    """
    searches = [
        ArticleSearch(entry, _whole_article(entry), slug(entry.article)) for entry in entries
    ]
    return read_pages(client, searches, "number")


def read_pages(
    client: Elasticsearch, searches: Sequence[ArticleSearch], number: str
) -> list[SentenceDocuments]:
    """Return all documents that each search finds, a page at a time, in order.

    Args:
        searches: each sorted, for all single sentences of an article.
        number: the field with a sentence's number.

    Raises:
        ArticleGoneError: if a search does not find as many as its article has.
    """
    found: list[SentenceDocuments] = [{} for _ in searches]
    pending = list(enumerate(searches))
    fields = ["hits.hits._source"]
    if any(search.article.sentences > _PAGE for search in searches):
        fields.append("hits.hits.sort")
    while pending:
        next_pages = []
        responses = multi_search(client, [one for _, one in pending], fields)
        for (at, search), response in zip(pending, responses, strict=True):
            hits = response.get("hits", {}).get("hits", [])
            found[at] |= {hit["_source"][number]: hit["_source"] for hit in hits}
            if len(hits) == _PAGE < search.article.sentences:
                body = {**search.body, "search_after": hits[-1]["sort"]}
                next_pages.append((at, search._replace(body=body)))
        pending = next_pages
    for search, documents in zip(searches, found, strict=True):
        if len(documents) != search.article.sentences:
            raise _gone(search.article)
    return [dict(sorted(documents.items())) for documents in found]


def page_settings(sentences: int, number: str) -> dict[str, Any]:
    """Return what a search for all single sentences of an article has beside its query: in the
    order in which they are stored, which is fastest, if they fit on a page.

    Args:
        number: the field with a sentence's number.
    """
    return {
        "sort": ["_doc" if sentences <= _PAGE else number],
        "size": _PAGE,
        "track_total_hits": False,
    }


def check_present(client: Elasticsearch, entries: Sequence[ArticleEntry]) -> None:
    """Check that the sentences of articles are there.

    Raises:
        ArticleGoneError: if one is not.
    """
    searches = [
        ArticleSearch(
            entry,
            _whole_article(entry) | {"size": 0, "track_total_hits": True},
            slug(entry.article),
        )
        for entry in entries
    ]
    responses = multi_search(client, searches, ["hits.total.value"])
    for entry, response in zip(entries, responses, strict=True):
        if response["hits"]["total"]["value"] != entry.sentences:
            raise _gone(entry)


def _gone(entry: ArticleEntry, what: str = "a sentence") -> ArticleGoneError:
    return ArticleGoneError(
        f"{what} of article '{entry.article}' is gone ({entry.index}); index it again"
    )


def _whole_article(entry: ArticleEntry) -> dict[str, Any]:
    return {
        "query": {"bool": {"filter": [{"term": {"edition": entry.edition}}]}},
        **page_settings(entry.sentences, "number"),
    }


def _read(
    client: Elasticsearch, wanted: Sequence[tuple[int, ArticleEntry, int]]
) -> Iterator[Mapping[str, Any] | None]:
    response = client.mget(
        docs=[
            {
                "_index": entry.index,
                "_id": numbered_id(entry.edition, number),
                "routing": slug(entry.article),
            }
            for _, entry, number in wanted
        ],
        filter_path="docs._index,docs._source,docs.error.type,docs.error.reason",
    )
    for document in read_documents(response):
        yield document["_source"] if document is not None else None
