"""Articles in tar archives, as PubMed Central publishes them: read member by member, in order.

Nothing is unpacked by its own name: each member lies, for as long as it is read, in a temporary
folder under the last part of its name, which readers may take an identifier from.
"""

import gzip
import tarfile
import tempfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from functools import partial
from pathlib import Path, PurePosixPath
from typing import IO, Any, TypeVar, cast

from citespan.pipelines.corpus.abstract import AbstractReading
from citespan.pipelines.corpus.article import Article, Rejected
from citespan.pipelines.corpus.files import MAX_BYTES, source_of
from citespan.pipelines.corpus.reader import Record
from citespan.pipelines.errors import MachineError
from citespan.pipelines.indexing.reading.unchanged import FindUnchanged, find_none

ENDINGS = (".tar", ".tar.gz", ".tgz")
_CHUNK = 1 << 20
_TOGETHER, _TOGETHER_BYTES = 256, 1 << 24
_SPARSE = "a sparse file, whose map may be of any length; pack it as a plain one"
_MOST_HEADER_BYTES = 1 << 16
BROKEN = (OSError, EOFError, zlib.error, tarfile.TarError)
_EXTENDED = frozenset(
    (
        *(tarfile.GNUTYPE_LONGNAME, tarfile.GNUTYPE_LONGLINK),
        *(tarfile.XHDTYPE, tarfile.XGLTYPE, tarfile.SOLARIS_XHDTYPE),
    )
)

Reading = TypeVar("Reading", Article | Rejected, AbstractReading)


class _Strict(tarfile.TarInfo):
    """A member's header. tarfile takes one that is damaged, or missing, for the archive's end; and
    it reads headers of any length, or any number of them before one member, into memory."""

    @classmethod
    def fromtarfile(cls, tarfile: tarfile.TarFile) -> "_Strict":
        return _checked(super().fromtarfile, tarfile)

    def _proc_member(self, archive: tarfile.TarFile) -> tarfile.TarInfo:
        # what all releases of Python 3.11 to 3.14 call with a header before they read on
        if self.type == tarfile.GNUTYPE_SPARSE:
            raise tarfile.ReadError(_SPARSE)
        if self.type in _EXTENDED and self.size > _MOST_HEADER_BYTES:
            raise tarfile.ReadError(f"a header of {self.size:,} bytes")
        return super()._proc_member(archive)  # type: ignore[misc, no-any-return]

    def _proc_gnusparse_10(self, *_: object) -> None:
        raise tarfile.ReadError(_SPARSE)


def _checked(read: Callable[[tarfile.TarFile], _Strict], archive: tarfile.TarFile) -> _Strict:
    try:
        found = read(archive)
    except tarfile.EOFHeaderError:  # type: ignore[attr-defined]
        raise
    except tarfile.EmptyHeaderError as error:  # type: ignore[attr-defined]
        raise tarfile.ReadError("it breaks off") from error
    except tarfile.HeaderError as error:
        raise tarfile.ReadError(f"it is damaged ({error})") from error
    except RecursionError as error:
        raise tarfile.ReadError("hundreds of headers before one file") from error
    archive.pax_headers = {}  # those for all files, which would add up; none matters here
    return found


def is_archive(path: Path) -> bool:
    """Whether the name says so."""
    return path.name.lower().endswith(ENDINGS) and not path.is_dir()


def member_source(archive: Path, member: str) -> str:
    """What messages call a member."""
    return source_of(Path(f"{archive}!{member}"))


def find_in_archive(
    archive: Path,
    find: Callable[[Path, str], Iterator[Record[Reading]]],
    find_unchanged: FindUnchanged = find_none,
) -> Iterator[Record[Any]]:
    """Yield the records of each visible file in an archive, streaming.

    Where the archive is damaged or breaks off, what came before stays, and a last record tells.

    Args:
        find: finds those of a file, which it gets with the digest of its bytes.
        find_unchanged: finds the files that need not be read.

    Raises:
        MachineError: if there is no room for a temporary file.
    """
    members = 0
    own = source_of(archive)
    with _make_folder() as folder:
        try:
            for some in _divide(members_of(archive)):
                sources = [member_source(archive, name) for name, _ in some]
                read = zip(sources, some, strict=True)
                known = find_unchanged([(source, data or b"") for source, (_, data) in read])
                for source, (name, data), found in zip(sources, some, known, strict=True):
                    members += 1
                    digest, article = found
                    if article is not None:
                        yield Record.of(source, article)
                    elif data is None:
                        reason = f"larger than {MAX_BYTES // 2**20} MB; split it"
                        yield Record.of(source, Rejected(source, reason))
                    else:
                        with _unpacked(folder / _last_part(name), data) as file:
                            for record in find(file, digest):
                                yield _rename_record(record, source_of(file), source)
        except BROKEN as error:
            told = " ".join(str(error).split()) or type(error).__name__
            before = f"; the {members:,} files before that are read" if members else ""
            reason = f"not an archive that can be read to its end: {told}{before}"
            yield Record.of(own, Rejected(own, reason))
        else:
            if not members:
                yield Record.of(own, Rejected(own, "an archive without files"))


Member = tuple[str, bytes | None]


def _divide(members: Iterator[Member]) -> Iterator[list[Member]]:
    """Yield members, some at a time, which are looked up together; where the archive breaks off,
    first those before that."""
    some: list[Member] = []
    size = 0
    try:
        for member in members:
            some.append(member)
            size += len(member[1] or b"")
            if len(some) >= _TOGETHER or size >= _TOGETHER_BYTES:
                yield some
                some, size = [], 0
    except BROKEN:
        yield some
        raise
    yield some


def members_of(archive: Path) -> Iterator[Member]:
    """Name and content of each visible file, in order; None for one that is too large.

    Raises:
        OSError, EOFError, zlib.error, tarfile.TarError: where it is damaged or breaks off.
    """
    replaced = _find_replaced(archive)
    with _opened(archive) as file, tarfile.open(fileobj=file, mode="r|", tarinfo=_Strict) as tar:
        for member in _find_files(tar):
            if member.offset in replaced:
                continue
            if member.size > MAX_BYTES:
                yield member.name, None
                continue
            content = tar.extractfile(member)
            if content is not None:
                yield member.name, content.read()
        while file.read(_CHUNK):  # to the end, where gzip checks that nothing is missing
            pass


def count_members(archive: Path, most: int, most_bytes: int) -> int:
    """Return how many visible files an archive has, or has before it breaks off; `most` where there
    are more, or where they take more than so many bytes unpacked."""
    count = 0
    opened = partial(tarfile.open, mode="r|", tarinfo=_Strict)
    with suppress(*BROKEN), _opened(archive) as file, opened(fileobj=file) as tar:
        for member in _find_files(tar):
            count += 1
            if count >= most or member.offset_data + member.size > most_bytes:
                return most
    return count


def _find_files(tar: tarfile.TarFile) -> Iterator[tarfile.TarInfo]:
    for member in tar:
        tar.members = []  # type: ignore[attr-defined]  # else it keeps all headers
        if member.isfile() and not PurePosixPath(member.name).name.startswith("."):
            yield member


def _find_replaced(archive: Path) -> set[int]:
    """Return the offsets of files that come again later, as by `tar --append`: the last one counts.
    A compressed archive can't be appended to."""
    last: dict[int, int] = {}
    replaced: set[int] = set()
    if _is_compressed(archive):
        return replaced
    with suppress(*BROKEN), tarfile.open(archive, "r:", tarinfo=_Strict) as tar:
        for member in tar:
            tar.members = []  # type: ignore[attr-defined]
            if member.isfile():
                name = hash(member.name)  # names may be long
                if name in last:
                    replaced.add(last[name])
                last[name] = member.offset
    return replaced


def _is_compressed(archive: Path) -> bool:
    return archive.suffix.lower() in (".gz", ".tgz")


@contextmanager
def _opened(archive: Path) -> Iterator[IO[bytes]]:
    with archive.open("rb") as file:
        if _is_compressed(archive):
            with gzip.open(file) as unpacked:
                yield cast(IO[bytes], unpacked)
        else:
            yield file


@contextmanager
def _make_folder() -> Iterator[Path]:
    """A temporary folder for one member after the other."""
    try:
        folder = tempfile.TemporaryDirectory(prefix="citespan-", ignore_cleanup_errors=True)
    except OSError as error:
        raise _without_room(error) from error
    with folder:
        yield Path(folder.name)


@contextmanager
def _unpacked(file: Path, data: bytes) -> Iterator[Path]:
    """A file with the content of a member, for as long as that is read."""
    try:
        file.write_bytes(data)
    except OSError as error:
        raise _without_room(error) from error
    try:
        yield file
    finally:
        file.unlink(missing_ok=True)


def _without_room(error: OSError) -> MachineError:
    return MachineError(
        f"{tempfile.gettempdir()}: no temporary file can be written there ({error.strerror}); make "
        "room, or set TMPDIR to another folder, and repeat the command"
    )


def _last_part(name: str) -> str:
    """A name for the temporary file: short enough for file systems, with the endings it had."""
    last = PurePosixPath(name).name.replace("\0", "")
    return last[-200:] if last.strip(".") else "member"


def _rename_record(record: Record[Reading], file: str, source: str) -> Record[Reading | Rejected]:
    def read() -> Reading | None:
        reading = record.read()
        return _rename(reading, file, source) if reading is not None else None

    return Record(record.source.replace(file, source, 1), read, record.listed)


def _rename(reading: Reading, file: str, source: str) -> Reading:
    named = reading.source.replace(file, source, 1)
    if isinstance(reading, Rejected):
        return replace(reading, source=named, reason=reading.reason.replace(file, source))
    return replace(reading, source=named)
