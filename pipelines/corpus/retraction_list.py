"""The list of Retraction Watch, as Crossref gives it away: a CSV file, a notice a line.

https://gitlab.com/crossref/retraction-watch-data and its README say what the columns are. A notice
is about a paper that it names by DOI ("unavailable" for none) and PMID ("0" for none).
"""

import csv
import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Final, TextIO

from citespan.pipelines.corpus.files import open_lines
from citespan.pipelines.corpus.identifiers import FINDERS
from citespan.pipelines.corpus.notices import OF_RETRACTION_WATCH, Notice, merge_notices
from citespan.pipelines.corpus.paragraphs import collapse_space
from citespan.pipelines.errors import InputError

RETRACTIONS: Final = "CITESPAN_RETRACTIONS"
"""The environment variable that names the file."""
_NATURE, _REASON, _DATE = "RetractionNature", "Reason", "RetractionDate"
_DOI, _PMID = "OriginalPaperDOI", "OriginalPaperPubMedID"
_NOTICE_DOI, _NOTICE_PMID = "RetractionDOI", "RetractionPubMedID"
_NEEDED = (_NATURE, _DOI, _PMID)
_MOST_BYTES = 2**30
_MOST_ROWS = 2_000_000
_LONGEST_REASON = 200
_SHOWN = 8
_TIME = re.compile(r" 0?0:00(?::00)?$")
_SOURCE = "Retraction Watch"

RetractionList = Mapping[str, tuple[Notice, ...]]
"""The notices of papers, by the identifiers of these, such as "doi:10.1/x"."""


def read_retraction_list(path: str | Path) -> RetractionList:
    """Return the notices of a file; one that has been read stays in memory until it changes.

    Characters in another encoding than the file's are replaced: identifiers are ASCII.

    Raises:
        InputError: if it can't be read, or is another table.
    """
    file = Path(path)
    try:
        status = file.stat()
    except OSError as error:
        raise InputError(f"{path}: can't be read: {error.strerror}") from error
    if status.st_size > _MOST_BYTES:
        raise InputError(f"{path}: larger than 1 GB, which no list of retractions is")
    return _read(file, status.st_mtime_ns, status.st_size)


@lru_cache(1)
def _read(file: Path, _changed: int, _size: int) -> RetractionList:
    found: dict[str, tuple[Notice, ...]] = {}
    with open_lines(file) as text:
        for row in _read_rows(text, str(file)):
            notice = _read_notice(row)
            if notice is None:
                continue
            for key in _identify(row, _DOI, _PMID):
                found[key] = merge_notices((*found.get(key, ()), notice))
    return found


def _read_rows(text: TextIO, source: str) -> Iterator[dict[str, str | None]]:
    rows = csv.DictReader(text)
    number = 0
    try:
        there = [collapse_space(name) for name in rows.fieldnames or ()]
        rows.fieldnames = there
        missing = [name for name in _NEEDED if name not in there]
        if missing:
            shown = ", ".join(name[:40] for name in there[:_SHOWN]) or "none"
            raise InputError(
                f"{source}: not the list of Retraction Watch: it has no column "
                f"{' or '.join(missing)}; its columns are {shown}"
            )
        for number, row in enumerate(rows, 1):
            if number > _MOST_ROWS:
                raise InputError(f"{source}: more than {_MOST_ROWS:,} lines; is it another table?")
            yield row
    except csv.Error as error:
        raise InputError(f"{source}:{rows.line_num}: no CSV: {error}") from error
    if not number:
        raise InputError(f"{source}: no notice in it, only the names of columns")


def _identify(row: Mapping[str, str | None], doi: str, pmid: str) -> Iterator[str]:
    """Yield the identifiers in two columns, such as "doi:10.1/x"."""
    for kind, column in (("doi", doi), ("pmid", pmid)):
        if value := FINDERS[kind](row.get(column) or ""):
            yield f"{kind}:{value}"


def _read_notice(row: Mapping[str, str | None]) -> Notice | None:
    """Return what a line says; None for a kind of notice that is not known."""
    kind = OF_RETRACTION_WATCH.get(collapse_space(row[_NATURE] or "").lower())
    if kind is None:
        return None
    by = next(_identify(row, _NOTICE_DOI, _NOTICE_PMID), "")
    reasons = (part.strip(" +") for part in (row.get(_REASON) or "").split(";"))
    reason = collapse_space(", ".join(filter(None, reasons)))[:_LONGEST_REASON]
    date = _TIME.sub("", collapse_space(row.get(_DATE) or ""))[: _SHOWN * 4]
    return Notice(kind, by, date, reason, _SOURCE)
