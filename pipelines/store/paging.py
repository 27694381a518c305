"""Searches of many articles in few requests."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from elasticsearch import Elasticsearch

from citespan.es_mappings.articles import ArticleEntry
from citespan.pipelines.errors import ArticleGoneError, CitespanError
from citespan.pipelines.server_reason import UNAVAILABLE, ShardMissingError

_PER_REQUEST = 100


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
                article = search.article
                raise ArticleGoneError(
                    f"the index of article '{article.article}' is gone ({article.index}); "
                    "index it again"
                )
            if "error" in response:
                reason = response["error"].get("reason", response["error"])
                if response.get("status") in UNAVAILABLE:
                    raise ShardMissingError(search.article.index, reason)
                raise CitespanError(f"Elasticsearch refused a search: {reason}")
            yield response
