"""Lines of plain and gzipped files, streaming."""

import gzip
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO, cast

from citespan.pipelines.errors import InputError


def opened(path: Path) -> BinaryIO:
    """The bytes of a file, unpacked where its name ends in .gz.

    Raises:
        InputError: if it can't be read.
    """
    try:
        return cast(BinaryIO, gzip.open(path)) if path.suffix == ".gz" else path.open("rb")
    except OSError as error:
        raise InputError(f"{path}: can't be read: {error.strerror}") from error


def lines(paths: list[Path]) -> Iterator[bytes]:
    """The lines of files that follow each other, without their ends; a line may go on in the
    next file. A byte-order mark at the start is no part of the first.

    Raises:
        InputError: if one can't be read to its end.
    """
    rest = b""
    first = True
    for path in paths:
        with opened(path) as file:
            for line in _to_the_end(file, path):
                whole, rest = rest + line, b""
                if not whole.endswith(b"\n"):
                    rest = whole
                    continue
                if first:
                    whole, first = whole.removeprefix(b"\xef\xbb\xbf"), False
                yield whole.rstrip(b"\r\n")
    if rest:
        yield rest


def _to_the_end(file: BinaryIO, path: Path) -> Iterator[bytes]:
    try:
        yield from file
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise InputError(f"{path}: broken or cut off gzip file; fetch it again") from error
    except OSError as error:
        raise InputError(f"{path}: can't be read: {error.strerror}") from error
