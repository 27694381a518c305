"""Reads units, in whichever process."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from citespan.pipelines.corpus.abstract import Abstract, Deletion
from citespan.pipelines.corpus.article import Article, Rejected
from citespan.pipelines.corpus.files import STANDARD_INPUT, describe_special, source_of
from citespan.pipelines.corpus.reader import (
    AbstractReader,
    LibraryReader,
    Reader,
    Record,
    RecordReader,
    read_in_turn,
    readers,
    recognise,
)
from citespan.pipelines.errors import InputError, MachineError
from citespan.pipelines.indexing.documents.builder import reject_unexpected
from citespan.pipelines.indexing.reading.archive import find_in_archive
from citespan.pipelines.indexing.reading.unit import AUTO, Unit

UnitReading = Article | Abstract | Deletion | Rejected
MOST_REJECTED = 500_000
"""How many records of one file may be no article. A load keeps the place and the reason of each,
which take many times the two bytes of a record that says nothing."""


def read_units(
    units: Sequence[Unit], on_reach: Callable[[str], None] = lambda _: None
) -> Iterator[tuple[int, UnitReading | None]]:
    """Yield what is in the units and has not been dealt with, each with the unit's number; None
    at the end of each unit. Never raises for anything that is wrong with a unit.

    Args:
        on_reach: called with the source of each record before it is read, and with "" when what
            has been read of it is dealt with, or it has been dealt with before.

    Raises:
        MachineError: if this machine can't read any unit.
        MemoryError: if there is too little memory for a unit.
    """
    for number, unit in enumerate(units):
        if not unit.finished:
            try:
                for reading in _read_rest(unit, on_reach):
                    yield number, reading
            except (MachineError, MemoryError):
                raise
            except Exception as error:  # noqa: BLE001  as for a record
                yield number, reject_unexpected(source_of(unit.path), error)
        yield number, None


def read_articles(units: Iterable[Unit]) -> Iterator[Article | Rejected]:
    """Yield the articles in the units, and what is none; raises what `read_units` does."""
    for unit in units:
        for _, reading in read_units([unit]):
            if isinstance(reading, Article | Rejected):
                yield reading


def _read_rest(unit: Unit, on_reach: Callable[[str], None]) -> Iterator[UnitReading]:
    """Yield what of a unit has not been dealt with."""
    passed = 0
    for record in _find_records(unit):
        if passed < unit.done and (record.listed or record.source in unit.lost):
            passed += 1
            on_reach("")
            continue
        on_reach(record.source if passed == unit.done else "")
        reading = _read(record)
        if reading is not None:
            if passed < unit.done:
                passed += 1
            else:
                yield reading
        on_reach("")


def _read(record: Record[Any]) -> UnitReading | None:
    try:
        found: UnitReading | None = record.read()
    except (MachineError, MemoryError):
        raise
    except Exception as error:  # noqa: BLE001  a record must not end a load of thousands
        return reject_unexpected(record.source, error)
    return found


def _find_records(unit: Unit) -> Iterator[Record[Any]]:
    source = source_of(unit.path)
    if unit.path != STANDARD_INPUT:
        if not unit.path.exists():
            return iter([Record.of(source, Rejected(source, "no such file or folder"))])
        if special := describe_special(unit.path):
            return iter([Record.of(source, Rejected(source, special, "skipped"))])
    reader = None if unit.reader == AUTO else readers[unit.reader]

    def find(path: Path) -> Iterator[Record[Any]]:
        return _recognise_and_find(path) if reader is None else _find_in_file(reader, path)

    return find_in_archive(unit.path, find) if unit.archive else find(unit.path)


def _recognise_and_find(path: Path) -> Iterator[Record[Any]]:
    source = source_of(path)
    try:
        reader = recognise(path)
    except InputError as error:
        reason = str(error).removeprefix(f"{path}: ")
        return iter([Record.of(source, Rejected(source, reason, "skipped"))])
    if isinstance(reader, AbstractReader | LibraryReader):
        reason = f"abstracts among articles; load them with `format={reader.name}`"
        if isinstance(reader, LibraryReader):
            reason = "a library among articles; load it by its name"
        return iter([Record.of(source, Rejected(source, reason))])
    return _find_in_file(reader, path)


def _find_in_file(reader: Reader, path: Path) -> Iterator[Record[Any]]:
    source = source_of(path)
    if isinstance(reader, RecordReader):
        return _end_after_many(source, reader.records(path))
    read = reader.abstracts if isinstance(reader, AbstractReader) else reader.read
    return _end_after_many(source, read_in_turn(source, read(path)))


def _end_after_many(source: str, records: Iterator[Record[Any]]) -> Iterator[Record[Any]]:
    """Yield the records of a file until too many of them have been no article."""
    rejected = 0

    def read(record: Record[Any]) -> UnitReading | None:
        nonlocal rejected
        reading: UnitReading | None = record.read()
        rejected += isinstance(reading, Rejected)
        return reading

    for record in records:
        if rejected >= MOST_REJECTED:
            reason = (
                f"{rejected:,} of its records are no article, and what comes after them is not "
                "read; mend it, or split it"
            )
            yield Record.of(source, Rejected(source, reason))
            return
        yield Record(record.source, partial(read, record), record.listed)
