"""Reads units, in whichever process."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from citespan.pipelines.corpus.abstract import Abstract, Deletion
from citespan.pipelines.corpus.article import Article, Rejected
from citespan.pipelines.corpus.files import MAX_BYTES, STANDARD_INPUT, describe_special, source_of
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
from citespan.pipelines.indexing.documents.prepared import PreparedArticle
from citespan.pipelines.indexing.reading.archive import find_in_archive
from citespan.pipelines.indexing.reading.unchanged import FindUnchanged, Input, find_none
from citespan.pipelines.indexing.reading.unit import AUTO, Unit

UnitReading = Article | PreparedArticle | Abstract | Deletion | Rejected
FindOfFormat = Callable[[str, Sequence[Input]], list[tuple[str, PreparedArticle | None]]]
"""As `FindUnchanged`, for inputs that are read as that format."""
MOST_REJECTED = 500_000
"""How many records of one file may be no article. A load keeps the place and the reason of each,
which take many times the two bytes of a record that says nothing."""


def read_units(
    units: Sequence[Unit],
    on_reach: Callable[[str], None] = lambda _: None,
    find_unchanged: FindOfFormat = lambda _, inputs: find_none(inputs),
) -> Iterator[tuple[int, UnitReading | None]]:
    """Yield what is in the units and has not been dealt with, each with the unit's number; None
    at the end of each unit. Never raises for anything that is wrong with a unit.

    Args:
        on_reach: called with the source of each record before it is read, and with "" when what
            has been read of it is dealt with, or it has been dealt with before.
        find_unchanged: finds the files that need not be read.

    Raises:
        MachineError: if this machine can't read any unit.
        MemoryError: if there is too little memory for a unit.
    """
    known = _find_known(units, find_unchanged)
    for number, unit in enumerate(units):
        if not unit.finished:
            find = partial(find_unchanged, unit.reader)
            try:
                for reading in _read_rest(unit, on_reach, *known.get(number, ("", None)), find):
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


def _find_known(
    units: Sequence[Unit], find_unchanged: FindOfFormat
) -> dict[int, tuple[str, PreparedArticle | None]]:
    """Return the digest of each unit that is a file whose bytes alone decide what is read, and its
    article if that is unchanged, by the unit's number."""
    chosen: dict[str, dict[int, Input]] = {}
    for number, unit in enumerate(units):
        if unit.archive or unit.finished or not 0 <= unit.size <= MAX_BYTES:
            continue
        if unit.reader == AUTO or _is_self_contained(readers[unit.reader]):
            with suppress(OSError):  # reading it will tell
                if unit.path.is_file():
                    read = source_of(unit.path), unit.path.read_bytes()
                    chosen.setdefault(unit.reader, {})[number] = read
    return {
        number: found
        for name, inputs in chosen.items()
        for number, found in zip(inputs, find_unchanged(name, [*inputs.values()]), strict=True)
    }


def _is_self_contained(reader: Reader) -> bool:
    return getattr(reader, "self_contained", False) is True


def _read_rest(
    unit: Unit,
    on_reach: Callable[[str], None],
    digest: str,
    unchanged: PreparedArticle | None,
    find_unchanged: FindUnchanged,
) -> Iterator[UnitReading]:
    """Yield what of a unit has not been dealt with."""
    passed = 0
    if unchanged is not None:
        records = iter([Record.of(unchanged.source, unchanged)])
    else:
        records = _find_records(unit, digest, find_unchanged)
    for record in records:
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


def _find_records(unit: Unit, digest: str, find_unchanged: FindUnchanged) -> Iterator[Record[Any]]:
    source = source_of(unit.path)
    if unit.path != STANDARD_INPUT:
        if not unit.path.exists():
            return iter([Record.of(source, Rejected(source, "no such file or folder"))])
        if special := describe_special(unit.path):
            return iter([Record.of(source, Rejected(source, special, "skipped"))])
    reader = None if unit.reader == AUTO else readers[unit.reader]

    def find(path: Path, digest: str) -> Iterator[Record[Any]]:
        if reader is None:
            return _recognise_and_find(path, digest, alone=unit.archive)
        return _find_in_file(reader, path, digest)

    if not unit.archive:
        return find(unit.path, digest)
    has_lists = isinstance(reader, RecordReader)
    return find_in_archive(unit.path, find, find_none if has_lists else find_unchanged)


def _recognise_and_find(path: Path, digest: str, *, alone: bool) -> Iterator[Record[Any]]:
    """Find the records of a file of any format.

    Args:
        digest: of its bytes.
        alone: whether there are no other files that it may name, as in an archive.
    """
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
    return _find_in_file(reader, path, digest if alone or _is_self_contained(reader) else "")


def _find_in_file(reader: Reader, path: Path, digest: str) -> Iterator[Record[Any]]:
    source = source_of(path)
    if isinstance(reader, RecordReader):
        return _end_after_many(source, reader.records(path))
    read = reader.abstracts if isinstance(reader, AbstractReader) else reader.read
    readings: Iterator[Any] = read(path)
    if digest:
        readings = _add_digest(source, readings, digest)
    return _end_after_many(source, read_in_turn(source, readings))


def _add_digest(source: str, readings: Iterator[Any], digest: str) -> Iterator[UnitReading]:
    """Yield the readings of a file, with the digest of its bytes if they are one article."""
    first = next(readings, None)
    second = _read(Record(source, lambda: next(readings, None)))
    if isinstance(first, Article) and second is None:
        first = replace(first, digest=digest)
    yield from filter(None, (first, second))
    yield from readings


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
