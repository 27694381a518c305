"""Many searches of articles in few requests."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from elasticsearch import Elasticsearch

from citespan.es_mappings.articles import ArticleEntry
from citespan.pipelines.errors import CitespanError

_PER_REQUEST = 100

Searched = tuple[ArticleEntry, Mapping[str, Any], Mapping[str, Any]]
"""The article searched in, what beside its index is in the search's header, and the body."""


def responses(
    client: Elasticsearch, searches: Sequence[Searched], fields: Sequence[str], **options: Any
) -> Iterator[Mapping[str, Any]]:
    """The response to each search, in order, with those fields of it.

    Args:
        options: of all searches.

    Raises:
        CitespanError: if an article's index is gone, or the server refuses a search.
    """
    paths = ",".join(f"responses.{name}" for name in ("status", "error", *fields))
    for at in range(0, len(searches), _PER_REQUEST):
        batch = searches[at : at + _PER_REQUEST]
        lines: list[Mapping[str, Any]] = []
        for entry, header, body in batch:
            lines += [{"index": entry.index, **header}, body]
        found = client.msearch(searches=lines, filter_path=paths, **options)["responses"]
        for (entry, _, _), response in zip(batch, found, strict=True):
            if response.get("status") == 404:
                raise CitespanError(
                    f"the index of article '{entry.article}' is gone ({entry.index}); "
                    "index it again"
                )
            if "error" in response:
                reason = response["error"].get("reason", response["error"])
                raise CitespanError(f"Elasticsearch refused a search: {reason}")
            yield response
