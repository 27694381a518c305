"""PubMed's text export: the format "PubMed" of its page, .txt or .nbib.

The export (`rettype=medline` of PubMed's services) writes a field a
line, `TAG - value`, with six spaces before what continues it. The labels of a structured abstract
stand in the abstract's text: it is cut at them if it begins with one, and then wherever one that
`section_categories` knows, in capitals and with a colon, follows the end of a sentence. NLM's
categories are not in it.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from io import BufferedIOBase
from pathlib import Path

from citespan.pipelines.corpus.abstract import (
    YEAR,
    Abstract,
    AbstractPart,
    AbstractReading,
    lay_out_abstract,
    remove_brackets,
)
from citespan.pipelines.corpus.article import Rejected
from citespan.pipelines.corpus.file_reader import AbstractFileReader, count_records, find_records
from citespan.pipelines.corpus.files import STANDARD_INPUT, read_head
from citespan.pipelines.corpus.identifiers import is_pmid
from citespan.pipelines.corpus.notices import NoticeFields, read_notices
from citespan.pipelines.corpus.paragraphs import collapse_space
from citespan.pipelines.corpus.publication import Publication
from citespan.pipelines.corpus.reader import Record, readers
from citespan.pipelines.corpus.section_categories import is_known
from citespan.pipelines.errors import InputError

_FIELD = re.compile(r"([A-Z]{2,4}) {0,2}- ?(.*)", re.DOTALL)
_CONTINUED = "      "
_DOI = re.compile(r"(\S+) \[doi\]")
_NAMED_PMID = re.compile(r"PMID: 0{0,12}(\d{1,12})\b")
_DATE = re.compile(r"(\d{4})(\d\d)(\d\d)")
_LABEL = re.compile(r"(?:^|(?<=[.?!)\]%]) )([A-Z][A-Z ,;/&'()+-]{2,80}):(?= |$)")
_PROVIDER = re.compile(r"^(?:AIDS|AAMC|KIE|NASA|PIP|Publisher): ")
_NO_TEXT = "Abstract available from the publisher"
_ENGLISH = "eng"

Fields = Mapping[str, Sequence[str]]

_RECORD_START = b"PMID- "
_ENDINGS = (".txt", ".txt.gz", ".nbib", ".nbib.gz")
_LONGEST_LINE = 1 << 20
_MOST_LINES = 100_000


@readers.register
class PubmedReader(AbstractFileReader):
    """Reads records one by one; a bad one is rejected, and the rest is read."""

    name = "pubmed"
    description = "PubMed's text export (PMID- lines), also .gz; goes to the index of abstracts"

    def looks_like(self, file: Path) -> bool:
        return begins_record(read_head(file))

    def count(self, unit: Path) -> int:
        return count_records(unit, _count)

    def find_abstracts(self, file: Path, source: str) -> Iterator[Record[AbstractReading]]:
        if not self.looks_like(file):
            yield Record.of(source, _not_pubmed(file, source))
        else:
            yield from find_records(file, source, lambda content: _records(content, source))


def _count(file: BufferedIOBase) -> int:
    lines = iter(partial(file.readline, _LONGEST_LINE), b"")
    return sum(map(begins_record, lines))


def _not_pubmed(unit: Path, source: str) -> Rejected:
    if unit != STANDARD_INPUT and not unit.name.lower().endswith(_ENDINGS):
        return Rejected(source, "not PubMed's text export", "skipped")
    empty = not read_head(unit).strip()
    return Rejected(source, "empty file" if empty else "no line 'PMID- ' at its start")


def _records(file: BufferedIOBase, source: str) -> Iterator[Record[AbstractReading]]:
    for number, lines in enumerate(_divide(file), 1):
        read = partial(_reading, lines, source)
        yield Record(f"{source}: record {number}", read, listed=True)


def _divide(file: BufferedIOBase) -> Iterator[list[bytes]]:
    """Yield the lines of each record. A record ends where the next one begins, so that a blank line
    inside of one does no harm.

    Raises:
        InputError: for a line or a record too long to be one.
    """
    lines: list[bytes] = []
    while line := file.readline(_LONGEST_LINE + 1):
        if len(line) > _LONGEST_LINE or len(lines) > _MOST_LINES:
            raise InputError("a record longer than any of PubMed's")
        if line.startswith(_RECORD_START) and lines:
            yield lines
            lines = []
        if line.strip(b"\xef\xbb\xbf \t\r\n"):
            lines.append(line.removeprefix(b"\xef\xbb\xbf"))
    if lines:
        yield lines


def _reading(lines: list[bytes], source: str) -> AbstractReading:
    pmid = lines[0].removeprefix(_RECORD_START).strip().decode("utf-8", "replace")
    place = f"{source}: PMID {pmid[:40]}"
    if not is_pmid(pmid):
        return Rejected(place, "the PMID is not a number")
    try:
        fields = parse_fields(line.decode("utf-8").rstrip() for line in lines)
        if fields["PMID"] != [pmid]:
            return Rejected(place, "the line of its PMID goes on in the next one")
        return parse_record(fields, place)
    except UnicodeDecodeError:
        return Rejected(place, "not UTF-8; convert the file to UTF-8")
    except InputError as error:
        return Rejected(place, str(error))


def begins_record(start: bytes) -> bool:
    """Whether the first line that is not blank begins a record."""
    return start.removeprefix(b"\xef\xbb\xbf").lstrip().startswith(_RECORD_START)


def parse_fields(lines: Iterable[str]) -> Fields:
    """Return the values of each field of a record, in order, with continued lines joined.

    Raises:
        InputError: for a line that is neither a field nor continues one.
    """
    found: defaultdict[str, list[str]] = defaultdict(list)
    last: list[str] | None = None
    for line in lines:
        field = _FIELD.fullmatch(line)
        if line.startswith(_CONTINUED) and last is not None:
            last[-1] += " " + line.strip()
        elif field:
            last = found[field[1]]
            last.append(field[2].strip())
        else:
            raise InputError(f"a line that is no field: {line.strip()[:40]!r}")
    return found


def parse_record(fields: Fields, source: str) -> Abstract | Rejected:
    """Return the abstract of a record whose PMID is known to be a number."""
    pmid = fields["PMID"][0]
    others = list(_others(fields))
    text = _first(fields, "AB")
    if not text:
        english = next((other for other in others if _is_english_abstract(*other)), None)
        if english is not None:
            others.remove(english)
            text = english[1]
    year = YEAR.search(_first(fields, "DP"))
    revised = _DATE.match(_first(fields, "LR"))
    dois = (_DOI.match(value) for tag in ("LID", "AID") for value in fields.get(tag, ()))
    names = [*fields.get("PMC", ()), *(doi[1] for doi in dois if doi)]
    return lay_out_abstract(
        Abstract(
            id=pmid,
            text="",
            title=_title(fields),
            source=source,
            also_known_as=tuple(dict.fromkeys(name for name in names if name)),
            revised="-".join(revised.groups()) if revised else "",
            year=int(year[1]) if year else None,
            mesh=tuple(dict.fromkeys(h.partition("/")[0].strip("*") for h in fields.get("MH", ()))),
            languages=tuple(fields.get("LA", ())),
            publication_types=tuple(fields.get("PT", ())),
            publication=Publication(
                authors=_authors(fields), journal=_first(fields, "JT"), **_find_notices(fields)
            ),
        ),
        list(split_sections(text)),
        others,
    )


def _find_notices(fields: Fields) -> NoticeFields:
    """Return what the fields tell of retractions, such as "J Made. 2010;1:2. PMID: 12" in RIN."""
    related = []
    for tag, values in fields.items():
        for value in values:
            pmid = _NAMED_PMID.search(value)
            related.append((tag, [f"pmid:{pmid[1]}"] if pmid else []))
    return read_notices(fields.get("PT", ()), related, _title(fields))


def split_sections(text: str) -> Iterator[AbstractPart]:
    """Yield the sections of an abstract whose labels stand in its text; one without label if it
    does not begin with a known one."""
    labels = [found for found in _LABEL.finditer(text) if is_known(found[1])]
    if not labels or labels[0].start() > 0:
        yield AbstractPart("", collapse_space(text))
        return
    ends = [*(label.start() for label in labels[1:]), len(text)]
    for label, end in zip(labels, ends, strict=True):
        yield AbstractPart(collapse_space(label[1]), collapse_space(text[label.end() : end]))


def _title(fields: Fields) -> str:
    return remove_brackets(_first(fields, "TI")) or _first(fields, "TT")


def _authors(fields: Fields) -> tuple[str, ...]:
    """Return persons by their full names; where there is none, the groups that have written it."""
    for tag in ("FAU", "AU", "CN"):
        if names := tuple(filter(None, map(collapse_space, fields.get(tag, ())))):
            return names
    return ()


def _others(fields: Fields) -> Iterator[tuple[str, str]]:
    """(language, text): the n-th OABL is the language of the n-th OAB."""
    languages = fields.get("OABL", ())
    for number, value in enumerate(fields.get("OAB", ())):
        language = languages[number] if number < len(languages) else "und"
        text = _PROVIDER.sub("", collapse_space(value))
        if text and not text.startswith(_NO_TEXT):
            yield language, text


def _is_english_abstract(language: str, text: str) -> bool:
    return language == _ENGLISH and not text.startswith("plain-language")


def _first(fields: Fields, tag: str) -> str:
    return collapse_space(next(iter(fields.get(tag, ())), ""))
