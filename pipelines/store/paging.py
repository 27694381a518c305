"""Searches of many articles in few requests, of more documents than a request returns, and reading
of all that is asked for or none."""

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple, TypeVar

from elasticsearch import ApiError, Elasticsearch, TransportError

from citespan.es_mappings.articles import ArticleEntry
from citespan.pipelines.batches import batched
from citespan.pipelines.errors import ArticleGoneError, CitespanError
from citespan.pipelines.server_reason import (
    UNAVAILABLE,
    ShardMissingError,
    lacks_index,
    read_documents,
    server_reason,
)

PAGE = 10_000
"""The most hits of a request: Elasticsearch's index.max_result_window."""
_PER_REQUEST = 100
_SWITCH_SECONDS = 0.2
_MOST_SWITCHES = 25
_NOT_FOUND = 404

Read = TypeVar("Read")
Hit = Mapping[str, Any]
NumberedBody = tuple[int, Mapping[str, Any]]
SentenceDocuments = dict[int, Mapping[str, Any]]
"""Sentences by their numbers, each with `start`, `end`, `section` and `text`, which includes the
white space behind it."""


class ArticleSearch(NamedTuple):
    """One search: the article, the body of the request, and its routing, if any."""

    article: ArticleEntry
    body: Mapping[str, Any]
    routing: str | None = None

    def lines(self) -> list[Mapping[str, Any]]:
        """Return the header and the body, as `_msearch` takes them."""
        header = {"index": self.article.index, "allow_partial_search_results": False}
        return [header | ({"routing": self.routing} if self.routing else {}), self.body]


def _read_all(index: str | Sequence[str], read: Callable[[], Read]) -> Read:
    """Return what is read, and try again for five seconds while a part of it can't be: the indices
    behind a name may be replaced at this very moment.

    Raises:
        ShardMissingError: if it still can't be read.
    """

    def read_once() -> Read:
        try:
            return read()
        except ApiError as error:
            # Of an index that is deleted while it is searched, shards are not found.
            away = error.status_code in {*UNAVAILABLE, _NOT_FOUND}
            if away and error.message == "search_phase_execution_exception":
                raise ShardMissingError(str(index), server_reason(error)) from error
            raise

    for _ in range(_MOST_SWITCHES):
        try:
            return read_once()
        except ShardMissingError:
            time.sleep(_SWITCH_SECONDS)
    return read_once()


def read_by_ids(
    client: Elasticsearch, index: str, ids: Sequence[str], **asked: Any
) -> list[dict[str, Any] | None]:
    """Return documents by their ids, at least one, and None for each that does not exist, as where
    there is no such index.

    Args:
        asked: further parameters of the client's `mget`.

    Raises:
        TransportError: if the server answers for some of them only.
        ShardMissingError: if one of them can't be read, which does not mean that it is missing.
    """

    def read() -> list[dict[str, Any] | None]:
        response = client.mget(index=index, ids=list(ids), **asked)
        documents = response["docs"]
        if len(documents) != len(ids):
            raise TransportError(f"documents of {index} were read in part")
        # The name was that of an index which has been deleted since.
        if any(map(lacks_index, documents)) and client.indices.exists(index=index):
            raise ShardMissingError(index, "it was replaced meanwhile")
        return read_documents(response)

    return _read_all(index, read)


def search_all_shards(client: Elasticsearch, **asked: Any) -> Mapping[str, Any]:
    """Return the response of all shards to a search: a part of them would look like all.

    Args:
        asked: the parameters of the client's `search`.

    Raises:
        NotFoundError: if there is no such index.
        ShardMissingError: if one of the shards can't be read.
    """
    return _read_all(
        asked["index"], lambda: dict(client.search(allow_partial_search_results=False, **asked))
    )


def count_all(client: Elasticsearch, **asked: Any) -> int:
    """Return how many documents all shards have.

    Args:
        asked: the parameters of the client's `count`.

    Raises:
        NotFoundError: if there is no such index.
        ShardMissingError: if one of the shards can't be read.
    """

    def count() -> int:
        counted = client.count(**asked)
        if counted["_shards"]["failed"]:
            reason = "no node has a copy of one of its shards"
            raise ShardMissingError(str(asked["index"]), reason)
        return int(counted["count"])

    return _read_all(asked["index"], count)


def multi_search(
    client: Elasticsearch, searches: Sequence[ArticleSearch], fields: Sequence[str], **options: Any
) -> Iterator[Mapping[str, Any]]:
    """Yield the response to each search, in order.

    Args:
        fields: the fields to return of each response, as paths.
        options: parameters of the request, for all searches.

    Raises:
        ArticleGoneError: if an article's index is gone.
        ShardMissingError: if no node that has an article's index answers.
        CitespanError: if the server refuses a search.
    """
    paths = ",".join(f"responses.{name}" for name in ("status", "error", *fields))
    for batch in batched(searches, _PER_REQUEST):
        lines = [line for search in batch for line in search.lines()]
        responses = client.msearch(searches=lines, filter_path=paths, **options)["responses"]
        for search, response in zip(batch, responses, strict=True):
            if response.get("status") == 404:
                raise gone(search.article, "the index")
            if "error" in response:
                reason = response["error"].get("reason", response["error"])
                if response.get("status") in UNAVAILABLE:
                    raise ShardMissingError(search.article.index, reason)
                raise CitespanError(f"Elasticsearch refused a search: {reason}")
            yield response


def search_pages(
    client: Elasticsearch, searches: Sequence[ArticleSearch], fields: Sequence[str], **options: Any
) -> Iterator[tuple[int, Sequence[Hit]]]:
    """Yield all hits of each search, a page at a time, each page with the number of its search.

    Args:
        searches: each sorted, with a `size` of `PAGE`.
        fields, options: as in `multi_search`; the hits' `sort` is among the fields if any search
            has more hits than a page.

    Raises: as `multi_search`.
    """

    def send(bodies: Sequence[NumberedBody]) -> Iterator[Sequence[Hit]]:
        asked = [searches[number]._replace(body=body) for number, body in bodies]
        for response in multi_search(client, asked, fields, **options):
            yield response.get("hits", {}).get("hits", [])

    return page_through([search.body for search in searches], send)


def page_through(
    bodies: Sequence[Mapping[str, Any]],
    send: Callable[[Sequence[NumberedBody]], Iterable[Sequence[Hit]]],
) -> Iterator[tuple[int, Sequence[Hit]]]:
    """Yield all hits of sorted searches, a page at a time, each page with the number of its search.

    Args:
        bodies: of the requests, each with its `size`.
        send: sends some of them and returns the hits of each.
    """
    pending: list[NumberedBody] = list(enumerate(bodies))
    while pending:
        following: list[NumberedBody] = []
        for (number, body), hits in zip(pending, send(pending), strict=True):
            yield number, hits
            if len(hits) == body["size"]:
                following.append((number, {**body, "search_after": hits[-1]["sort"]}))
        pending = following


def read_pages(
    client: Elasticsearch, searches: Sequence[ArticleSearch], number: str
) -> list[SentenceDocuments]:
    """Return all documents that each search finds, in order.

    Args:
        searches: each with `page_settings`, for all single sentences of an article.
        number: the field with a sentence's number.

    Raises:
        ArticleGoneError: if a search does not find as many as its article has.
    """
    found: list[SentenceDocuments] = [{} for _ in searches]
    fields = ["hits.hits._source"]
    if any(search.article.sentences >= PAGE for search in searches):
        fields.append("hits.hits.sort")
    for at, hits in search_pages(client, searches, fields):
        found[at] |= {hit["_source"][number]: hit["_source"] for hit in hits}
    for search, documents in zip(searches, found, strict=True):
        if len(documents) != search.article.sentences:
            raise gone(search.article)
    return [dict(sorted(documents.items())) for documents in found]


def page_settings(sentences: int, number: str) -> dict[str, Any]:
    """Return what a search for all single sentences of an article has beside its query: in the
    order in which they are stored, which is fastest, if they fit on a page.

    Args:
        number: the field with a sentence's number.
    """
    return {
        "sort": ["_doc" if sentences < PAGE else number],
        "size": PAGE,
        "track_total_hits": False,
    }


def gone(entry: ArticleEntry, part: str = "a sentence") -> ArticleGoneError:
    """Return the error of an article that has lost a document."""
    return ArticleGoneError(
        f"{part} of article '{entry.article}' is gone ({entry.index}); index it again"
    )
