"""What a load reads: files and folders, patterns, archives, lists of files, standard input."""

import glob
import hashlib
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from citespan.pipelines.corpus.files import (
    STANDARD_INPUT,
    absolute_source_of,
    describe_special,
    find_first_files,
    find_units,
)
from citespan.pipelines.corpus.reader import Reader, readers, recognise
from citespan.pipelines.errors import InputError
from citespan.pipelines.indexing.reading.archive import is_archive
from citespan.pipelines.indexing.reading.unit import AUTO, Unit


@dataclass(frozen=True, slots=True)
class Shard:
    """One of several disjoint parts of the units, so that several machines can share a load.

    A unit's part depends on its path below the folder that was named, so it is the same on
    machines where that folder is elsewhere.

    Raises:
        InputError: unless 1 <= number <= of.
    """

    number: int
    of: int

    def __post_init__(self) -> None:
        if not 1 <= self.number <= self.of:
            raise InputError(f"shard {self.number}/{self.of} is not possible; use 1/{self.of}, …")

    def has(self, relative: str) -> bool:
        """Whether a unit is in this part."""
        digest = hashlib.blake2b(os.fsencode(relative), digest_size=8).digest()
        return int.from_bytes(digest) % self.of == self.number - 1


@dataclass(frozen=True, slots=True)
class _Named:
    """A path that was named, or that a pattern or a list has brought.

    Attributes:
        reader: None where it is to be seen file by file.
        whole: whether the path as it is written decides which shard has it; else what is below.
    """

    number: int
    path: Path
    reader: Reader | None
    whole: bool = False


class Sources:
    """The units of a load; may be iterated again.

    Args:
        paths: files, folders, patterns with `*`, `?` or `[`, and `-` for standard input.
        format_: a reader's name, or "auto".
        listed: a file with a path a line; None for none. A path in it that does not exist is
            quarantined when it is read.
        shard: of which part the units are; None for all.

    Raises:
        InputError: for a path that does not exist, a pattern that matches nothing, a format that
            can't be told.
        UnknownNameError: for a format that does not exist.
    """

    def __init__(
        self,
        paths: Sequence[str],
        format_: str,
        listed: Path | None = None,
        shard: Shard | None = None,
    ) -> None:
        self.paths = tuple(paths)
        self.format = format_
        self.shard = shard
        self._reader = None if format_ == AUTO else readers[format_]
        self._listed = listed
        self._named = [
            named for number, path in enumerate(paths) for named in self._of_path(number, path)
        ]
        self._paths = len(paths)
        if listed is not None and not listed.is_file():
            raise InputError(f"{listed}: no such file; it should have a path a line")

    @property
    def complete(self) -> bool:
        """Whether these are all units of folders and files that have a name of their own."""
        named = (
            path for path in self.paths if Path(path) != STANDARD_INPUT and Path(path).exists()
        )
        return self._listed is None and self.shard is None and len(list(named)) == len(self.paths)

    def list_digest(self) -> str:
        """The same for the same list of files only; "" without one."""
        if self._listed is None:
            return ""
        with self._listed.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()

    def __iter__(self) -> Iterator[Unit]:
        for named in self._named:
            yield from self._below(named)
        if self._listed is not None:
            yield from self._of_list(self._listed)

    def _of_path(self, number: int, written: str) -> Iterator[_Named]:
        path = Path(written)
        if path == STANDARD_INPUT or path.exists():
            if path != STANDARD_INPUT and (special := describe_special(path)):
                raise InputError(f"{path}: {special}")
            yield self._of_existing(_Named(number, path, self._reader))
            return
        if not glob.has_magic(written):
            raise InputError(f"{path}: no such file or folder")
        found = False
        for match in sorted(map(Path, glob.glob(written, recursive=True))):  # noqa: PTH207
            if match.is_file():
                yield _Named(number, match, self._reader, whole=True)
            elif "**" not in written:
                yield self._of_existing(_Named(number, match, self._reader, whole=True))
            else:
                continue
            found = True
        if not found:
            raise InputError(f"{written}: nothing matches this pattern")

    def _of_existing(self, named: _Named) -> _Named:
        """Return it with the reader of its format; with none if each file must be recognised."""
        path = named.path
        if named.reader is not None or (path != STANDARD_INPUT and is_archive(path)):
            return named
        try:
            return replace(named, reader=recognise(path))
        except InputError:
            if path.is_dir() and any(is_archive(file) for file in find_first_files(path)):
                return named
            raise

    def _of_list(self, listed: Path) -> Iterator[Unit]:
        with listed.open("rb") as lines:
            for number, line in enumerate(lines, 1):
                written = os.fsdecode(line.rstrip(b"\r\n"))
                if written.strip():
                    path = Path(written)
                    named = _Named(self._paths + number, path, self._reader, whole=True)
                    if path.exists():
                        yield from self._below(named)
                    elif self._has(written):
                        yield self._unit(named, path)

    def _below(self, named: _Named) -> Iterator[Unit]:
        if named.reader is not None:
            found = named.reader.find(named.path)
        else:
            found = find_units(named.path, lambda _: False)
        for path in found:
            if named.whole:
                relative = str(path)
            elif path == named.path:
                relative = path.name
            else:
                relative = path.relative_to(named.path).as_posix()
            if self._has(relative):
                yield self._unit(named, path)

    def _has(self, relative: str) -> bool:
        return self.shard is None or self.shard.has(relative)

    def _unit(self, named: _Named, path: Path) -> Unit:
        archive = path != STANDARD_INPUT and is_archive(path)
        size, modified = read_state(path)
        reader = self._reader if archive else named.reader
        return Unit(
            key=f"{named.number}:{absolute_source_of(path)}",
            reader=AUTO if reader is None else reader.name,
            path=path,
            archive=archive,
            size=size,
            modified=modified,
        )


def read_state(path: Path) -> tuple[int, int]:
    """Return the size and the time of the last change, which no program can set back; of a folder,
    those of all that is in it; -1 for what can't be seen."""
    if path == STANDARD_INPUT:
        return -1, -1
    try:
        stat = path.stat()
        if not path.is_dir():
            return stat.st_size, stat.st_ctime_ns
        inside = [file.stat() for file in path.rglob("*")]
    except OSError:
        return -1, -1
    return sum(stat.st_size for stat in inside), max(
        (stat.st_ctime_ns for stat in inside), default=stat.st_ctime_ns
    )
