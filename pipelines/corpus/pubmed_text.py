"""One record of PubMed's text export as an abstract.

The export ("PubMed" on PubMed's page, `rettype=medline` of its services, .nbib) writes a field a
line, `TAG - value`, with six spaces before what continues it. The labels of a structured abstract
stand in the abstract's text: it is cut at them if it begins with one, and then wherever one that
`section_categories` knows, in capitals and with a colon, follows the end of a sentence. NLM's
categories are not in it.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence

from citespan.pipelines.corpus.abstract import Abstract
from citespan.pipelines.corpus.abstract_layout import AbstractPart, Citation, laid_out
from citespan.pipelines.corpus.article import Rejected
from citespan.pipelines.corpus.medline_citation import YEAR, unbracketed
from citespan.pipelines.corpus.paragraphs import collapsed
from citespan.pipelines.corpus.section_categories import is_known
from citespan.pipelines.errors import InputError

RECORD_START = b"PMID- "

_FIELD = re.compile(r"([A-Z]{2,4}) {0,2}- ?(.*)", re.DOTALL)
_CONTINUED = "      "
_DOI = re.compile(r"(\S+) \[doi\]")
_DATE = re.compile(r"(\d{4})(\d\d)(\d\d)")
_LABEL = re.compile(r"(?:^|(?<=[.?!)\]%]) )([A-Z][A-Z ,;/&'()+-]{2,80}):(?= |$)")
_PROVIDER = re.compile(r"^(?:AIDS|AAMC|KIE|NASA|PIP|Publisher): ")
_NO_TEXT = "Abstract available from the publisher"
_ENGLISH = "eng"

Fields = Mapping[str, Sequence[str]]


def begins_record(start: bytes) -> bool:
    """Whether the first line that is not blank begins a record."""
    return start.removeprefix(b"\xef\xbb\xbf").lstrip().startswith(RECORD_START)


def fields_of(lines: Iterable[str]) -> Fields:
    """The values of each field of a record, in order, with continued lines joined.

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


def abstract_of(fields: Fields, source: str) -> Abstract | Rejected:
    """The abstract of a record whose PMID is known to be a number."""
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
    return laid_out(
        Citation(
            pmid=pmid,
            title=_title(fields),
            source=source,
            also_known_as=tuple(dict.fromkeys(name for name in names if name)),
            revised="-".join(revised.groups()) if revised else "",
            year=int(year[1]) if year else None,
            mesh=tuple(dict.fromkeys(h.partition("/")[0].strip("*") for h in fields.get("MH", ()))),
            languages=tuple(fields.get("LA", ())),
            publication_types=tuple(fields.get("PT", ())),
        ),
        list(parts_of(text)),
        others,
    )


def parts_of(text: str) -> Iterator[AbstractPart]:
    """The sections of an abstract whose labels stand in its text; one without label if it does
    not begin with a known one."""
    labels = [found for found in _LABEL.finditer(text) if is_known(found[1])]
    if not labels or labels[0].start() > 0:
        yield AbstractPart("", collapsed(text))
        return
    ends = [*(label.start() for label in labels[1:]), len(text)]
    for label, end in zip(labels, ends, strict=True):
        yield AbstractPart(collapsed(label[1]), collapsed(text[label.end() : end]))


def _title(fields: Fields) -> str:
    return unbracketed(_first(fields, "TI")) or _first(fields, "TT")


def _others(fields: Fields) -> Iterator[tuple[str, str]]:
    """(language, text): the n-th OABL is the language of the n-th OAB."""
    languages = fields.get("OABL", ())
    for number, value in enumerate(fields.get("OAB", ())):
        language = languages[number] if number < len(languages) else "und"
        text = _PROVIDER.sub("", collapsed(value))
        if text and not text.startswith(_NO_TEXT):
            yield language, text


def _is_english_abstract(language: str, text: str) -> bool:
    return language == _ENGLISH and not text.startswith("plain-language")


def _first(fields: Fields, tag: str) -> str:
    return collapsed(next(iter(fields.get(tag, ())), ""))
