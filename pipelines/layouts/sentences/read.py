"""Reading the sentences of articles."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from elasticsearch import Elasticsearch

from citespan.es_mappings.articles import ArticleEntry
from citespan.es_mappings.index_name import numbered_id, slug, slug_of
from citespan.pipelines.batches import batched
from citespan.pipelines.server_reason import read_documents
from citespan.pipelines.store.paging import (
    ArticleSearch,
    SentenceDocuments,
    gone,
    multi_search,
    page_settings,
    read_pages,
)

_READ_AT_ONCE = 1_000


def read_sentences(
    client: Elasticsearch, wanted: Sequence[tuple[ArticleEntry, Iterable[int]]]
) -> list[SentenceDocuments]:
    """Return sentences of articles by their numbers."""
    found: list[SentenceDocuments] = [{} for _ in wanted]
    asked = [
        (at, entry, number)
        for at, (entry, numbers) in enumerate(wanted)
        for number in dict.fromkeys(numbers)
    ]
    for some in batched(asked, _READ_AT_ONCE):
        for (at, entry, number), source in zip(some, _read(client, some), strict=True):
            if source is None:
                raise gone(entry, f"sentence {number}")
            found[at][number] = source
    return found


def read_articles(
    client: Elasticsearch, entries: Sequence[ArticleEntry]
) -> list[SentenceDocuments]:
    """Return all sentences of articles in order.

    A search by edition, in the order in which documents are stored, is several times as fast as
    asking for each sentence by its id.
    """
    searches = [
        ArticleSearch(entry, _whole_article(entry), slug(entry.article)) for entry in entries
    ]
    return read_pages(client, searches, "number")


def read_text(client: Elasticsearch, entry: ArticleEntry) -> str:
    """Return all sentences of an article in order, separated by a space."""
    [documents] = read_articles(client, [entry])
    return " ".join(str(document["text"]).rstrip() for document in documents.values())


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
            raise gone(entry)


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
                "routing": slug_of(entry.edition),
            }
            for _, entry, number in wanted
        ],
        filter_path="docs._index,docs._source,docs.error.type,docs.error.reason",
    )
    for document in read_documents(response):
        yield document["_source"] if document is not None else None
