"""Dividing many into batches, and working on several of these at once."""

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Executor, Future
from itertools import islice
from typing import Any, TypeVar

T = TypeVar("T")
Result = TypeVar("Result")


def batched(items: Iterable[T], size: int) -> Iterator[list[T]]:
    """Yield the items in lists of `size`, the last of which may be shorter, as they come."""
    remaining = iter(items)
    while batch := list(islice(remaining, size)):
        yield batch


def map_ahead(
    pool: Executor, ahead: int, work: Callable[..., Result], *columns: Iterable[Any]
) -> Iterator[Result]:
    """Yield what `pool.map` does, while no more than `ahead` results wait to be taken."""
    waiting: deque[Future[Result]] = deque()
    for arguments in zip(*columns, strict=True):
        waiting.append(pool.submit(work, *arguments))
        if len(waiting) > ahead:
            yield waiting.popleft().result()
    while waiting:
        yield waiting.popleft().result()
