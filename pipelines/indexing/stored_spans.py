"""Reading the sentences of articles in the layout `spans`, without what writing needs."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from elasticsearch import Elasticsearch, NotFoundError
from elasticsearch.dsl import Search

from citespan.es_mappings.articles import ArticleEntry
from citespan.pipelines.errors import ArticleGoneError, CitespanError
from citespan.pipelines.indexing.stored_sentences import (
    SentenceDocuments,
    page_settings,
    read_pages,
)
from citespan.pipelines.store.paging import ArticleSearch

_PAGE = 10_000  # Elasticsearch's index.max_result_window


def read_articles(
    client: Elasticsearch, entries: Sequence[ArticleEntry]
) -> list[SentenceDocuments]:
    """Return all sentences of articles in the layout `spans`, as `Layout.read_articles` does.

    Raises:
        ArticleGoneError: if an article's spans are gone.
        CitespanError: if single sentences are not stored.
    """
    for entry in entries:
        check_singles(entry, "index it again with `shortest=1`")
    searches = [ArticleSearch(entry, _single_sentences(entry)) for entry in entries]
    return [
        {
            number: {**one, "text": one["text"] + one.get("white_space", " ")}
            for number, one in documents.items()
        }
        for documents in read_pages(client, searches, "first_sentence")
    ]


def _single_sentences(entry: ArticleEntry) -> dict[str, Any]:
    return {
        "query": {"bool": {"filter": [{"term": {"length": 1}}]}},
        **page_settings(entry.sentences, "first_sentence"),
    }


def search_all(
    client: Elasticsearch, entry: ArticleEntry, search: Search
) -> Iterator[Mapping[str, Any]]:
    """Yield all hits of a sorted search, page by page."""
    page: dict[str, Any] = {"size": _PAGE, "track_total_hits": False}
    while True:
        try:
            response = client.search(index=entry.index, **search.extra(**page).to_dict())
        except NotFoundError as error:
            raise gone(entry) from error
        hits = response["hits"]["hits"]
        yield from hits
        if len(hits) < _PAGE:
            return
        page["search_after"] = hits[-1]["sort"]


def check_singles(entry: ArticleEntry, remedy: str) -> None:
    """Raise a CitespanError, with the remedy, if single sentences of an article are not stored."""
    if entry.shortest > 1 and entry.sentences > 1:
        raise CitespanError(
            f"article '{entry.article}' is indexed with spans of at least {entry.shortest} "
            f"sentences, so single sentences are not stored; {remedy}"
        )


def gone(entry: ArticleEntry) -> ArticleGoneError:
    """Return the error of an article whose spans are gone."""
    return ArticleGoneError(
        f"the index of article '{entry.article}' is gone ({entry.index}); index it again"
    )
