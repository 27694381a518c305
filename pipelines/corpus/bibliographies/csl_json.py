"""CSL-JSON, as Pandoc, Zotero and Mendeley write it, and the JSON of Zotero's Better BibTeX.

The former is a list of items; the latter an object with such a list under `items`, with Zotero's
own names of fields and the files that are attached to each.
"""

import json
from collections.abc import Iterator, Mapping
from typing import Any

from citespan.pipelines.corpus.bibliographies.fields import (
    Fields,
    find_year,
    is_file,
    make_reference,
)
from citespan.pipelines.corpus.bibliographies.zotero import make_item
from citespan.pipelines.corpus.identifiers import find_doi, find_pmcid, find_pmid
from citespan.pipelines.corpus.references import Reference, ReferenceList, name_uniquely
from citespan.pipelines.errors import InputError

_NO_ITEMS = ("attachment", "note", "annotation")


def parse_csl_json(data: bytes, source: str) -> ReferenceList:
    """Return the references of a file, and a line for each item that is none.

    Args:
        source: the file's name for messages.

    Raises:
        InputError: if it is not JSON, or has no list of items.
    """
    problems: list[str] = []
    try:
        loaded = json.loads(data)  # orjson reserves eight times the size of a file
    except (ValueError, RecursionError) as error:
        raise InputError(f"not JSON: {error}") from error
    items = loaded.get("items") if isinstance(loaded, dict) else loaded
    if not isinstance(items, list):
        raise InputError("not CSL-JSON, which is a list of items")
    references = tuple(name_uniquely(_parse(items, source, problems)))
    return ReferenceList(references, tuple(problems))


def _parse(items: list[Any], source: str, problems: list[str]) -> Iterator[Reference]:
    for number, item in enumerate(items, 1):
        if not isinstance(item, dict):
            problems.append(f"{source}: item {number} is not an object; it is left out")
        elif item.get("itemType") not in _NO_ITEMS:
            reference = _read_item(item) if "itemType" not in item else _read_zotero_item(item)
            if reference is None:
                problems.append(
                    f"{source}: item {number} has neither a title nor an identifier; it is left out"
                )
            else:
                yield reference


def _read_item(item: dict[str, Any]) -> Reference | None:
    fields = Fields(item)
    return make_reference(
        key=fields.first("id", "citation-key"),
        authors=list(_read_names(item.get("author") or item.get("editor"), "family", "given")),
        title=fields.first("title"),
        year=_read_year(item.get("issued")),
        journal=fields.first("container-title", "collection-title", "publisher"),
        pmid=find_pmid(fields.first("PMID")),
        pmcid=find_pmcid(fields.first("PMCID")),
        written={"pmid": fields.first("PMID"), "doi": fields.first("DOI")},
        doi=find_doi(fields.first("DOI")) or find_doi(fields.first("URL")),
        files=list(_read_files(item)),
        notes=[fields.first("note")],
    )


def _read_zotero_item(item: dict[str, Any]) -> Reference | None:
    creators = item.get("creators")
    authors = [
        one
        for one in (creators if isinstance(creators, list) else ())
        if isinstance(one, dict) and one.get("creatorType") == "author"
    ]
    names = list(_read_names(authors, "lastName", "firstName"))
    key = Fields(item).first("itemKey", "key")
    return make_item(key, item, names, list(_read_files(item)))


def _read_names(names: Any, surname: str, given: str) -> Iterator[str]:
    for name in names if isinstance(names, list) else ():
        if isinstance(name, Mapping):
            fields = Fields(name)
            particle = fields.first("non-dropping-particle")
            last = " ".join(filter(None, (particle, fields.first(surname))))
            whole = ", ".join(filter(None, (last, fields.first(given))))
            yield whole or fields.first("literal", "name")


def _read_year(issued: Any) -> int | None:
    """The first year of a date: {"date-parts": [[2010, 5]]}, {"raw": "May 2010"}, or a text."""
    while isinstance(issued, list):
        issued = issued[0] if issued else None
    if isinstance(issued, Mapping):
        return _read_year(issued.get("date-parts")) or find_year(
            Fields(issued).first("raw", "literal", "year")
        )
    return find_year(str(issued)) if isinstance(issued, str | int) else None


def _read_files(item: Mapping[str, Any]) -> Iterator[str]:
    attached = item.get("attachments")
    paths = [item.get("file"), *(attached if isinstance(attached, list) else ())]
    for path in paths:
        fields = Fields(path if isinstance(path, Mapping) else {"path": path})
        written = fields.first("path", "localPath")
        if is_file(written):
            yield written
