"""EndNote's XML export: `<xml><records><record>…`, text in `<style>` elements.

Files that EndNote keeps are addressed as "internal-pdf://123/name.pdf".
"""

from collections.abc import Iterator
from io import BytesIO

from lxml import etree

from citespan.pipelines.corpus.bibliographies.fields import is_file, make_reference
from citespan.pipelines.corpus.paragraphs import collapse_space
from citespan.pipelines.corpus.publication import find_year
from citespan.pipelines.corpus.references import Reference
from citespan.pipelines.corpus.xml import (
    WITHOUT_TRUST,
    explain_syntax_error,
    forget,
    refuse_declared_entities,
    refuse_used_entities,
)
from citespan.pipelines.errors import InputError

_FILES = ("urls/pdf-urls/url", "urls/text-urls/url", "urls/related-urls/url")


def parse_endnote(data: bytes, source: str) -> Iterator[Reference | str]:
    """Yield the references of an export, and a line for each record that is broken and for where
    the file breaks off.

    Args:
        source: the file's name for messages.
    """
    number = 0
    try:
        for _, record in etree.iterparse(BytesIO(data), tag="record", **WITHOUT_TRUST):
            number += 1
            refuse_declared_entities(record)
            refuse_used_entities(record)
            yield _read_record(record, f"{source}: record {number}")
            forget(record)
    except etree.XMLSyntaxError as error:
        read = f"; the {number:,} records before that are read" if number else ""
        yield f"{source}: {explain_syntax_error(error)}{read}"
    except InputError as error:
        yield f"{source}: record {number}: {error}; the rest is left out"


def _read_record(record: etree._Element, place: str) -> Reference | str:
    databases = " ".join(_text(record, f"remote-database-{part}") for part in ("name", "provider"))
    in_pubmed = any(name in databases.lower() for name in ("pubmed", "medline", "nlm"))
    custom = _text(record, "custom2")
    links = [link for path in _FILES for link in _texts(record, path)]
    return make_reference(
        place,
        {
            "pmid": _text(record, "accession-num") if in_pubmed or not databases.strip() else "",
            "pmcid": custom if custom.upper().startswith("PMC") else "",
            "doi": _text(record, "electronic-resource-num"),
        },
        key=_text(record, "label") or _text(record, "rec-number"),
        authors=_texts(record, "contributors/authors/author"),
        title=_text(record, "titles/title"),
        year=find_year(_text(record, "dates/year")),
        journal=_text(record, "periodical/full-title")
        or _text(record, "titles/secondary-title")
        or _text(record, "publisher"),
        files=filter(is_file, links),
        notes=_texts(record, "notes"),
    )


def _text(record: etree._Element, path: str) -> str:
    return next(iter(_texts(record, path)), "")


def _texts(record: etree._Element, path: str) -> list[str]:
    found = ("".join(map(str, element.itertext())) for element in record.iterfind(path))
    return [text for text in map(collapse_space, found) if text]
