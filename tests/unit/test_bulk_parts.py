"""How large bulk requests are, how long they are repeated, and which index has an article."""

import time
from collections import Counter

import pytest
from elastic_transport import ApiResponseMeta, ConnectionTimeout, HttpHeaders, NodeConfig, TlsError
from elasticsearch import ApiError
from hypothesis import given
from hypothesis import strategies as st

from citespan.pipelines.errors import ElasticsearchUnreachableError
from citespan.pipelines.indexing.writing.batch_size import LEAST, MOST, BatchSize
from citespan.pipelines.indexing.writing.patience import Patience, ServerFullError, passes
from citespan.pipelines.indexing.writing.sentence_indices import home, shards_for


@given(st.lists(st.booleans(), max_size=300), st.integers(LEAST, MOST))
def test_sizes_stay_in_bounds_and_halve_faster_than_they_grow(
    taken: list[bool], start: int
) -> None:
    size = BatchSize(start)
    for one in taken:
        before = size.bytes
        if one:
            size.grow()
            assert before <= size.bytes <= before * 1.2
        else:
            size.shrink()
            assert size.bytes <= max(LEAST, before / 2 + 1)
        assert LEAST <= size.bytes <= MOST


def refusal(status: int, reason: str = "no") -> ApiError:
    meta = ApiResponseMeta(status, "1.1", HttpHeaders(), 0.1, NodeConfig("http", "127.0.0.1", 9200))
    return ApiError(reason, meta, {"error": {"reason": reason}})


@pytest.mark.parametrize("status", [408, 429, 502, 503, 504])
def test_what_a_busy_server_says_passes(status: int) -> None:
    assert passes(refusal(status))


@pytest.mark.parametrize("error", [refusal(400), refusal(403), refusal(404), TlsError("bad")])
def test_what_it_refuses_does_not(error: Exception) -> None:
    assert not passes(error)
    with pytest.raises(type(error)):
        Patience().wait(1, time.monotonic(), error)


@pytest.mark.parametrize(
    "reason",
    [
        "index [x] blocked by: [TOO_MANY_REQUESTS/12/disk usage exceeded flood-stage watermark]",
        "index [x] blocked by: [FORBIDDEN/12/index read-only / allow delete (api)];",
    ],
)
def test_a_full_disk_is_not_waited_for(reason: str) -> None:
    with pytest.raises(ServerFullError, match=r"make room .* it goes on where it stopped"):
        passes(refusal(429, reason))


def test_patience_counts_from_the_last_success() -> None:
    patience = Patience(0.05, first=0.001, longest=0.002)
    begun = time.monotonic()
    time.sleep(0.06)
    patience.succeeded()
    patience.wait(1, begun, ConnectionTimeout("slow"))
    time.sleep(0.06)
    with pytest.raises(ElasticsearchUnreachableError, match="has taken nothing for"):
        patience.wait(2, begun, ConnectionTimeout("slow"))


def test_shards_follow_from_how_many_articles_are_expected() -> None:
    assert [shards_for(n) for n in (0, 160_000, 160_001, 1_000_000, 6_000_000)] == [1, 1, 2, 7, 38]


def test_articles_are_spread_by_shards_and_few_move_when_an_index_is_added() -> None:
    names = [f"PMC{n}" for n in range(4000)]
    two = {"citespan-sentences-000": 8, "citespan-sentences-001": 4}
    before = {name: home(name, two) for name in names}
    spread = Counter(before.values())
    assert spread["citespan-sentences-000"] == pytest.approx(4000 * 8 / 12, rel=0.06)
    three = two | {"citespan-sentences-002": 4}
    moved = [name for name in names if home(name, three) != before[name]]
    assert {home(name, three) for name in moved} == {"citespan-sentences-002"}
    assert len(moved) == pytest.approx(4000 / 4, rel=0.12)
