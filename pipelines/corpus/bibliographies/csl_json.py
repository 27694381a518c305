"""CSL-JSON, as Pandoc, Zotero and Mendeley write it, and the JSON of Zotero's Better BibTeX.

The former is a list of items; the latter an object with such a list under `items`, with Zotero's
own names of fields and the files that are attached to each.
"""

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from citespan.pipelines.corpus.bibliographies.fields import find_text, is_file, make_reference
from citespan.pipelines.corpus.bibliographies.zotero import make_item
from citespan.pipelines.corpus.publication import find_year, join_name
from citespan.pipelines.corpus.references import Reference
from citespan.pipelines.errors import InputError

_NO_ITEMS = ("attachment", "note", "annotation")


def parse_csl_json(data: bytes, source: str) -> Iterator[Reference | str]:
    """Yield the references of a file, and a line for each item that is none.

    Args:
        source: the file's name for messages.

    Raises:
        InputError: if it is not JSON, or has no list of items.
    """
    try:
        loaded = json.loads(data)  # orjson reserves eight times the size of a file
    except (ValueError, RecursionError) as error:
        raise InputError(f"not JSON: {error}") from error
    items = loaded.get("items") if isinstance(loaded, dict) else loaded
    if not isinstance(items, list):
        raise InputError("not CSL-JSON, which is a list of items")
    yield from read_items(items, source)


def read_items(items: Iterable[Any], source: str) -> Iterator[Reference | str]:
    """Yield the references of a list of items, and a line for each item that is none.

    Args:
        source: what messages call the list.
    """
    for number, item in enumerate(items, 1):
        place = f"{source}: item {number}"
        if not isinstance(item, dict):
            yield f"{place} is not an object; it is left out"
        elif "itemType" not in item:
            yield _read_item(item, place)
        elif item["itemType"] not in _NO_ITEMS:
            yield _read_zotero_item(item, place)


def _read_item(item: dict[str, Any], place: str) -> Reference | str:
    return make_reference(
        place,
        {kind.lower(): find_text(item, kind) for kind in ("PMID", "PMCID", "DOI")},
        key=find_text(item, "id", "citation-key"),
        authors=list(_read_names(item.get("author") or item.get("editor"), "family", "given")),
        title=find_text(item, "title"),
        year=_read_year(item.get("issued")),
        journal=find_text(item, "container-title", "collection-title", "publisher"),
        pages=[find_text(item, "URL")],
        files=_read_files(item),
        notes=[find_text(item, "note")],
        shown=("pmid", "doi"),
    )


def _read_zotero_item(item: dict[str, Any], place: str) -> Reference | str:
    creators = item.get("creators")
    authors = [
        creator
        for creator in (creators if isinstance(creators, list) else ())
        if isinstance(creator, dict) and creator.get("creatorType") == "author"
    ]
    names = list(_read_names(authors, "lastName", "firstName"))
    return make_item(place, find_text(item, "itemKey", "key"), item, names, _read_files(item))


def _read_names(names: Any, surname: str, given: str) -> Iterator[str]:
    for name in names if isinstance(names, list) else ():
        if isinstance(name, Mapping):
            particle = find_text(name, "non-dropping-particle")
            last = " ".join(filter(None, (particle, find_text(name, surname))))
            whole = join_name(last, find_text(name, given))
            yield whole or find_text(name, "literal", "name")


def _read_year(issued: Any) -> int | None:
    """The first year of a date: {"date-parts": [[2010, 5]]}, {"raw": "May 2010"}, or a text."""
    while isinstance(issued, list):
        issued = issued[0] if issued else None
    if isinstance(issued, Mapping):
        return _read_year(issued.get("date-parts")) or find_year(
            find_text(issued, "raw", "literal", "year")
        )
    return find_year(str(issued)) if isinstance(issued, str | int) else None


def _read_files(item: Mapping[str, Any]) -> Iterator[str]:
    attached = item.get("attachments")
    for path in [item.get("file"), *(attached if isinstance(attached, list) else ())]:
        fields = path if isinstance(path, Mapping) else {"path": path}
        written = find_text(fields, "path", "localPath")
        if is_file(written):
            yield written
