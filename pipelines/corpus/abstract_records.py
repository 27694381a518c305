"""Files of abstracts gone through record by record, whatever their format."""

import zlib
from collections.abc import Callable, Iterator
from io import BufferedIOBase
from pathlib import Path

from citespan.pipelines.corpus.abstract import AbstractReading, Deletion
from citespan.pipelines.corpus.article import Rejected
from citespan.pipelines.corpus.files import STANDARD_INPUT, source_of
from citespan.pipelines.corpus.medline_stream import opened
from citespan.pipelines.corpus.xml import BadXmlError
from citespan.pipelines.errors import InputError

_UNREADABLE = (OSError, EOFError, zlib.error)


def count(unit: Path, records_in: Callable[[BufferedIOBase], int]) -> int:
    """How many inputs there are in a file; 0 for standard input, of which nobody knows."""
    if unit == STANDARD_INPUT:
        return 0
    try:
        with opened(unit) as file:
            return max(1, records_in(file))
    except _UNREADABLE:
        return 1


def readings(
    unit: Path, read: Callable[[BufferedIOBase], Iterator[AbstractReading]]
) -> Iterator[AbstractReading]:
    """What `read` makes of a file. Where it breaks off, that is told, and what came before stays.

    Args:
        read: may raise `BadXmlError` and `InputError`, and whatever reading a file does.
    """
    source = source_of(unit)
    records = 0
    met = False
    try:
        with opened(unit) as file:
            for reading in read(file):
                met = True
                records += not isinstance(reading, Deletion)
                yield reading
    except (*_UNREADABLE, BadXmlError, InputError) as error:
        told = " ".join(str(error).split())
        before = f"; the {records:,} records before that are read" if records else ""
        yield Rejected(source, f"{told}{before}")
    else:
        if not met:
            yield Rejected(source, "no record in it", "skipped")
