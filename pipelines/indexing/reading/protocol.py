"""What a load and the processes that read for it tell each other, as pickled frames in pipes."""

import pickle
from dataclasses import dataclass
from typing import IO

from citespan.pipelines.corpus.article import Rejected
from citespan.pipelines.indexing.documents.prepared import Prepared
from citespan.pipelines.indexing.reading.unit import Unit

_LENGTH_BYTES = 8


@dataclass(frozen=True, slots=True)
class Task:
    """Units to be read one after the other.

    Attributes:
        careful: whether to look up and send each reading by itself, so that what has been sent
            tells at which unit the process died.
        received: how many readings of the first unit are not wanted any more.
    """

    units: tuple[Unit, ...]
    careful: bool = False
    received: int = 0


Reading = tuple[int, Prepared | Rejected | None]
"""The number of a unit in its task, and what came out of it; None at its end."""


@dataclass(frozen=True, slots=True)
class Ready:
    """The first frame; `problem` is what kept the process from starting, if anything."""

    problem: str = ""


def write_frame(file: IO[bytes], value: object) -> None:
    """Write a value behind its length."""
    data = pickle.dumps(value, protocol=pickle.HIGHEST_PROTOCOL)
    file.write(len(data).to_bytes(_LENGTH_BYTES))
    file.write(data)


def read_frame(file: IO[bytes]) -> bytes | None:
    """A value as `opened` takes it; None at the end of the file."""
    length = file.read(_LENGTH_BYTES)
    data = file.read(int.from_bytes(length)) if len(length) == _LENGTH_BYTES else b""
    return data if data and len(data) == int.from_bytes(length) else None


def opened(data: bytes) -> object:
    """The value in a frame."""
    return pickle.loads(data)  # noqa: S301  only from a process of ours
