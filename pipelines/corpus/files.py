"""Files for readers: found in order, unpacked, read within bounds, known by their first bytes."""

import codecs
import errno
import gzip
import os
import stat
import sys
import zlib
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from io import BufferedIOBase, BytesIO, TextIOWrapper
from itertools import islice
from pathlib import Path
from typing import BinaryIO, TextIO, cast

from citespan.pipelines.errors import InputError, raise_if_machine

STANDARD_INPUT = Path("-")
MAX_BYTES = 100 * 2**20
MAX_TEXT_BYTES = 20 * 2**20
"""Of one article as text or JSON, which takes many times as much memory as it has bytes."""
HEAD_BYTES = 64 * 1024
_LOOKED_AT = 100
_MOST_AT_ONCE = 2**20


def find_units(path: Path, is_unit: Callable[[Path], bool]) -> Iterator[Path]:
    """Find every visible file below `path`, and every folder that `is_unit` takes as a whole.

    In the order of sorted paths, streaming. Links are followed, each folder once. A folder that
    can't be listed is yielded itself, so that reading it tells why.

    Raises:
        InputError: if there is nothing at `path`.
    """
    if path == STANDARD_INPUT:
        yield path
        return
    if not path.exists():
        raise InputError(f"{path}: no such file or folder")
    seen: set[Path] = set()
    waiting = [path]
    while waiting:
        here = waiting.pop()
        if not here.is_dir() or is_unit(here):
            yield here
            continue
        place = here.resolve()
        if place in seen:
            continue
        seen.add(place)
        try:
            inside = sorted(p for p in here.iterdir() if not p.name.startswith("."))
        except OSError as error:
            raise_if_machine(error)
            yield here
            continue
        waiting.extend(reversed(inside))


def find_first_files(path: Path) -> list[Path]:
    """Return the first hundred visible files below `path`; `path` itself if it is a file."""
    return list(islice((p for p in find_units(path, lambda _: False) if p.is_file()), _LOOKED_AT))


def list_files(folder: Path, ending: str | None = None) -> list[Path]:
    """Return the visible files in `folder` whose names end so in any case, or all, sorted; none if
    there is no such folder."""
    try:
        inside = list(folder.iterdir())
    except OSError:
        return []
    visible = sorted(path for path in inside if not path.name.startswith("."))
    return [path for path in visible if ending in (None, path.suffix.lower())]


def holds_folder(path: Path, name: str) -> bool:
    """Whether `path` is a folder with a folder `name` in it, as far as one may look."""
    try:
        return (path / name).is_dir()
    except OSError:
        return False


def describe_special(path: Path) -> str:
    """Return what a path is if it is neither a file nor a folder, and opening it could wait for
    ever; "" if it is, or nothing is there."""
    try:
        mode = path.stat().st_mode
    except OSError:
        return ""
    if stat.S_ISREG(mode) or stat.S_ISDIR(mode):
        return ""
    kind = "pipe" if stat.S_ISFIFO(mode) else "socket" if stat.S_ISSOCK(mode) else "device"
    return f"a {kind}, which is not read; name a file, or use standard input"


def require_file(path: Path) -> None:
    """Check that opening a path can't wait for ever.

    Raises:
        OSError: for a pipe, a socket or a device.
    """
    if problem := describe_special(path):
        raise OSError(errno.EINVAL, problem, str(path))


@contextmanager
def open_lines(path: Path) -> Iterator[TextIO]:
    """Open a text of any length for reading, in UTF-16 if it begins so and else in UTF-8; bytes of
    another encoding become replacement characters.

    Raises:
        InputError: at once or from reading, if it can't be read.
    """
    try:
        with open_unpacked(path) as content:
            begin = content.read(2)
            content.seek(0)
            is_utf16 = begin in (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
            encoding = "utf-16" if is_utf16 else "utf-8-sig"
            raw = cast(BinaryIO, content)
            yield TextIOWrapper(raw, encoding, errors="replace", newline="")
    except (OSError, EOFError, zlib.error) as error:
        if isinstance(error, OSError):
            raise_if_machine(error)
        reason = error.strerror if isinstance(error, OSError) else None
        raise InputError(f"{path}: can't be read: {reason or error}") from error


def open_unpacked(path: Path) -> AbstractContextManager[BufferedIOBase]:
    """Open the bytes of a file, unpacked where its name ends in .gz, or of standard input.

    Raises:
        OSError: at once or from reading; from reading a gzipped file EOFError and zlib.error too.
    """
    if path == STANDARD_INPUT:
        return nullcontext(cast(BufferedIOBase, sys.stdin.buffer))
    require_file(path)
    if path.suffix.lower() == ".gz":
        return gzip.open(path)
    return path.open("rb")


def read_head(path: Path) -> bytes:
    """Return the first bytes of a file, unpacked if it is gzipped; none if it can't be read.

    Standard input is looked at and left as it was.
    """
    if path == STANDARD_INPUT:
        peek = getattr(sys.stdin.buffer, "peek", None)
        if peek is not None:
            return bytes(peek(HEAD_BYTES)[:HEAD_BYTES])
        place = sys.stdin.buffer.tell()
        start = sys.stdin.buffer.read(HEAD_BYTES)
        sys.stdin.buffer.seek(place)
        return start
    try:
        with open_unpacked(path) as file:
            return file.read(HEAD_BYTES)
    except (OSError, EOFError, zlib.error) as error:
        if isinstance(error, OSError):
            raise_if_machine(error)
        return b""


def read_bytes(path: Path, limit: int = MAX_BYTES) -> bytes:
    """Read all of a file, unpacked where its name ends in .gz, or of standard input for "-".

    Raises:
        InputError: if it can't be read or is larger than `limit` bytes.
        MachineError: if this machine can't open any file.
    """
    try:
        with open_unpacked(path) as file:
            # Python reserves as much as it is asked for
            data = file.read(min(_MOST_AT_ONCE, limit + 1))
            if len(data) == _MOST_AT_ONCE:
                data += file.read(limit + 1 - _MOST_AT_ONCE)
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise InputError("broken or cut off gzip file; fetch it again") from error
    except OSError as error:
        raise_if_machine(error)
        raise InputError(f"can't be read: {error.strerror}") from error
    if len(data) > limit:
        raise InputError(f"larger than {limit // 2**20} MB; split it")
    return data


def unpack(data: bytes, source: str, limit: int) -> bytes:
    """Return what gzipped bytes hold.

    Args:
        source: their name in messages.

    Raises:
        InputError: if that is larger than `limit` bytes.
        OSError, EOFError, zlib.error: if they are damaged.
    """
    with gzip.open(BytesIO(data)) as file:
        unpacked = file.read(limit + 1)
    if len(unpacked) > limit:
        raise InputError(f"{source}: larger than {limit // 2**20} MB when unpacked")
    return unpacked


def read_utf8(path: Path, limit: int = MAX_TEXT_BYTES) -> str:
    """Return all of a file as text; a byte-order mark stays in it.

    Raises:
        InputError: if it can't be read, is larger than `limit` bytes, is not UTF-8 or holds NUL
            characters.
    """
    data = read_bytes(path, limit)
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise InputError(
            f"not UTF-8 at line {line}, byte {error.start}; convert it to UTF-8"
        ) from error
    if "\0" in text:
        line = text.count("\n", 0, text.index("\0")) + 1
        raise InputError(f"not plain text: a NUL character at line {line}")
    return text


def decode(data: bytes) -> str:
    """Text in UTF-8, else in Windows-1252, else in Latin-1, without a byte-order mark.

    For collections whose files say nothing of their encoding and differ in it.
    """
    for encoding in ("utf-8-sig", "cp1252"):
        try:
            return data.decode(encoding)
        except UnicodeDecodeError:
            continue
    return data.decode("latin-1")


def stem_of(path: Path) -> str:
    """Return a file's name without its ending and without .gz: "PMC12" of "PMC12.nxml.gz"."""
    return Path(path.stem).stem if path.suffix.lower() == ".gz" else path.stem


def is_utf8(path: Path) -> bool:
    """Return whether a path can be written in UTF-8; on Linux any bytes can be a file's name."""
    try:
        str(path).encode()
    except UnicodeEncodeError:
        return False
    return True


def source_of(path: Path) -> str:
    """Return the name of a unit in messages, always one that can be printed and written to JSON:
    bytes that are not UTF-8 are shown as "\\xff"."""
    if path == STANDARD_INPUT:
        return "standard input"
    return os.fsencode(path).decode("utf-8", "backslashreplace")


def absolute_source_of(path: Path | str) -> str:
    """Return the same of a path, whatever the working folder is; links stay what they are."""
    return source_of(Path(os.path.abspath(path)))  # noqa: PTH100
