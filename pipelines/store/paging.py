"""Searches of many articles in few requests, and of more documents than a request returns."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from elasticsearch import Elasticsearch

from citespan.es_mappings.articles import ArticleEntry
from citespan.pipelines.errors import ArticleGoneError, CitespanError
from citespan.pipelines.server_reason import UNAVAILABLE, ShardMissingError

_PER_REQUEST = 100
_PAGE = 10_000  # Elasticsearch's index.max_result_window


class ArticleSearch(NamedTuple):
    """One search: the article, the body of the request, and its routing, if any."""

    article: ArticleEntry
    body: Mapping[str, Any]
    routing: str | None = None

    def lines(self) -> list[Mapping[str, Any]]:
        """Return the header and the body, as `_msearch` takes them."""
        header = {"index": self.article.index}
        return [header | ({"routing": self.routing} if self.routing else {}), self.body]


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
    for at in range(0, len(searches), _PER_REQUEST):
        batch = searches[at : at + _PER_REQUEST]
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


def read_pages(
    client: Elasticsearch, searches: Sequence[ArticleSearch], number: str
) -> list[dict[int, Mapping[str, Any]]]:
    """Return all documents that each search finds, a page at a time, in order.

    Args:
        searches: each sorted, for all single sentences of an article.
        number: the field with a sentence's number.

    Raises:
        ArticleGoneError: if a search does not find as many as its article has.
    """
    found: list[dict[int, Mapping[str, Any]]] = [{} for _ in searches]
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
            raise gone(search.article)
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


def gone(entry: ArticleEntry, what: str = "a sentence") -> ArticleGoneError:
    """Return the error of an article of which a document is gone."""
    return ArticleGoneError(
        f"{what} of article '{entry.article}' is gone ({entry.index}); index it again"
    )
