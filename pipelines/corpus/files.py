"""Files as readers meet them: found in order, read within bounds, told apart by their start."""

import gzip
import sys
import zlib
from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path

from citespan.pipelines.corpus.article import Rejected
from citespan.pipelines.errors import InputError

STANDARD_INPUT = Path("-")
MAX_BYTES = 100 * 2**20
HEAD_BYTES = 64 * 1024
_LOOKED_AT = 100


def units(path: Path, is_unit: Callable[[Path], bool]) -> Iterator[Path]:
    """Every visible file below `path`, and every folder that `is_unit` takes as a whole.

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
        except OSError:
            yield here
            continue
        waiting.extend(reversed(inside))


def first_files(path: Path) -> list[Path]:
    """The first hundred visible files below `path`; `path` itself if it is a file."""
    return list(islice((p for p in units(path, lambda _: False) if p.is_file()), _LOOKED_AT))


def visible(folder: Path, ending: str) -> list[Path]:
    """The visible files in `folder` whose names end so in any case, sorted; none if there is no
    such folder."""
    try:
        inside = list(folder.iterdir())
    except OSError:
        return []
    return sorted(p for p in inside if p.suffix.lower() == ending and not p.name.startswith("."))


def holds_folder(path: Path, name: str) -> bool:
    """Whether `path` is a folder with a folder `name` in it, as far as one may look."""
    try:
        return (path / name).is_dir()
    except OSError:
        return False


def unlisted(folder: Path) -> Rejected:
    """What reading a folder that `units` could not list comes to."""
    return Rejected(str(folder), "can't list this folder; check its permissions")


def head(path: Path) -> bytes:
    """The first bytes of a file, unpacked if it is gzipped; none if it can't be read.

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
        if path.suffix == ".gz":
            with gzip.open(path) as packed:
                return packed.read(HEAD_BYTES)
        with path.open("rb") as file:
            return file.read(HEAD_BYTES)
    except (OSError, EOFError, zlib.error):
        return b""


def read_bytes(path: Path, limit: int = MAX_BYTES) -> bytes:
    """All of a file, or of standard input for "-".

    Raises:
        InputError: if it can't be read or is larger than `limit` bytes.
    """
    try:
        if path == STANDARD_INPUT:
            data = sys.stdin.buffer.read(limit + 1)
        else:
            with path.open("rb") as file:
                data = file.read(limit + 1)
    except OSError as error:
        raise InputError(f"can't be read: {error.strerror}") from error
    if len(data) > limit:
        raise InputError(f"larger than {limit // 2**20} MB; split it")
    return data


def read_utf8(path: Path) -> str:
    """All of a file as text; a byte-order mark stays in it.

    Raises:
        InputError: if it can't be read, is too large, is not UTF-8 or holds NUL characters.
    """
    data = read_bytes(path)
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


def decoded(data: bytes) -> str:
    """Text in UTF-8, else in Windows-1252, else in Latin-1, without a byte-order mark.

    For collections whose files say nothing of their encoding and differ in it.
    """
    for encoding in ("utf-8-sig", "cp1252"):
        try:
            return data.decode(encoding)
        except UnicodeDecodeError:
            continue
    return data.decode("latin-1")


def source_of(path: Path) -> str:
    """What messages call a unit."""
    return "standard input" if path == STANDARD_INPUT else str(path)
