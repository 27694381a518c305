"""Reading units, in whichever process."""

from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path

from citespan.pipelines.corpus.abstract_reader import AbstractReader
from citespan.pipelines.corpus.article import Article, Rejected
from citespan.pipelines.corpus.files import STANDARD_INPUT, source_of
from citespan.pipelines.corpus.reader import Reader, readers
from citespan.pipelines.corpus.recognise import recognise
from citespan.pipelines.errors import InputError
from citespan.pipelines.indexing.archive import read_archive
from citespan.pipelines.indexing.preparer import unexpected
from citespan.pipelines.indexing.unit import AUTO, Unit


def readings(
    units: Sequence[Unit], received: int = 0
) -> Iterator[tuple[int, Article | Rejected | None]]:
    """What is in the units and has not been dealt with, each with the unit's number; None at
    the end of each unit. Never raises for anything that is wrong with a unit.

    Args:
        received: how many further readings of the first unit are not wanted.
    """
    for number, unit in enumerate(units):
        if not unit.finished:
            skipped = unit.done + (received if number == 0 else 0)
            try:
                for reading in islice(_readings(unit), skipped, None):
                    yield number, reading
            except Exception as error:  # noqa: BLE001  a unit must not end a load of thousands
                yield number, unexpected(source_of(unit.path), error)
        yield number, None


def _readings(unit: Unit) -> Iterator[Article | Rejected]:
    if unit.path != STANDARD_INPUT and not unit.path.exists():
        return iter([Rejected(str(unit.path), "no such file or folder")])
    chosen = _Chosen(unit.reader)
    return read_archive(unit.path, chosen.read) if unit.archive else chosen.read(unit.path)


class _Chosen:
    """Reads files by one reader, or by the one that recognises each."""

    def __init__(self, name: str) -> None:
        self._named: Reader | None = None if name == AUTO else readers[name]

    def read(self, path: Path) -> Iterator[Article | Rejected]:
        """The articles of a file."""
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
