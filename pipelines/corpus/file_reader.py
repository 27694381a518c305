"""What readers of all formats share: finding and counting units, and refusing bad ones."""

import zlib
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from io import BufferedIOBase
from pathlib import Path

from citespan.pipelines.corpus.abstract import AbstractReading, Deletion
from citespan.pipelines.corpus.article import Article, Rejected
from citespan.pipelines.corpus.files import (
    STANDARD_INPUT,
    find_first_files,
    find_units,
    is_utf8,
    open_unpacked,
    source_of,
)
from citespan.pipelines.corpus.reader import Record, read_all
from citespan.pipelines.errors import InputError, raise_if_machine

# What reading a file may raise, gzipped files included.
UNREADABLE = (OSError, EOFError, zlib.error)


class FileReader(ABC):
    """The base of readers: a unit is a file, and one article unless `count` says otherwise.

    A format has to say which files it looks like and how to read one; see `Reader` for the rest.

    Attributes:
        self_contained: whether nothing but the bytes of a file and its name decides what is read,
            so that a load may pass over it while they are the same.
    """

    name: str
    description: str
    self_contained: bool = False

    @abstractmethod
    def looks_like(self, file: Path) -> bool:
        """Return whether the first bytes of a file, or its name, are those of this format."""

    @abstractmethod
    def read_file(self, file: Path, source: str) -> Iterator[Article | Rejected]:
        """Read the articles of one file; `source` is its name in messages.

        Raises:
            InputError: why the file, or what is left of it, can't be read.
        """

    def is_unit(self, folder: Path) -> bool:  # noqa: ARG002  a hook
        """Return whether a folder is one unit as a whole."""
        return False

    def recognises(self, path: Path) -> bool:
        """See `Reader.recognises`: whether one of the first hundred files looks like this."""
        return any(map(self.looks_like, find_first_files(path)))

    def find(self, path: Path) -> Iterator[Path]:
        return find_units(path, self.is_unit)

    def count(self, unit: Path) -> int:  # noqa: ARG002  the same for every unit
        """See `Reader.count`: one."""
        return 1

    def read(self, unit: Path) -> Iterator[Article | Rejected]:
        refused = self.refuse(unit)
        if refused is not None:
            yield refused
            return
        source = source_of(unit)
        try:
            yield from self.read_file(unit, source)
        except InputError as error:
            yield Rejected(source, str(error))

    def refuse(self, unit: Path) -> Rejected | None:
        """Return why a unit can't be read whatever it contains: a name that is not UTF-8, from
        which no identifier can be made, or a folder that can't be listed. None if it may be."""
        if not is_utf8(unit):
            return Rejected(source_of(unit), "the name is not UTF-8; rename the file or folder")
        if unit.is_dir() and not self.is_unit(unit):
            return Rejected(source_of(unit), "can't list this folder; check its permissions")
        return None


class AbstractFileReader(FileReader):
    """The base of readers of abstracts, of which a file may have many; see `AbstractReader`."""

    @abstractmethod
    def find_abstracts(self, file: Path, source: str) -> Iterator[Record[AbstractReading]]:
        """Find the abstracts of one file; `source` is its name in messages."""

    def records(self, unit: Path) -> Iterator[Record[AbstractReading]]:
        refused = self.refuse(unit)
        if refused is not None:
            yield Record.of(refused.source, refused)
        else:
            yield from self.find_abstracts(unit, source_of(unit))

    def abstracts(self, unit: Path) -> Iterator[AbstractReading]:
        return read_all(self.records(unit))

    def read_file(self, file: Path, source: str) -> Iterator[Article | Rejected]:
        """Read the abstracts as articles, which have nothing to delete."""
        for reading in read_all(self.find_abstracts(file, source)):
            if not isinstance(reading, Deletion):
                yield reading


def count_records(unit: Path, count: Callable[[BufferedIOBase], int]) -> int:
    """Count the inputs of a file by `count`, at least one; 0 for standard input, which can be
    read only once."""
    if unit == STANDARD_INPUT:
        return 0
    try:
        with open_unpacked(unit) as file:
            return max(1, count(file))
    except UNREADABLE:
        return 1


def find_records(
    unit: Path, source: str, find: Callable[[BufferedIOBase], Iterator[Record[AbstractReading]]]
) -> Iterator[Record[AbstractReading]]:
    """Find the records of a file. Where it breaks off, a `Rejected` says so, and the records before
    that stay.

    Args:
        find: may raise `InputError`, and whatever reading a file raises.
    """
    records = 0
    try:
        with open_unpacked(unit) as file:
            for records, record in enumerate(find(file), 1):  # noqa: B007
                yield record
    except (*UNREADABLE, InputError) as error:
        if isinstance(error, OSError):
            raise_if_machine(error)
        reason = " ".join(str(error).split())
        before = f"; the {records:,} records before that are read" if records else ""
        yield Record.of(source, Rejected(source, f"{reason}{before}"))
    else:
        if not records:
            yield Record.of(source, Rejected(source, "no record in it", "skipped"))


_BESIDE = frozenset(
    (
        *(".bib", ".bst", ".cls", ".csl", ".csv", ".eps", ".gif", ".jpeg", ".jpg", ".pdf", ".png"),
        *(".bbl", ".ris", ".sty", ".svg", ".tif", ".tiff"),
    )
)


class ManuscriptReader(FileReader):
    """The base of readers of manuscripts. A folder is recognised if it holds nothing but such
    manuscripts and what belongs to them, for a README lies in folders of any format."""

    def recognises(self, path: Path) -> bool:
        files = find_first_files(path)
        own = [file for file in files if self.looks_like(file)]
        others = (file for file in files if file not in own)
        return bool(own) and all(file.suffix.lower() in _BESIDE for file in others)

    def skip(self, file: Path, source: str, usual: str) -> Rejected:
        """Say why a file is none of these manuscripts.

        Args:
            usual: what they are by their names, such as "Markdown by its name (.md)".
        """
        if file.suffix.lower() in (".bbl", ".bib", ".ris"):
            return Rejected(source, "a bibliography is read with what names it", "skipped")
        return Rejected(source, f"not {usual}", "skipped")
