"""The messages between a load and the processes that read for it: pickled frames in pipes."""

import pickle
from collections.abc import Callable
from dataclasses import dataclass
from typing import IO

from elasticsearch import Elasticsearch

from citespan.pipelines.indexing.documents.settings import DocumentSettings
from citespan.pipelines.indexing.reading.unit import Reading, Unit
from citespan.pipelines.limits import Limits

_LENGTH_BYTES = 8


@dataclass(frozen=True)
class Setup:
    """What a process needs before its first task.

    Attributes:
        connect: makes a client of the server; None for reading without looking up articles.
    """

    settings: DocumentSettings
    connect: Callable[[], Elasticsearch] | None
    limits: Limits


@dataclass(frozen=True, slots=True)
class Task:
    """Units to read one after the other.

    Attributes:
        careful: whether to read, look up and send the first `CAREFUL` readings one by one, and to
            say before each what it is, so that what has been sent shows of what the process died.
    """

    units: tuple[Unit, ...]
    careful: bool = False


CAREFUL = 1_000
"""More readings than can be on their way when a process dies."""

TaskReading = tuple[int, Reading | None]
"""The number of a unit in its task, and what was read from it; None at its end."""


@dataclass(frozen=True, slots=True)
class Reached:
    """What is read next, by its source; "" for whatever lies between two records."""

    source: str


@dataclass(frozen=True, slots=True)
class Ready:
    """The first frame from a process; `problem` is what kept it from starting, if anything, and
    `of_machine` whether that is the machine's fault."""

    problem: str = ""
    of_machine: bool = False


@dataclass(frozen=True, slots=True)
class Stopped:
    """The last frame from a process: why this machine can't read any further unit."""

    problem: str


def write_frame(file: IO[bytes], value: object) -> None:
    """Write the length of a value, and the value."""
    data = pickle.dumps(value, protocol=pickle.HIGHEST_PROTOCOL)
    file.write(len(data).to_bytes(_LENGTH_BYTES))
    file.write(data)


def read_frame(file: IO[bytes]) -> bytes | None:
    """Return a value as `open_frame` takes it; None at the end of the file."""
    length = file.read(_LENGTH_BYTES)
    data = file.read(int.from_bytes(length)) if len(length) == _LENGTH_BYTES else b""
    return data if data and len(data) == int.from_bytes(length) else None


def open_frame(data: bytes) -> object:
    """Return the value in a frame."""
    return pickle.loads(data)  # noqa: S301  only from a process of ours
