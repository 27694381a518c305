"""Articles in tar archives, as PubMed Central publishes them: read member by member, in order.

Nothing is unpacked by its own name: each member lies, for as long as it is read, in a temporary
folder under the last part of its name, which readers may take an identifier from.
"""

import gzip
import tarfile
import tempfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path, PurePosixPath
from typing import IO, TypeVar, cast

from citespan.pipelines.corpus.abstract import AbstractReading
from citespan.pipelines.corpus.article import Article, Rejected
from citespan.pipelines.corpus.files import MAX_BYTES

ENDINGS = (".tar", ".tar.gz", ".tgz")
_CHUNK = 1 << 20
BROKEN = (OSError, EOFError, zlib.error, tarfile.TarError)

Reading = TypeVar("Reading", Article | Rejected, AbstractReading)


class _Strict(tarfile.TarInfo):
    """A member's header. tarfile takes one that is damaged, or missing, for the archive's end."""

    @classmethod
    def fromtarfile(cls, tarfile: tarfile.TarFile) -> "_Strict":
        return _checked(super().fromtarfile, tarfile)


def _checked(read: Callable[[tarfile.TarFile], _Strict], archive: tarfile.TarFile) -> _Strict:
    try:
        return read(archive)
    except tarfile.EOFHeaderError:  # type: ignore[attr-defined]
        raise
    except tarfile.EmptyHeaderError as error:  # type: ignore[attr-defined]
        raise tarfile.ReadError("it breaks off") from error
    except tarfile.HeaderError as error:
        raise tarfile.ReadError(f"it is damaged ({error})") from error


def is_archive(path: Path) -> bool:
    """Whether the name says so."""
    return path.name.lower().endswith(ENDINGS) and not path.is_dir()


def member_source(archive: Path, member: str) -> str:
    """What messages call a member."""
    return f"{archive}!{member}"


def read_archive(
    archive: Path, read: Callable[[Path], Iterator[Reading]]
) -> Iterator[Reading | Rejected]:
    """What `read` makes of each visible file in an archive, streaming.

    Where the archive is damaged or breaks off, what came before stays, and a last reading tells.
    """
    members = 0
    try:
        for name, data in members_of(archive):
            members += 1
            source = member_source(archive, name)
            if data is None:
                reason = f"larger than {MAX_BYTES // 2**20} MB; split it"
                yield Rejected(source, reason)
                continue
            with tempfile.TemporaryDirectory(prefix="citespan-") as folder:
                file = Path(folder) / _last_part(name)
                file.write_bytes(data)
                for reading in read(file):
                    yield _renamed(reading, str(file), source)
    except BROKEN as error:
        told = " ".join(str(error).split()) or type(error).__name__
        before = f"; the {members:,} files before that are read" if members else ""
        yield Rejected(str(archive), f"not an archive that can be read to its end: {told}{before}")
    else:
        if not members:
            yield Rejected(str(archive), "an archive without files")


def members_of(archive: Path) -> Iterator[tuple[str, bytes | None]]:
    """Name and content of each visible file, in order; None for one that is too large.

    Raises:
        OSError, EOFError, zlib.error, tarfile.TarError: where it is damaged or breaks off.
    """
    with _opened(archive) as file, tarfile.open(fileobj=file, mode="r|", tarinfo=_Strict) as tar:
        for member in tar:
            tar.members = []  # type: ignore[attr-defined]  # else it keeps all headers
            if not member.isfile() or _is_hidden(member.name):
                continue
            if member.size > MAX_BYTES:
                yield member.name, None
                continue
            content = tar.extractfile(member)
            if content is not None:
                yield member.name, content.read()
        while file.read(_CHUNK):  # to the end, where gzip checks that nothing is missing
            pass


@contextmanager
def _opened(archive: Path) -> Iterator[IO[bytes]]:
    with archive.open("rb") as file:
        if archive.suffix.lower() in (".gz", ".tgz"):
            with gzip.open(file) as unpacked:
                yield cast(IO[bytes], unpacked)
        else:
            yield file


def _is_hidden(name: str) -> bool:
    return PurePosixPath(name).name.startswith(".")


def _last_part(name: str) -> str:
    """A name for the temporary file: short enough for file systems, with the endings it had."""
    last = PurePosixPath(name).name.replace("\0", "")
    return last[-200:] if last.strip(".") else "member"


def _renamed(reading: Reading, file: str, source: str) -> Reading:
    named = reading.source.replace(file, source, 1)
    if isinstance(reading, Rejected):
        return replace(reading, source=named, reason=reading.reason.replace(file, source))
    return replace(reading, source=named)
