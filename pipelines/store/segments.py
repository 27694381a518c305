"""Force-merges of citespan's indices, once nothing is to be written for a while.

Searches of fewer segments are faster, and what was deleted takes no room any more. Elasticsearch
itself merges no segments to more than 5 GB, so no shard gets a larger one here: it would keep all
that is deleted from it later.
"""

import math
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from itertools import chain
from threading import Event, Thread
from typing import Final

from elasticsearch import ApiError, Elasticsearch, TransportError

from citespan.pipelines.counts import format_count
from citespan.pipelines.errors import CitespanError
from citespan.pipelines.server_reason import shortened
from citespan.pipelines.store.index_versions import ALL, kind_of
from citespan.pipelines.store.lease import find_writers
from citespan.pipelines.store.retry import RetryPolicy
from citespan.pipelines.store.server import Progress, Server, batch_names, open_server

SEGMENT_BYTES: Final = 5 * 2**30
"""Elasticsearch's limit for segments that it merges (`index.merge.policy.max_merged_segment`)."""
_REQUEST_SECONDS = 3600.0
_LOOK_SECONDS = 2.0
_LEASES_SECONDS = 70.0

Copies = Mapping[str, list[tuple[int, int]]]
"""By the name of the index, the number of segments of each copy of each shard, and their bytes."""


@dataclass(frozen=True)
class Merged:
    """What a merge has done.

    Attributes:
        indices: how many had more segments than they are to have.
        segments_before, segments, bytes_before, bytes: of all copies of the shards of these.
        seconds: how long the server took.
    """

    indices: int
    segments_before: int
    segments: int
    bytes_before: int
    bytes: int
    seconds: float

    def __str__(self) -> str:
        if not self.indices:
            return "all segments are merged already"
        indices = format_count(self.indices, "index", "indices")
        return (
            f"{self.segments_before:,} segments of {indices} merged into {self.segments:,}, "
            f"{self.bytes_before / 1e6:,.1f} MB into {self.bytes / 1e6:,.1f} MB, in "
            f"{self.seconds:.1f} s"
        )


def merge_segments(
    client: Elasticsearch,
    retry: RetryPolicy,
    loaded: Progress,
    show: Callable[[int], AbstractContextManager[Callable[[int], None]]],
) -> Merged | str:
    """Merge the segments of each shard of articles, abstracts, citations and links into one, or
    into as few of 5 GB as it takes. What is merged already is left alone.

    Args:
        loaded: what was loaded before, for messages.
        show: called with the number of shards to merge, copies included; gives what is called with
            the number of those that have just been merged.

    Returns:
        What was done; or why nothing is merged, in one line: another command is writing.

    Raises:
        ElasticsearchUnreachableError: if the server goes away, or has no room.
        CitespanError: if it refuses to merge.
    """
    started = time.monotonic()
    with open_server(client, retry, loaded) as server:
        if writers := server.call(lambda: find_writers(server.client)):
            return f"nothing is merged, since {writers[0]}; repeat the command when that has ended"
        _commit(server, list(_read_copies(server)))
        before = {
            name: copies
            for name, copies in _read_copies(server).items()
            if _count_merged(copies) < len(copies)
        }
        with (
            show(sum(map(len, before.values()))) as advance,
            _watching(server, list(before), advance),
        ):
            _wait_for_leases(server, list(before))
            _merge(server, before)
        _commit(server, list(before))  # which frees what was merged
        every = _read_copies(server)
    after = {name: every.get(name, []) for name in before}
    (segments_before, bytes_before), (segments, size) = _add_up(before), _add_up(after)
    seconds = round(time.monotonic() - started, 3)
    return Merged(len(before), segments_before, segments, bytes_before, size, seconds)


def _wait_for_leases(server: Server, names: list[str]) -> None:
    """Wait until no copy of a shard can ask for what has been written, which the server looks at
    twice a minute. Before that, a merge keeps what is deleted, and the whole documents of the
    catalogue, whose texts are in no source."""
    deadline = time.monotonic() + _LEASES_SECONDS
    for some in batch_names(names):
        while _is_retained(server, some) and time.monotonic() < deadline:
            time.sleep(_LOOK_SECONDS)


def _is_retained(server: Server, names: list[str]) -> bool:
    read = partial(
        server.client.indices.stats,
        index=names,
        metric="docs",
        level="shards",
        filter_path=["**.seq_no.max_seq_no", "**.leases.retaining_seq_no"],
    )
    return any(
        lease["retaining_seq_no"] <= copy["seq_no"]["max_seq_no"]
        for index in server.call(read)["indices"].values()
        for copies in index["shards"].values()
        for copy in copies
        for lease in copy.get("retention_leases", {}).get("leases", ())
    )


def _merge(server: Server, indices: Copies) -> None:
    patient = server.client.options(request_timeout=_REQUEST_SECONDS)
    alike = defaultdict(list)
    for name, copies in indices.items():
        alike[_count_wanted(copies)].append(name)
    for number, names in alike.items():
        for some in batch_names(names):
            merge = partial(patient.indices.forcemerge, index=some, max_num_segments=number)
            shards = server.call(merge)["_shards"]
            if failures := shards.get("failures"):
                reason = shortened(failures[0]["reason"]["reason"])
                raise CitespanError(
                    f"Elasticsearch could not merge {shards['failed']:,} shards ({reason}); what "
                    "is loaded stays: see `citespan doctor`, and repeat the command"
                )


@contextmanager
def _watching(server: Server, names: list[str], advance: Callable[[int], None]) -> Iterator[None]:
    """Count the shards that are merged meanwhile. As long as the server answers that, the merge is
    waited for."""
    ended = Event()

    def watch() -> None:
        shown = 0
        while not ended.wait(_LOOK_SECONDS):
            with suppress(ApiError, TransportError, CitespanError):
                found = _read_copies(server)
                merged = sum(_count_merged(found.get(name, [])) for name in names)
                advance(merged - shown)
                shown = merged

    thread = Thread(target=watch, daemon=True)  # a keyboard interrupt waits for no answer
    thread.start()
    try:
        yield
    finally:
        ended.set()


def _commit(server: Server, names: list[str]) -> None:
    """Write all segments to disk and let searches use these alone."""
    for some in batch_names(names):
        server.refresh(some)
        server.call(partial(server.client.indices.flush, index=some, ignore_unavailable=True))


def _read_copies(server: Server) -> Copies:
    found = server.call(lambda: server.client.indices.segments(index=ALL))["indices"]
    return {
        name: [
            (
                copy["num_committed_segments"],
                sum(segment["size_in_bytes"] for segment in copy["segments"].values()),
            )
            for copies in index["shards"].values()
            for copy in copies
        ]
        for name, index in found.items()
        if kind_of(name) not in (None, "loads", "leases")
    }


def _count_wanted(copies: list[tuple[int, int]]) -> int:
    """Return how many segments each shard of an index is to have at most."""
    return max(1, math.ceil(max((size for _, size in copies), default=0) / SEGMENT_BYTES))


def _count_merged(copies: list[tuple[int, int]]) -> int:
    most = _count_wanted(copies)
    return sum(segments <= most for segments, _ in copies)


def _add_up(indices: Copies) -> tuple[int, int]:
    copies = list(chain(*indices.values()))
    return sum(segments for segments, _ in copies), sum(size for _, size in copies)
