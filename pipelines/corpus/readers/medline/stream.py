"""Medline XML, record by record, in memory that does not grow with the file."""

import re
from collections.abc import Iterator
from io import BufferedIOBase
from typing import cast

from lxml import etree

from citespan.pipelines.corpus.xml import (
    WITHOUT_TRUST,
    BadXmlError,
    explain_syntax_error,
    refuse_declared_entities,
)

RECORDS = ("PubmedArticle", "MedlineCitation", "PubmedBookArticle")
DELETIONS = "DeleteCitation"
ROOTS = ("PubmedArticleSet", "MedlineCitationSet", "PubmedArticle", "MedlineCitation")

_CHUNK = 1 << 18
_LONGEST_RECORD = 16 << 20
_RECORD_START = re.compile(rb"<(?:MedlineCitation|PubmedBookArticle)[\s>]")
_LONGEST_START = 20


def elements(file: BufferedIOBase) -> Iterator[etree._Element]:
    """Yield every record and every list of deletions, whole, in order; each is emptied afterwards.

    Nothing is loaded for a DOCTYPE, and no entity is expanded.

    Raises:
        BadXmlError: for XML that is empty, truncated, not well-formed, nested too deep, that
            declares entities, or has a record of more than 16 MB. What comes before that has
            been yielded.
        OSError, EOFError, zlib.error: from reading.
    """
    parser = etree.XMLPullParser(
        events=("end",), tag=(*RECORDS, DELETIONS), collect_ids=False, **WITHOUT_TRUST
    )
    since_record = 0
    blank = True
    # read1: `read` would lose what it has when a truncated .gz raises in the middle of a chunk
    while chunk := file.read1(_CHUNK):
        blank = blank and not chunk.strip()
        if blank:
            continue
        failure = _feed(parser, chunk)
        for element in _whole(parser):
            refuse_declared_entities(element)
            since_record = 0
            yield element
            _forget(element)
        if failure is not None:
            raise BadXmlError(explain_syntax_error(failure)) from failure
        since_record += len(chunk)
        if since_record > _LONGEST_RECORD:
            raise BadXmlError(f"{_LONGEST_RECORD >> 20} MB without the end of a record")
    if blank:
        raise BadXmlError("empty file")
    try:
        parser.close()
    except etree.XMLSyntaxError as error:
        raise BadXmlError(explain_syntax_error(error)) from error


def count(file: BufferedIOBase) -> int:
    """Return how many records a file has, by the start tags in it, without parsing.

    Raises:
        OSError, EOFError, zlib.error: from reading.
    """
    found = 0
    rest = b""
    while chunk := file.read1(_CHUNK):
        window = rest + chunk
        end = 0
        for start in _RECORD_START.finditer(window):
            found += 1
            end = start.end()
        rest = window[max(end, len(window) - _LONGEST_START) :]
    return found


def _feed(parser: "etree.XMLPullParser", chunk: bytes) -> etree.XMLSyntaxError | None:
    """Feed the parser; return an error instead of raising it, so that the records before it are
    yielded first."""
    try:
        parser.feed(chunk)
    except etree.XMLSyntaxError as error:
        return error
    return None


def _whole(parser: "etree.XMLPullParser") -> Iterator[etree._Element]:
    for _, found in parser.read_events():
        element = cast(etree._Element, found)
        parent = element.getparent()
        if parent is None or parent.tag not in RECORDS:
            yield element


def _forget(element: etree._Element) -> None:
    element.clear()
    parent = element.getparent()
    while parent is not None and element.getprevious() is not None:
        del parent[0]
