"""How large bulk requests are, how long they are repeated, and which index has an article."""

import time
from unittest.mock import Mock

import pytest
from elastic_transport import ApiResponseMeta, ConnectionTimeout, HttpHeaders, NodeConfig, TlsError
from elasticsearch import ApiError
from hypothesis import given
from hypothesis import strategies as st

from citespan.pipelines.errors import ElasticsearchUnreachableError
from citespan.pipelines.store.retry import RetryPolicy, ServerFullError, is_temporary
from citespan.pipelines.store.sender import RequestSize


@given(st.lists(st.booleans(), max_size=300), st.integers(RequestSize.LEAST, RequestSize.MOST))
def test_sizes_stay_in_bounds_and_halve_faster_than_they_grow(
    taken: list[bool], start: int
) -> None:
    size = RequestSize(start)
    for part in taken:
        before = size.bytes
        if part:
            size.grow()
            assert before <= size.bytes <= before * 1.2
        else:
            size.shrink()
            assert size.bytes <= max(RequestSize.LEAST, before / 2 + 1)
        assert RequestSize.LEAST <= size.bytes <= RequestSize.MOST


def refusal(status: int, reason: str = "no") -> ApiError:
    meta = ApiResponseMeta(status, "1.1", HttpHeaders(), 0.1, NodeConfig("http", "127.0.0.1", 9200))
    return ApiError(reason, meta, {"error": {"reason": reason}})


@pytest.mark.parametrize("status", [408, 429, 502, 503, 504])
def test_what_a_busy_server_says_passes(status: int) -> None:
    assert is_temporary(refusal(status))


@pytest.mark.parametrize("error", [refusal(400), refusal(403), refusal(404), TlsError("bad")])
def test_what_it_refuses_does_not(error: Exception) -> None:
    assert not is_temporary(error)
    with pytest.raises(type(error)):
        RetryPolicy().call(Mock(side_effect=error))


@pytest.mark.parametrize(
    "reason",
    [
        "index [x] blocked by: [TOO_MANY_REQUESTS/12/disk usage exceeded flood-stage watermark]",
        "index [x] blocked by: [FORBIDDEN/12/index read-only / allow delete (api)];",
    ],
)
def test_a_full_disk_is_not_waited_for(reason: str) -> None:
    with pytest.raises(ServerFullError, match=r"make room .* it resumes where it stopped"):
        is_temporary(refusal(429, reason))


def test_patience_counts_from_the_last_success() -> None:
    retry = RetryPolicy(0.05, first=0.001, longest=0.002)
    attempts = 0

    def fail_twice() -> str:
        nonlocal attempts
        attempts += 1
        time.sleep(0.06)
        retry.record_success()  # another request of the load
        if attempts < 3:
            raise ConnectionTimeout("slow")
        return "done"

    assert retry.call(fail_twice) == "done"

    def fail_alone() -> None:
        time.sleep(0.06)
        raise ConnectionTimeout("slow")

    with pytest.raises(ElasticsearchUnreachableError, match="accepted no request for"):
        retry.call(fail_alone)
