"""Reading the citations of one manuscript, which need not be indexed."""

from itertools import islice
from pathlib import Path

from citespan.pipelines.citing.citations import ArticleCitations, find_citations
from citespan.pipelines.corpus.article import Rejected
from citespan.pipelines.corpus.files import source_of
from citespan.pipelines.corpus.reader import LibraryReader, readers
from citespan.pipelines.errors import InputError
from citespan.pipelines.indexing.reading.sources import Sources
from citespan.pipelines.indexing.reading.unit import AUTO
from citespan.pipelines.indexing.reading.unit_reading import read_articles
from citespan.pipelines.text.splitter import DEFAULT, splitters


def read_citations(path: str | Path, format_: str = "auto") -> ArticleCitations:
    """Read a manuscript and find what it cites.

    Args:
        path: of the file, or "-" for standard input.
        format_: name of a reader, or "auto".

    Raises:
        InputError: if the manuscript can't be read, or there are several articles at the path.
        UnknownNameError: for an unknown format.
        MachineError: if this machine can't read any file.
    """
    source = source_of(Path(path))
    units = list(islice(Sources([str(path)], format_), 2))
    if any(
        unit.reader != AUTO and isinstance(readers[unit.reader], LibraryReader) for unit in units
    ):
        raise InputError(f"{source}: a library and no manuscript; name one that cites its entries")
    readings = list(islice(read_articles(units), 2))
    rejected = next((reading for reading in readings if isinstance(reading, Rejected)), None)
    if rejected is not None:
        raise InputError(f"{rejected.source}: {rejected.reason}")
    if not readings:
        raise InputError(f"{source}: no article in it")
    article, *others = readings
    if others:
        raise InputError(f"{source}: several articles; name the file of one")
    assert not isinstance(article, Rejected)
    return find_citations(article, splitters[DEFAULT])
