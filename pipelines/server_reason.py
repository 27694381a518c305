"""What Elasticsearch says of a request that it refused."""

from collections.abc import Mapping
from typing import Any

from elasticsearch import ApiError

_LONGEST = 300
_FORBIDDEN = 403


def server_reason(error: ApiError) -> str:
    """The reason in one line: that of the root cause, where the server names one, and what that
    comes from."""
    body = error.body if isinstance(error.body, dict) else {}
    described = body.get("error")
    if isinstance(described, dict):
        causes = described.get("root_cause") or [described]
        return shortened(_with_origin(causes[0].get("reason") or error.message, described))
    failures = body.get("_shards", {}).get("failures")
    if failures and isinstance(failures[0].get("reason"), dict):
        described = failures[0]["reason"]
        return shortened(_with_origin(described.get("reason"), described))
    if error.meta.status == _FORBIDDEN:  # a HEAD request is answered without a word
        return "unauthorized: the user or API key lacks a privilege (see deploy/operations.md)"
    return shortened(f"{error.status_code} {error.message}")


def _with_origin(reason: object, described: Mapping[str, Any]) -> str:
    while isinstance(described.get("caused_by"), dict):
        described = described["caused_by"]
    origin = str(described.get("reason") or "")
    return str(reason) if origin in str(reason) else f"{reason}: {origin}"


def shortened(reason: object) -> str:
    """One line of at most 300 characters."""
    line = " ".join(str(reason).split())
    return line if len(line) <= _LONGEST else line[: _LONGEST - 3] + "..."
