"""Dividing many into batches."""

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import TypeVar

T = TypeVar("T")


def batched(items: Iterable[T], size: int) -> Iterator[list[T]]:
    """Yield the items in lists of `size`, the last of which may be shorter, as they come."""
    remaining = iter(items)
    while batch := list(islice(remaining, size)):
        yield batch
