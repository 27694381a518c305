"""Bulk requests, several at once, repeated as far as the server has put them off.

Every operation may be sent twice: documents have ids that only their content decides.
"""

import time
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import contextmanager
from threading import Lock

from elastic_transport import ConnectionTimeout
from elasticsearch import ApiError, Elasticsearch, TransportError

from citespan.pipelines.indexing.census import Census
from citespan.pipelines.indexing.server import failures_told
from citespan.pipelines.indexing.writing.batch_size import BatchSize
from citespan.pipelines.indexing.writing.operation import Operation
from citespan.pipelines.indexing.writing.patience import (
    PASSING_STATUS,
    Patience,
    UnsettledError,
    refuse_if_full,
)
from citespan.pipelines.server_reason import shortened

_CONCURRENT = 4
_TOO_LARGE = 413
_OVERTAXED = frozenset((_TOO_LARGE, 429))
CONFLICT = "conflict"
"""Why an operation is refused that another writer was faster with."""
_CONFLICT_STATUS = 409
# Told of single documents with a status of 500, though none of them is to blame.
_DISK_TROUBLE = "i_o_exception"


class BulkSender:
    """Sends operations; keeps the size of requests from one call to the next.

    Use it in a `with` statement.
    """

    def __init__(self, client: Elasticsearch, patience: Patience) -> None:
        self._client = client
        self._patience = patience
        self._size = BatchSize()
        self._threads = ThreadPoolExecutor(_CONCURRENT)

    def __enter__(self) -> "BulkSender":
        return self

    def __exit__(self, *_: object) -> None:
        self._threads.shutdown()

    def send(self, operations: Iterable[Operation]) -> dict[str, str]:
        """Send all operations, in no order.

        Returns:
            For each key of which the server refused an operation, why; "conflict" where another
            writer was first.

        Raises:
            ElasticsearchUnreachableError: where patience is at its end, or the server is full.
            ApiError: where the server refuses a whole request for good.
        """
        batches = _Batches(operations, self._size)
        refused: dict[str, str] = {}
        work = [self._threads.submit(self._work, batches, refused) for _ in range(_CONCURRENT)]
        try:
            wait(work)
        except BaseException:  # a keyboard interrupt
            batches.stop()
            raise
        for one in work:
            one.result()
        return refused

    def _work(self, batches: "_Batches", refused: dict[str, str]) -> None:
        try:
            while batch := batches.next():
                self._deliver(batch, refused)
        except BaseException:
            batches.stop()
            raise

    def _deliver(self, batch: list[Operation], refused: dict[str, str]) -> None:
        attempt = 0
        since = time.monotonic()
        while batch:
            part = _cut(batch, self._size.bytes)
            try:
                again, problem = self._send(part, refused)
            except (TransportError, ApiError) as error:
                if len(part) == 1 and _status(error) == _TOO_LARGE:
                    if part[0].count > 1:
                        batch = part[0].each() + batch[1:]
                        continue
                    refused[part[0].key] = "larger than the server takes"
                    batch = batch[1:]
                    continue
                if isinstance(error, ConnectionTimeout) or _status(error) in _OVERTAXED:
                    self._size.shrink()
                if _status(error) == _TOO_LARGE:
                    continue
                again, problem = part, error
            else:
                if problem is None:
                    self._size.grow()
            batch = again + batch[len(part) :]
            if problem is None:
                attempt, since = 0, time.monotonic()
            else:
                attempt += 1
                self._patience.wait(attempt, since, problem)

    def _send(
        self, part: list[Operation], refused: dict[str, str]
    ) -> tuple[list[Operation], Exception | None]:
        """Send a request.

        Returns:
            The operations that are to be sent again, and why.
        """
        response = self._client.bulk(
            index=part[0].index,
            operations=[operation.body for operation in part],  # type: ignore[misc]  # ready-made
            filter_path="errors,items.*.status,items.*.error.type,items.*.error.reason",
        )
        items = response.get("items", ())
        if len(items) != sum(operation.count for operation in part):
            return part, UnsettledError("a bulk request was answered in part")
        if not response.get("errors", True):
            self._patience.succeeded()
            return [], None
        again: list[Operation] = []
        single = (one for operation in part for one in operation.each())
        for operation, item in zip(single, items, strict=True):
            [result] = item.values()
            error = result.get("error")
            if error is None:
                continue
            reason = shortened(error.get("reason"))
            refuse_if_full(reason)
            if result["status"] in PASSING_STATUS or error.get("type") == _DISK_TROUBLE:
                again.append(operation)
            else:
                conflict = result["status"] == _CONFLICT_STATUS
                refused[operation.key] = CONFLICT if conflict else reason
        if len(again) < len(items):
            self._patience.succeeded()
        if not again:
            return [], None
        self._size.shrink()
        return again, UnsettledError(reason)


@contextmanager
def load_sender(client: Elasticsearch, patience: Patience, census: Census) -> Iterator[BulkSender]:
    """What a whole load sends by; where the load ends early, nothing waits any longer.

    Raises: as `failures_told`.
    """
    with failures_told(census), BulkSender(client, patience) as sender:
        try:
            yield sender
        except BaseException:
            patience.give_up()
            raise


class _Batches:
    """Cuts operations into batches of one index, for several threads."""

    def __init__(self, operations: Iterable[Operation], size: BatchSize) -> None:
        self._batches = self._cut(iter(operations), size)
        self._lock = Lock()
        self._stopped = False

    def next(self) -> list[Operation]:
        """The next batch; an empty one at the end."""
        with self._lock:
            return [] if self._stopped else next(self._batches, [])

    def stop(self) -> None:
        """Give out no more."""
        self._stopped = True

    @staticmethod
    def _cut(operations: Iterator[Operation], size: BatchSize) -> Iterator[list[Operation]]:
        batch: list[Operation] = []
        length = 0
        for operation in operations:
            full = length + len(operation.body) > size.bytes
            if batch and (full or operation.index != batch[0].index):
                yield batch
                batch, length = [], 0
            batch.append(operation)
            length += len(operation.body) + 1
        if batch:
            yield batch


def _cut(batch: list[Operation], most: int) -> list[Operation]:
    """The first operations that together are not larger; at least one."""
    length = 0
    for place, operation in enumerate(batch):
        length += len(operation.body) + 1
        if place and length > most:
            return batch[:place]
    return batch


def _status(error: Exception) -> int:
    return error.meta.status if isinstance(error, ApiError) else 0
