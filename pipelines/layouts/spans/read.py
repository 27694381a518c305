"""Reading the sentences of articles."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from elasticsearch import Elasticsearch, NotFoundError
from elasticsearch.dsl import Search
from elasticsearch.dsl.query import Term

from citespan.es_mappings.articles import ArticleEntry
from citespan.es_mappings.spans import span_id
from citespan.pipelines.errors import CitespanError
from citespan.pipelines.layouts.spans.missing_spaces import restore_text
from citespan.pipelines.server_reason import read_documents
from citespan.pipelines.store.layout import SentenceDocuments
from citespan.pipelines.store.paging import ArticleSearch, gone, page_settings, read_pages

_PAGE = 10_000  # Elasticsearch's index.max_result_window


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
    for at in range(0, len(numbers), _PAGE):
        some = numbers[at : at + _PAGE]
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


def read_text(client: Elasticsearch, entry: ArticleEntry) -> str:
    """Return all sentences of an article in order, separated by a space."""
    # An article of fewer sentences than the shortest span is one span.
    shortest = min(entry.shortest, entry.sentences)
    search = (
        Search()
        .query(Term("length", {"value": shortest}))
        .sort("first_sentence")
        .source(["start", "end", "text", "joints"])
    )
    parts: list[str] = []
    read = 0
    for hit in _search_all(client, entry, search):
        span = hit["_source"]
        if span["end"] > read:
            parts.append(restore_text(span)[max(0, read - span["start"]) :])
            read = span["end"]
    return " ".join(parts)


def _search_all(
    client: Elasticsearch, entry: ArticleEntry, search: Search
) -> Iterator[Mapping[str, Any]]:
    """Yield all hits of a sorted search, page by page."""
    page: dict[str, Any] = {"size": _PAGE, "track_total_hits": False}
    while True:
        try:
            response = client.search(index=entry.index, **search.extra(**page).to_dict())
        except NotFoundError as error:
            raise gone(entry, "the index") from error
        hits = response["hits"]["hits"]
        yield from hits
        if len(hits) < _PAGE:
            return
        page["search_after"] = hits[-1]["sort"]


def _check_singles(entry: ArticleEntry, remedy: str) -> None:
    """Raise a CitespanError, with the remedy, if single sentences of an article are not stored."""
    if entry.shortest > 1 and entry.sentences > 1:
        raise CitespanError(
            f"article '{entry.article}' is indexed with spans of at least {entry.shortest} "
            f"sentences, so single sentences are not stored; {remedy}"
        )
