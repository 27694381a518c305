"""Why Elasticsearch refused a request, or a part of one, in its own words."""

from collections.abc import Mapping
from typing import Any

from elastic_transport import ObjectApiResponse
from elasticsearch import ApiError, TransportError, UnsupportedProductError

from citespan.pipelines.errors import CitespanError, ElasticsearchUnreachableError

_LONGEST = 300
_FORBIDDEN = 403
_NO_INDEX = "index_not_found_exception"
UNAVAILABLE = frozenset({429, 502, 503, 504})
"""What a server or the proxy before it answers while it can't do its work."""


class ShardMissingError(ElasticsearchUnreachableError):
    """What was asked for can't be read now: no node that has it answers."""

    def __init__(self, index: str, reason: str) -> None:
        super().__init__(
            f"{index} can't be read at the moment ({reason}): start the nodes that have its shards "
            "again, and make room where a disk is full, see `citespan doctor`; only if they are "
            "lost for good, index its articles again"
        )


def explain_server_error(error: Exception) -> CitespanError | None:
    """Return what an error of Elasticsearch's client means to a user; None for any other error."""
    if isinstance(error, TransportError):
        name = type(error).__name__
        return ElasticsearchUnreachableError(
            f"Elasticsearch went away ({name}); see `citespan node status`"
        )
    if isinstance(error, UnsupportedProductError) or (
        isinstance(error, ApiError) and is_page(error)
    ):
        return ElasticsearchUnreachableError(
            "what answers in place of Elasticsearch is something else, perhaps a proxy "
            f"({server_reason(error)}); see `citespan node status`"
        )
    if isinstance(error, ApiError) and error.status_code in UNAVAILABLE:
        return ElasticsearchUnreachableError(
            f"Elasticsearch can't answer at the moment: {server_reason(error)}; try again, and see "
            "`citespan node status` whether all nodes run"
        )
    if isinstance(error, ApiError):
        return CitespanError(f"Elasticsearch refused a request: {server_reason(error)}")
    return None


def is_page(error: ApiError) -> bool:
    """Whether the answer is a text, such as a page of a proxy: Elasticsearch's are objects."""
    return isinstance(error.body, str | bytes) and bool(error.body.strip())


def server_reason(error: ApiError) -> str:
    """Return the reason in one line: that of the root cause, if the server names one, and its
    origin."""
    body = error.body if isinstance(error.body, dict) else {}
    described = body.get("error")
    if isinstance(described, dict):
        causes = described.get("root_cause") or [described]
        return shortened(_with_origin(causes[0].get("reason") or error.message, described))
    failures = body.get("_shards", {}).get("failures")
    if failures and isinstance(failures[0].get("reason"), dict):
        described = failures[0]["reason"]
        return shortened(_with_origin(described.get("reason"), described))
    if error.meta.status == _FORBIDDEN:  # the response to a HEAD request has no body
        return "unauthorized: the user or API key lacks a privilege (see deploy/operations.md)"
    return shortened(f"{error.status_code} {error.message}")


def lacks_index(document: Mapping[str, Any]) -> bool:
    """Whether a document that was asked for by its id is in an index that does not exist."""
    return bool((document.get("error") or {}).get("type") == _NO_INDEX)


def read_documents(response: ObjectApiResponse[Any]) -> list[dict[str, Any] | None]:
    """Return the documents that were asked for by their ids, None for one that does not exist.

    Raises:
        ShardMissingError: if one of them can't be read, which does not mean that it is missing.
    """
    documents: list[dict[str, Any] | None] = []
    for hit in response["docs"]:
        error = hit.get("error")
        if error is not None and not lacks_index(hit):
            raise ShardMissingError(
                hit.get("_index", "an index"), shortened(error.get("reason") or error["type"])
            )
        documents.append(hit if "_source" in hit else None)
    return documents


def _with_origin(reason: object, described: Mapping[str, Any]) -> str:
    while isinstance(described.get("caused_by"), dict):
        described = described["caused_by"]
    origin = str(described.get("reason") or "")
    return str(reason) if origin in str(reason) else f"{reason}: {origin}"


def shortened(reason: object) -> str:
    """Return one line of at most 300 characters."""
    line = " ".join(str(reason).split())
    return line if len(line) <= _LONGEST else line[: _LONGEST - 3] + "..."
