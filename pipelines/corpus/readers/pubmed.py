"""PubMed's text export: the format "PubMed" of its page, .txt or .nbib; see `pubmed_text`."""

from collections.abc import Iterator
from io import BufferedIOBase
from pathlib import Path

from citespan.pipelines.corpus import abstract_records
from citespan.pipelines.corpus.abstract import AbstractReading, is_pmid
from citespan.pipelines.corpus.abstract_reader import without_deletions
from citespan.pipelines.corpus.article import Article, Rejected
from citespan.pipelines.corpus.files import (
    STANDARD_INPUT,
    first_files,
    head,
    source_of,
    units,
    unlisted,
)
from citespan.pipelines.corpus.pubmed_text import (
    RECORD_START,
    abstract_of,
    begins_record,
    fields_of,
)
from citespan.pipelines.corpus.reader import readers
from citespan.pipelines.errors import InputError

_ENDINGS = (".txt", ".txt.gz", ".nbib", ".nbib.gz")
_LONGEST_LINE = 1 << 20
_MOST_LINES = 100_000


@readers.register
class PubmedReader:
    """Reads records one by one; a bad one is told and the rest goes on."""

    name = "pubmed"
    description = "PubMed's text export (PMID- lines), also .gz; goes to the index of abstracts"

    def recognises(self, path: Path) -> bool:
        return any(begins_record(head(file)) for file in first_files(path))

    def find(self, path: Path) -> Iterator[Path]:
        return units(path, lambda _: False)

    def count(self, unit: Path) -> int:
        return abstract_records.count(unit, lambda file: sum(map(begins_record, file)))

    def read(self, unit: Path) -> Iterator[Article | Rejected]:
        return without_deletions(self.abstracts(unit))

    def abstracts(self, unit: Path) -> Iterator[AbstractReading]:
        source = source_of(unit)
        if unit.is_dir():
            yield unlisted(unit)
            return
        if not begins_record(head(unit)):
            yield _not_pubmed(unit, source)
            return
        yield from abstract_records.readings(
            unit, lambda file: (_reading(lines, source) for lines in _records(file))
        )


def _not_pubmed(unit: Path, source: str) -> Rejected:
    if unit != STANDARD_INPUT and not unit.name.lower().endswith(_ENDINGS):
        return Rejected(source, "not PubMed's text export", "skipped")
    empty = not head(unit).strip()
    return Rejected(source, "empty file" if empty else "no line 'PMID- ' at its start")


def _records(file: BufferedIOBase) -> Iterator[list[bytes]]:
    """The lines of each record. A record ends where the next one begins, so that a blank line
    inside of one does no harm.

    Raises:
        InputError: for a line or a record too long to be one.
    """
    lines: list[bytes] = []
    while line := file.readline(_LONGEST_LINE + 1):
        if len(line) > _LONGEST_LINE or len(lines) > _MOST_LINES:
            raise InputError("a record longer than any of PubMed's")
        if line.startswith(RECORD_START) and lines:
            yield lines
            lines = []
        if line.strip(b"\xef\xbb\xbf \t\r\n"):
            lines.append(line.removeprefix(b"\xef\xbb\xbf"))
    if lines:
        yield lines


def _reading(lines: list[bytes], source: str) -> AbstractReading:
    pmid = lines[0].removeprefix(RECORD_START).strip().decode("utf-8", "replace")
    place = f"{source}: PMID {pmid[:40]}"
    if not is_pmid(pmid):
        return Rejected(place, "the PMID is not a number")
    try:
        fields = fields_of(line.decode("utf-8").rstrip() for line in lines)
        if fields["PMID"] != [pmid]:
            return Rejected(place, "the line of its PMID goes on in the next one")
        return abstract_of(fields, place)
    except UnicodeDecodeError:
        return Rejected(place, "not UTF-8; convert the file to UTF-8")
    except InputError as error:
        return Rejected(place, str(error))
