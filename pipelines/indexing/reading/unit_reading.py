"""Reads units, in whichever process."""

from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import TypeVar

from citespan.pipelines.corpus.abstract import AbstractReading
from citespan.pipelines.corpus.article import Article, Rejected
from citespan.pipelines.corpus.files import STANDARD_INPUT, source_of
from citespan.pipelines.corpus.reader import AbstractReader, Reader, readers, recognise
from citespan.pipelines.errors import InputError, MachineError
from citespan.pipelines.indexing.documents.builder import reject_unexpected
from citespan.pipelines.indexing.reading.archive import read_archive
from citespan.pipelines.indexing.reading.unit import AUTO, Unit

T = TypeVar("T")


def read_articles(
    units: Sequence[Unit], received: int = 0
) -> Iterator[tuple[int, Article | Rejected | None]]:
    """Yield what is in the units and has not been dealt with, each with the unit's number; None
    at the end of each unit. Never raises for anything that is wrong with a unit.

    Args:
        received: how many further readings of the first unit to pass over.

    Raises:
        MachineError: if this machine can't read any unit.
    """
    for number, unit in enumerate(units):
        for reading in _read_rest(unit, _open_articles, received if number == 0 else 0):
            yield number, reading
        yield number, None


def read_abstracts(unit: Unit) -> Iterator[AbstractReading | None]:
    """Yield the same of a unit of abstracts."""
    yield from _read_rest(unit, _open_abstracts)
    yield None


def _read_rest(
    unit: Unit, read: Callable[[Unit], Iterator[T]], received: int = 0
) -> Iterator[T | Rejected]:
    """Yield what of a unit has not been dealt with."""
    if not unit.finished:
        try:
            yield from islice(read(unit), unit.done + received, None)
        except MachineError:
            raise
        except Exception as error:  # noqa: BLE001  a unit must not end a load of thousands
            yield reject_unexpected(source_of(unit.path), error)


def _open_abstracts(unit: Unit) -> Iterator[AbstractReading]:
    reader = readers[unit.reader]
    assert isinstance(reader, AbstractReader)
    return (
        read_archive(unit.path, reader.abstracts) if unit.archive else reader.abstracts(unit.path)
    )


def _open_articles(unit: Unit) -> Iterator[Article | Rejected]:
    if unit.path != STANDARD_INPUT and not unit.path.exists():
        return iter([Rejected(str(unit.path), "no such file or folder")])
    reader = _FileReader(unit.reader)
    return read_archive(unit.path, reader.read) if unit.archive else reader.read(unit.path)


class _FileReader:
    """Reads files by one reader, or by the one that recognises each."""

    def __init__(self, name: str) -> None:
        self._named: Reader | None = None if name == AUTO else readers[name]

    def read(self, path: Path) -> Iterator[Article | Rejected]:
        """Yield the articles of a file."""
        if self._named is not None:
            yield from self._named.read(path)
            return
        try:
            reader = recognise(path)
        except InputError as error:
            reason = str(error).removeprefix(f"{path}: ")
            yield Rejected(source_of(path), reason, "skipped")
            return
        if isinstance(reader, AbstractReader):
            yield Rejected(
                source_of(path), f"abstracts among articles; load them with --format {reader.name}"
            )
            return
        yield from reader.read(path)
