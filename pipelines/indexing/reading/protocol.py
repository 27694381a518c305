"""The messages between a load and the processes that read for it: pickled frames in pipes."""

import pickle
from collections.abc import Callable
from dataclasses import dataclass
from typing import IO

from elasticsearch import Elasticsearch

from citespan.pipelines.corpus.article import Rejected
from citespan.pipelines.indexing.documents.prepared import PreparedArticle
from citespan.pipelines.indexing.documents.settings import DocumentSettings
from citespan.pipelines.indexing.reading.unit import Unit

_LENGTH_BYTES = 8


@dataclass(frozen=True)
class Setup:
    """What a process needs before its first task.

    Attributes:
        connect: makes a client of the server.
    """

    settings: DocumentSettings
    connect: Callable[[], Elasticsearch]


@dataclass(frozen=True, slots=True)
class Task:
    """Units to read one after the other.

    Attributes:
        careful: whether to look up and send each reading by itself, so that what has been sent
            shows at which unit the process died.
        received: how many readings of the first unit to pass over.
    """

    units: tuple[Unit, ...]
    careful: bool = False
    received: int = 0


TaskReading = tuple[int, PreparedArticle | Rejected | None]
"""The number of a unit in its task, and what was read from it; None at its end."""


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
