"""EndNote's XML export: `<xml><records><record>…`, text in `<style>` elements.

Files that EndNote keeps are addressed as "internal-pdf://123/name.pdf".
"""

from collections.abc import Iterator
from io import BytesIO

from lxml import etree

from citespan.pipelines.corpus.bibliographies.fields import find_year, is_file, make_reference
from citespan.pipelines.corpus.identifiers import find_doi, find_pmcid, find_pmid
from citespan.pipelines.corpus.paragraphs import collapse_space
from citespan.pipelines.corpus.references import Reference, ReferenceList, name_uniquely
from citespan.pipelines.corpus.xml import (
    WITHOUT_TRUST,
    explain_syntax_error,
    refuse_declared_entities,
    refuse_used_entities,
)
from citespan.pipelines.errors import InputError

_FILES = ("urls/pdf-urls/url", "urls/text-urls/url", "urls/related-urls/url")


def parse_endnote(data: bytes, source: str) -> ReferenceList:
    """Return the references of an export, and a line for each record that is broken and for where
    the file breaks off.

    Args:
        source: the file's name for messages.
    """
    problems: list[str] = []
    references = tuple(name_uniquely(_parse(data, source, problems)))
    return ReferenceList(references, tuple(problems))


def _parse(data: bytes, source: str, problems: list[str]) -> Iterator[Reference]:
    number = 0
    try:
        for _, record in etree.iterparse(BytesIO(data), tag="record", **WITHOUT_TRUST):
            number += 1
            refuse_declared_entities(record)
            refuse_used_entities(record)
            reference = _read_record(record)
            if reference is not None:
                yield reference
            else:
                problems.append(
                    f"{source}: record {number} has neither a title nor an identifier; it is left "
                    "out"
                )
            record.clear()
            while record.getprevious() is not None:
                del record.getparent()[0]
    except etree.XMLSyntaxError as error:
        read = f"; the {number:,} records before that are read" if number else ""
        problems.append(f"{source}: {explain_syntax_error(error)}{read}")
    except InputError as error:
        problems.append(f"{source}: record {number}: {error}; the rest is left out")


def _read_record(record: etree._Element) -> Reference | None:
    accession = _text(record, "accession-num")
    databases = (
        f"{_text(record, 'remote-database-name')} {_text(record, 'remote-database-provider')}"
    )
    in_pubmed = any(name in databases.lower() for name in ("pubmed", "medline", "nlm"))
    custom = _text(record, "custom2")
    links = [link for path in _FILES for link in _texts(record, path)]
    return make_reference(
        key=_text(record, "label") or _text(record, "rec-number"),
        authors=_texts(record, "contributors/authors/author"),
        title=_text(record, "titles/title"),
        year=find_year(_text(record, "dates/year")),
        journal=_text(record, "periodical/full-title")
        or _text(record, "titles/secondary-title")
        or _text(record, "publisher"),
        pmid=find_pmid(accession) if in_pubmed or not databases.strip() else "",
        pmcid=find_pmcid(custom) if custom.upper().startswith("PMC") else "",
        doi=find_doi(_text(record, "electronic-resource-num")),
        files=[link for link in links if is_file(link)],
        notes=_texts(record, "notes"),
    )


def _text(record: etree._Element, path: str) -> str:
    return next(iter(_texts(record, path)), "")


def _texts(record: etree._Element, path: str) -> list[str]:
    found = ("".join(map(str, element.itertext())) for element in record.iterfind(path))
    return [text for text in map(collapse_space, found) if text]
