"""Medline in XML: NLM's baseline and update files, and what PubMed exports as XML.

A file holds `<PubmedArticle>` or `<MedlineCitation>` records and, in update files, lists of
citations to be deleted. The abstract is English; further ones (`<OtherAbstract>`) are kept apart,
and an English one among them is used where there is no other.
"""

import re
from collections.abc import Iterator
from functools import partial
from io import BufferedIOBase
from pathlib import Path
from typing import cast

from lxml import etree

from citespan.pipelines.corpus.abstract import (
    YEAR,
    Abstract,
    AbstractPart,
    AbstractReading,
    Deletion,
    lay_out_abstract,
    remove_brackets,
)
from citespan.pipelines.corpus.article import Rejected
from citespan.pipelines.corpus.file_reader import AbstractFileReader, count_records, find_records
from citespan.pipelines.corpus.files import STANDARD_INPUT, read_head
from citespan.pipelines.corpus.identifiers import is_pmid
from citespan.pipelines.corpus.inline_text import extract_text
from citespan.pipelines.corpus.notices import NoticeFields, read_notices
from citespan.pipelines.corpus.paragraphs import collapse_space
from citespan.pipelines.corpus.publication import Publication, join_name
from citespan.pipelines.corpus.reader import Record, readers
from citespan.pipelines.corpus.section_categories import category_of
from citespan.pipelines.corpus.xml import (
    WITHOUT_TRUST,
    BadXmlError,
    explain_syntax_error,
    find_first_tag,
    forget,
    refuse_declared_entities,
    refuse_used_entities,
)

RECORDS = ("PubmedArticle", "MedlineCitation", "PubmedBookArticle")
DELETIONS = "DeleteCitation"
ROOTS = ("PubmedArticleSet", "MedlineCitationSet", "PubmedArticle", "MedlineCitation")

_CHUNK = 1 << 18
_LONGEST_RECORD = 16 << 20
_RECORD_START = re.compile(rb"<(?:MedlineCitation|PubmedBookArticle)[\s>]")
_LONGEST_START = 20


def read_elements(file: BufferedIOBase) -> Iterator[etree._Element]:
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
        failure = None
        try:
            parser.feed(chunk)
        except etree.XMLSyntaxError as error:
            failure = error  # the records before it come first
        for _, found in parser.read_events():
            element = cast(etree._Element, found)
            parent = element.getparent()
            if parent is None or parent.tag not in RECORDS:
                refuse_declared_entities(element)
                since_record = 0
                yield element
                forget(element)
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


def count_elements(file: BufferedIOBase) -> int:
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


_ENDINGS = (".xml", ".xml.gz")


@readers.register
class MedlineReader(AbstractFileReader):
    """Reads records one by one; where a file breaks off, what came before stays."""

    name = "medline"
    description = "Medline XML of NLM or PubMed, also .gz; goes to the index of abstracts"

    def looks_like(self, file: Path) -> bool:
        return find_first_tag(read_head(file)) in ROOTS

    def count(self, unit: Path) -> int:
        return count_records(unit, count_elements)

    def find_abstracts(self, file: Path, source: str) -> Iterator[Record[AbstractReading]]:
        root = find_first_tag(read_head(file))
        named_so = file == STANDARD_INPUT or file.name.lower().endswith(_ENDINGS)
        if root not in ROOTS and (root or not named_so):
            detail = f": the root element is <{root}>" if root else ""
            yield Record.of(source, Rejected(source, f"not Medline XML{detail}", "skipped"))
            return
        yield from find_records(file, source, lambda content: _records(content, source))


def _records(file: BufferedIOBase, source: str) -> Iterator[Record[AbstractReading]]:
    number = 0
    for element in read_elements(file):
        if element.tag == DELETIONS:
            for deletion in parse_deletions(element, source):
                yield Record.of(deletion.source, deletion)
        else:
            number += 1
            parse = partial(parse_citation, element, source, number)
            yield Record(f"{source}: record {number}", parse, listed=True)


_YEAR_NUMBER = re.compile(r"[0-9]{4}")
_TWO_DIGITS = re.compile(r"[0-9]{1,2}")
_ENGLISH = "eng"


def parse_citation(record: etree._Element, source: str, number: int) -> Abstract | Rejected:
    """Return the abstract of a `<PubmedArticle>` or a `<MedlineCitation>`.

    Args:
        number: of the record in its file, for messages about one that has no PMID.
    """
    citation = record if record.tag == "MedlineCitation" else record.find("MedlineCitation")
    if citation is None:
        kind = "a book chapter" if record.tag == "PubmedBookArticle" else "no MedlineCitation"
        return Rejected(f"{source}: record {number}", f"{kind}, not a Medline citation", "skipped")
    pmid = _text(citation, "PMID")
    if not is_pmid(pmid):
        return Rejected(f"{source}: record {number}", f"PMID '{pmid[:40]}' is not a number")
    source = f"{source}: PMID {pmid}"
    try:
        refuse_used_entities(record)
    except BadXmlError as error:
        return Rejected(source, str(error))
    article = citation.find("Article")
    others = list(_others(citation))
    parts = _parts(article.find("Abstract")) if article is not None else []
    if not any(part.text for part in parts):
        # Where NLM has no abstract of its own, one by the publisher or an agency may be in
        # English; a summary in plain language is no abstract.
        english = next((o for o in others if _is_english_abstract(o)), None)
        if english is not None:
            parts = _parts(english)
            others.remove(english)
    return lay_out_abstract(
        Abstract(
            id=pmid,
            text="",
            title=_title(article),
            source=source,
            also_known_as=_identifiers(record, citation, pmid),
            version=_number(citation.find("PMID"), "Version") or 1,
            revised=_day(citation.find("DateRevised")),
            year=_year(article),
            mesh=_texts(citation, "MeshHeadingList/MeshHeading/DescriptorName"),
            languages=_texts(article, "Language"),
            publication_types=_texts(article, "PublicationTypeList/PublicationType"),
            publication=Publication(
                authors=tuple(_authors(article)),
                journal=_text(article, "Journal/Title"),
                **find_notices(citation),
            ),
        ),
        parts,
        [(o.get("Language", "und"), " ".join(p.text for p in _parts(o))) for o in others],
    )


def find_notices(citation: etree._Element) -> NoticeFields:
    """Return what a `<MedlineCitation>` tells of retractions, corrections and concerns."""
    types = _texts(citation, "Article/PublicationTypeList/PublicationType")
    related = []
    for note in citation.iterfind("CommentsCorrectionsList/CommentsCorrections"):
        pmid = _text(note, "PMID").lstrip("0")
        related.append((note.get("RefType", ""), [f"pmid:{pmid}"] if is_pmid(pmid) else []))
    return read_notices(types, related, _title(citation.find("Article")))


def parse_deletions(deleted: etree._Element, source: str) -> Iterator[Deletion | Rejected]:
    """Yield all PMIDs of a `<DeleteCitation>`."""
    for number, element in enumerate(deleted.iterfind("PMID"), 1):
        pmid = collapse_space(element.text or "")
        if is_pmid(pmid):
            yield Deletion(pmid, f"{source}: PMID {pmid}", _number(element, "Version") or 1)
        else:
            place = f"{source}: DeleteCitation, {number}"
            yield Rejected(place, f"PMID '{pmid[:40]}' is not a number")


def _title(article: etree._Element | None) -> str:
    """Return the vernacular one where Medline has no other."""
    if article is None:
        return ""
    title = remove_brackets(_inline(article.find("ArticleTitle")))
    return title or _inline(article.find("VernacularTitle"))


def _authors(article: etree._Element | None) -> Iterator[str]:
    for author in article.iterfind("AuthorList/Author") if article is not None else ():
        surname = _text(author, "LastName")
        given = _text(author, "ForeName") or _text(author, "Initials")
        named = join_name(surname, given) if surname else _text(author, "CollectiveName")
        if named:
            yield named


def _parts(abstract: etree._Element | None) -> list[AbstractPart]:
    if abstract is None:
        return []
    return [
        AbstractPart(
            collapse_space(part.get("Label", "")),
            _inline(part),
            category_of(part.get("NlmCategory")),
        )
        for part in abstract.iterfind("AbstractText")
    ]


def _others(citation: etree._Element) -> Iterator[etree._Element]:
    for other in citation.iterfind("OtherAbstract"):
        if any(part.text for part in _parts(other)):
            yield other


def _is_english_abstract(other: etree._Element) -> bool:
    return other.get("Language", _ENGLISH) == _ENGLISH and not other.get("Type", "").startswith(
        "plain-language"
    )


def _year(article: etree._Element | None) -> int | None:
    """Of the journal's issue, also from a MedlineDate ("1998 Dec-1999 Jan": the first); else of
    the electronic publication."""
    if article is None:
        return None
    for place in ("Journal/JournalIssue/PubDate", "ArticleDate"):
        date = article.find(place)
        for name in ("Year", "MedlineDate") if date is not None else ():
            named = YEAR.search(_text(date, name))
            if named:
                return int(named[1])
    return None


def _day(date: etree._Element | None) -> str:
    if date is None:
        return ""
    year, month, day = (_text(date, name) for name in ("Year", "Month", "Day"))
    if not _YEAR_NUMBER.fullmatch(year):
        return ""
    parts = (part if _TWO_DIGITS.fullmatch(part) else "01" for part in (month, day))
    return "-".join((year, *(f"{part:0>2}" for part in parts)))


def _identifiers(record: etree._Element, citation: etree._Element, pmid: str) -> tuple[str, ...]:
    """PMC id and DOI, from wherever a record has them."""
    found = [
        *_of_kind(record, "PubmedData/ArticleIdList/ArticleId", "IdType", ("pmc", "doi")),
        *_of_kind(citation, "Article/ELocationID", "EIdType", ("doi",)),
        *(t for t in _texts(citation, "OtherID") if t.startswith("PMC")),
    ]
    return tuple(dict.fromkeys(name for name in found if name != pmid))


def _of_kind(
    element: etree._Element, path: str, attribute: str, kinds: tuple[str, ...]
) -> Iterator[str]:
    for found in element.iterfind(path):
        name = collapse_space(found.text or "")
        if name and found.get(attribute) in kinds:
            yield name


def _inline(element: etree._Element | None) -> str:
    return extract_text(element) if element is not None else ""


def _text(element: etree._Element | None, path: str) -> str:
    return collapse_space(element.findtext(path) or "") if element is not None else ""


def _texts(element: etree._Element | None, path: str) -> tuple[str, ...]:
    if element is None:
        return ()
    texts = (collapse_space(found.text or "") for found in element.iterfind(path))
    return tuple(dict.fromkeys(text for text in texts if text))


def _number(element: etree._Element | None, attribute: str) -> int | None:
    written = element.get(attribute, "") if element is not None else ""
    return int(written) if re.fullmatch(r"[0-9]{1,6}", written) else None
