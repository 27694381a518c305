"""Bulk requests, several at once, repeated as far as the server has not carried them out.

Every operation may be sent twice.
"""

from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor, wait
from threading import Lock
from typing import Any

from elastic_transport import ConnectionTimeout
from elasticsearch import ApiError, Elasticsearch, TransportError

from citespan.pipelines.server_reason import shortened
from citespan.pipelines.store.operation import PIECE_BYTES, Operation
from citespan.pipelines.store.retry import (
    TEMPORARY_STATUS,
    RetryPolicy,
    UnsettledError,
    raise_if_server_full,
)

_CONCURRENT = 4
_TOO_LARGE = 413
_OVERLOADED = frozenset((_TOO_LARGE, 429))
CONFLICT = "conflict"
"""The reason for refusing an operation if another writer was faster."""
_CONFLICT_STATUS = 409
# The error of single documents, with a status of 500, when the server can't use its disk.
_DISK_ERROR = "i_o_exception"


class RequestSize:
    """The size of the next bulk request in bytes: halved when the server is overloaded, and
    increased slowly with each request that it carries out."""

    LEAST = PIECE_BYTES
    MOST = 10 * 2**20
    _GROWTH = 1.1

    def __init__(self, start: int = 4 * 2**20) -> None:
        self._bytes = float(start)
        self._lock = Lock()

    @property
    def bytes(self) -> int:
        """From 64 KB to 10 MB."""
        return int(self._bytes)

    def grow(self) -> None:
        """Increase the size: the server carried out a request."""
        with self._lock:
            self._bytes = min(float(self.MOST), self._bytes * self._GROWTH)

    def shrink(self) -> None:
        """Halve the size: the request was too much for the server."""
        with self._lock:
            self._bytes = max(float(self.LEAST), self._bytes / 2)


class BulkSender:
    """Sends operations; keeps the size of requests from one call to the next.

    Use it in a `with` statement.
    """

    def __init__(self, client: Elasticsearch, retry: RetryPolicy) -> None:
        self._client = client
        self._retry = retry
        self._size = RequestSize()
        self._threads = ThreadPoolExecutor(_CONCURRENT)

    def __enter__(self) -> "BulkSender":
        return self

    def __exit__(self, *_: object) -> None:
        self._threads.shutdown()

    def send(self, operations: Iterable[Operation]) -> dict[str, str]:
        """Send all operations, in no particular order.

        Returns:
            The reason for each key with an operation that the server refused; "conflict" if
            another writer was faster.

        Raises:
            ElasticsearchUnreachableError: if the server does not recover, or is full.
            ApiError: if the server refuses a whole request.
        """
        batches = _Batches(operations, self._size)
        refused: dict[str, str] = {}
        work = [self._threads.submit(self._work, batches, refused) for _ in range(_CONCURRENT)]
        try:
            wait(work)
        except BaseException:  # a keyboard interrupt
            batches.stop()
            raise
        for worker in work:
            worker.result()
        return refused

    def _work(self, batches: "_Batches", refused: dict[str, str]) -> None:
        try:
            while waiting := batches.next():
                while waiting:
                    self._retry.call(lambda: self._send_first(waiting, refused))
        except BaseException:
            batches.stop()
            raise

    def _send_first(self, waiting: list[Operation], refused: dict[str, str]) -> None:
        """Send as many operations as fit into one request, and remove those that are done.

        Raises:
            UnsettledError: if some of them must be sent again.
        """
        part = _take(waiting, self._size.bytes)
        try:
            items = self._bulk(part)
        except (TransportError, ApiError) as failure:
            if isinstance(failure, ConnectionTimeout) or _status(failure) in _OVERLOADED:
                self._size.shrink()
            if _status(failure) != _TOO_LARGE:
                raise
            if len(part) == 1:
                waiting[:1] = _divide_large(part[0], refused)
            return
        again, reason = _find_failed(part, items, refused)
        waiting[: len(part)] = again
        if not again:
            self._size.grow()
            return
        if len(again) < len(items):
            self._retry.record_success()
        self._size.shrink()
        raise UnsettledError(reason)

    def _bulk(self, part: list[Operation]) -> list[dict[str, dict[str, Any]]]:
        """Send one request, and return its items if any of them has an error."""
        response = self._client.bulk(
            index=part[0].index,
            operations=[operation.body for operation in part],  # type: ignore[misc]  # ready-made
            filter_path="errors,items.*.status,items.*.error.type,items.*.error.reason",
        )
        items = response.get("items", [])
        if len(items) != sum(operation.count for operation in part):
            raise UnsettledError("a bulk request was answered in part")
        return items if response.get("errors", True) else []


class _Batches:
    """Divides operations into batches of one index, for several threads."""

    def __init__(self, operations: Iterable[Operation], size: RequestSize) -> None:
        self._batches = self._divide(iter(operations), size)
        self._lock = Lock()
        self._stopped = False

    def next(self) -> list[Operation]:
        """Return the next batch; an empty one at the end."""
        with self._lock:
            return [] if self._stopped else next(self._batches, [])

    def stop(self) -> None:
        """Return no further batches."""
        self._stopped = True

    @staticmethod
    def _divide(operations: Iterator[Operation], size: RequestSize) -> Iterator[list[Operation]]:
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


def _find_failed(
    part: list[Operation], items: list[dict[str, dict[str, Any]]], refused: dict[str, str]
) -> tuple[list[Operation], str]:
    """Return the operations that must be sent again, and why; add the others that failed to
    `refused`."""
    again: list[Operation] = []
    reason = ""
    if items:
        single = (each for operation in part for each in operation.split())
        for operation, item in zip(single, items, strict=True):
            [result] = item.values()
            error = result.get("error")
            if error is None:
                continue
            reason = shortened(error.get("reason"))
            raise_if_server_full(reason)
            if result["status"] in TEMPORARY_STATUS or error.get("type") == _DISK_ERROR:
                again.append(operation)
            else:
                conflict = result["status"] == _CONFLICT_STATUS
                refused[operation.key] = CONFLICT if conflict else reason
    return again, reason


def _divide_large(operation: Operation, refused: dict[str, str]) -> list[Operation]:
    """Return the parts of an operation that is too large to be sent, if it has any."""
    if operation.count > 1:
        return operation.split()
    refused[operation.key] = "larger than the server takes"
    return []


def _take(waiting: list[Operation], most: int) -> list[Operation]:
    """Return the first operations that together are not larger than `most`; at least one."""
    length = 0
    for place, operation in enumerate(waiting):
        length += len(operation.body) + 1
        if place and length > most:
            return waiting[:place]
    return waiting[:]


def _status(error: Exception) -> int:
    return error.meta.status if isinstance(error, ApiError) else 0
