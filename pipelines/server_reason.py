"""What Elasticsearch says of a request that it refused."""

from elasticsearch import ApiError

_LONGEST = 300
_FORBIDDEN = 403


def server_reason(error: ApiError) -> str:
    """The reason in one line: that of the root cause, where the server names one."""
    body = error.body
    described = body.get("error") if isinstance(body, dict) else None
    if isinstance(described, dict):
        causes = described.get("root_cause") or [described]
        return shortened(causes[0].get("reason") or error.message)
    if error.meta.status == _FORBIDDEN:  # a HEAD request is answered without a word
        return "unauthorized: the user or API key lacks a privilege (see deploy/operations.md)"
    return shortened(f"{error.status_code} {error.message}")


def shortened(reason: object) -> str:
    """One line of at most 300 characters."""
    line = " ".join(str(reason).split())
    return line if len(line) <= _LONGEST else line[: _LONGEST - 3] + "..."
