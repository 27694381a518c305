"""What a reader of one kind of vocabulary is, the registry of all of them, and lines of files."""

import gzip
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from io import BufferedIOBase
from pathlib import Path
from typing import Protocol

from citespan.pipelines.corpus.article import Rejected
from citespan.pipelines.corpus.files import HEAD_BYTES, open_unpacked
from citespan.pipelines.errors import InputError
from citespan.pipelines.registry import Registry
from citespan.pipelines.vocabulary.terms import VocabularyTerm

LONGEST_LINE = 1_000_000
"""Bytes; no vocabulary has lines that are nearly as long."""


class VocabularyReader(Protocol):
    """Reads the terms of one kind of vocabulary.

    Attributes:
        name: as in `citespan vocabulary build NAME`.
        description: one line for `--help`.
    """

    name: str
    description: str

    def version(self, path: Path) -> str:
        """Return the version that the vocabulary at `path` says it is; "" where it doesn't say.

        Raises:
            InputError: if there is no vocabulary of this kind, or two versions are mixed.
        """
        ...

    def typed(self, path: Path) -> bool:
        """Whether the concepts at `path` come with semantic types."""
        ...

    def terms(self, path: Path) -> Iterator[VocabularyTerm | Rejected]:
        """Return every row of the vocabulary, streaming: a term, or a Rejected with the reason for
        leaving it out ("skipped") or the place and the fault of a broken row ("quarantined").

        Raises:
            InputError: if it can't be read on, or two versions are mixed.
        """
        ...


vocabulary_readers: Registry[VocabularyReader] = Registry(
    "kind of vocabulary",
    "citespan.pipelines.vocabulary.readers",
    "citespan.vocabulary_readers",
    VocabularyReader,
)


@contextmanager
def open_packed(path: Path) -> Iterator[BufferedIOBase]:
    """Open the bytes of a file, unpacked where its name ends in .gz.

    Raises:
        InputError: at once or from reading, if it can't be read.
    """
    try:
        with open_unpacked(path) as file:
            yield file
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise InputError(f"{path}: broken or cut off gzip file; fetch it again") from error
    except OSError as error:
        raise InputError(f"{path}: can't be read: {error.strerror}") from error


def read_vocabulary_head(path: Path) -> bytes:
    """Return the first bytes of a file.

    Raises:
        InputError: if it can't be read.
    """
    with open_packed(path) as file:
        return file.read(HEAD_BYTES)


def read_lines(paths: list[Path]) -> Iterator[bytes]:
    """Yield the lines of files that follow each other, without their ends; a line may continue in
    the next file. A byte-order mark at the start is no part of the first.

    Raises:
        InputError: if one can't be read to its end.
    """
    rest = b""
    first = True
    for path in paths:
        with open_packed(path) as file:
            while line := file.readline(LONGEST_LINE + 1):
                if len(line) > LONGEST_LINE:
                    raise InputError(f"{path}: a line of more than {LONGEST_LINE:,} bytes; mend it")
                whole, rest = rest + line, b""
                if not whole.endswith(b"\n"):
                    rest = whole
                    continue
                if first:
                    whole, first = whole.removeprefix(b"\xef\xbb\xbf"), False
                yield whole.rstrip(b"\r\n")
    if rest:
        yield rest
