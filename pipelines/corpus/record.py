"""An input of a unit before it is read, so that it can be passed over."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Generic, TypeVar

R = TypeVar("R")


@dataclass(frozen=True, slots=True)
class Record(Generic[R]):
    """One input that has not been read. It can be read until the next one is looked for.

    Attributes:
        source: its place, which no other record of the unit has.
        read: returns what it is; None where its unit turns out to have ended before it.
        listed: whether the next record is found without reading this one.
    """

    source: str
    read: Callable[[], R | None]
    listed: bool = False

    @classmethod
    def of(cls, source: str, reading: R) -> "Record[R]":
        """Return the record of something that has been read."""
        return cls(source, lambda: reading, listed=True)


def read_in_turn(source: str, readings: Iterator[R]) -> Iterator[Record[R]]:
    """Yield the records of a file that only reading it divides. Where one is passed over, those
    after it are not found.

    Args:
        readings: reads the file as it is iterated.
    """
    read = 0
    ended = False

    def read_next() -> R | None:
        nonlocal read, ended
        read += 1
        reading = next(readings, None)
        ended = reading is None
        return reading

    number = 0
    while read == number and not ended:
        number += 1
        yield Record(source if number == 1 else f"{source}:{number}", read_next)


def read_all(records: Iterator[Record[R]]) -> Iterator[R]:
    """Read all records in their order."""
    for record in records:
        reading = record.read()
        if reading is not None:
            yield reading
