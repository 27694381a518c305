"""Searching articles that others replace at the same time.

A search holds the catalogue's entry of an article, which names an edition. When the article is
replaced, a new edition is written first, then the entry, and then the former edition is deleted;
so whoever finds an edition gone, or in the moment of its deletion, reads the entry again.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TypeVar

from elasticsearch import Elasticsearch

from citespan.es_mappings.articles import ArticleEntry
from citespan.es_mappings.index_name import IndexNames
from citespan.pipelines.errors import ArticleGoneError
from citespan.pipelines.retrieval.request import SearchRequest
from citespan.pipelines.server_reason import ShardMissingError
from citespan.pipelines.store.catalogue import Catalogue

_MOST_SEARCHES = 10

Found = TypeVar("Found")


def search_current(
    client: Elasticsearch,
    requests: Sequence[SearchRequest],
    search: Callable[[Sequence[SearchRequest]], Found],
) -> Found:
    """Return what a search finds; repeat it in other editions if one of an article is gone.

    Args:
        search: raises an ArticleGoneError if an article is gone.

    Raises:
        ArticleGoneError: if the catalogue names no other edition of the article.
        ShardMissingError: if an index can't be read, and the catalogue names no other one.
        InputError: if an article is now indexed in a way that can't answer its request.
    """
    for _ in range(_MOST_SEARCHES - 1):
        try:
            return search(requests)
        except (ArticleGoneError, ShardMissingError):
            current = _renew(client, requests)
            if all(request is other for request, other in zip(requests, current, strict=True)):
                raise
            requests = current
    return search(requests)


def read_current(read: Callable[[], Found]) -> Found:
    """Return what is read of an article; read it again if it is replaced meanwhile.

    Args:
        read: looks up the article's entry and reads what that names.

    Raises:
        ArticleGoneError: if what the entry names is gone each time.
    """
    for _ in range(_MOST_SEARCHES - 1):
        try:
            return read()
        except ArticleGoneError:
            continue
    return read()


def _renew(client: Elasticsearch, requests: Sequence[SearchRequest]) -> list[SearchRequest]:
    """Return the requests with the present entries of their articles, those that have changed."""
    by_catalogue: dict[str, list[str]] = {}
    for request in requests:
        by_catalogue.setdefault(_find_prefix(request.article), []).append(request.article.article)
    present = {
        (prefix, article): entry
        for prefix, articles in by_catalogue.items()
        if prefix
        for article, entry in Catalogue(client, IndexNames(prefix))
        .entries(list(dict.fromkeys(articles)))
        .items()
    }
    renewed = []
    for request in requests:
        former = request.article
        entry = present.get((_find_prefix(former), former.article), former)
        same = (entry.index, entry.edition) == (former.index, former.edition)
        renewed.append(request if same else replace(request, article=entry))
    return renewed


def _find_prefix(entry: ArticleEntry) -> str:
    """Return the prefix of the indices that an entry's catalogue describes; "" if it was not read
    from one."""
    index = str(getattr(entry.meta, "index", ""))
    index = index.partition("~")[0]
    prefix = index.removesuffix("-articles").removesuffix("-abstracts")
    return prefix if prefix != index else ""
