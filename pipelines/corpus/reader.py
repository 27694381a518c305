"""What a reader of one format is, the registry of all of them, and which one suits a path."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Generic, Protocol, TypeVar, runtime_checkable

from citespan.pipelines.corpus.abstract import AbstractReading
from citespan.pipelines.corpus.article import Article, Rejected
from citespan.pipelines.corpus.collection import Collection
from citespan.pipelines.corpus.files import STANDARD_INPUT
from citespan.pipelines.corpus.references import ReferenceList
from citespan.pipelines.errors import InputError
from citespan.pipelines.registry import Registry

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


class Reader(Protocol):
    """Reads articles of one format.

    Attributes:
        name: as in `--format`.
        description: one line for `--help`.
    """

    name: str
    description: str

    def recognises(self, path: Path) -> bool:
        """Whether the file or folder looks like this format, judged by its first bytes or
        its layout, never by reading it all. Never raises for a path that exists."""
        ...

    def find(self, path: Path) -> Iterator[Path]:
        """Return the units below `path` that `read` takes one by one, sorted; `path` itself where
        it is one. A unit may be read in another process."""
        ...

    def count(self, unit: Path) -> int:
        """About how many inputs `read` will give for a unit, to show progress by and to see
        whether there is room for them; 0 where that can't be known beforehand, as for standard
        input. Never raises for a unit that can't be read, which is one input."""
        ...

    def read(self, unit: Path) -> Iterator[Article | Rejected]:
        """Return the articles of one unit, streaming. Each input ends as an Article or a Rejected:
        bad input never raises."""
        ...


@runtime_checkable
class RecordReader(Protocol):
    """A reader whose units are lists, of which one record can be left out."""

    def records(self, unit: Path) -> Iterator[Record[Any]]:
        """Return the records of one unit, streaming: those of `read`, or of `abstracts` if the
        reader has that."""
        ...


@runtime_checkable
class AbstractReader(Protocol):
    """A reader whose articles are abstracts, which have an index of their own."""

    def abstracts(self, unit: Path) -> Iterator[AbstractReading]:
        """Return the abstracts of one unit, streaming, and the deletions between them. Each record
        ends as an Abstract or a Rejected: bad input never raises."""
        ...


@runtime_checkable
class CollectionReader(Protocol):
    """A reader whose format also brings citances and annotations."""

    def collection(self, path: Path) -> Collection:
        """Return all topics below `path`.

        Raises:
            InputError: if there is no topic there.
        """
        ...


@runtime_checkable
class LibraryReader(Protocol):
    """A reader whose units name files of other formats, wherever they lie, which it reads too. It
    is for units that a person names: for a stranger's file, it would read what that names."""

    def read_references(self, file: Path) -> ReferenceList:
        """Return the entries of one unit.

        Raises:
            InputError: if nothing of it can be read.
        """
        ...


readers: Registry[Reader] = Registry(
    "format", "citespan.pipelines.corpus.readers", "citespan.readers", Reader
)


_SAVED_ELSEWHERE = frozenset((".doc", ".odt", ".pages", ".rtf", ".wpd"))  # by word processors


def recognise(path: Path) -> Reader:
    """Return the one reader that recognises `path`, for `--format auto`. The files of a library are
    of other formats.

    Raises:
        InputError: if there is nothing at `path`, or none or several recognise it.
    """
    if path != STANDARD_INPUT and not path.exists():
        raise InputError(f"{path}: no such file or folder")
    found = [reader for reader in readers if reader.recognises(path)]
    libraries = [reader for reader in found if isinstance(reader, LibraryReader)]
    if len(found) == 1 or len(libraries) == 1:
        return (libraries or found)[0]
    if found:
        names = " and ".join(reader.name for reader in found)
        raise InputError(f"{path}: looks like {names}; say which with `format`")
    if path.suffix.lower() in _SAVED_ELSEWHERE:
        raise InputError(f"{path}: {path.suffix} is not read; save it as .docx, Word's format")
    names = ", ".join(readers.names())
    raise InputError(f"{path}: of no known format; known are {names}; say which with `format`")
