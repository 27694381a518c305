"""What the formats of reference managers share: how their fields make a reference."""

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from html import unescape
from typing import Any

from citespan.pipelines.corpus.identifiers import find_doi, read_identifiers
from citespan.pipelines.corpus.paragraphs import collapse_space
from citespan.pipelines.corpus.publication import Publication
from citespan.pipelines.corpus.references import Reference

_ADDRESS = re.compile(r"(?!file:|internal-pdf:)[a-z][a-z0-9+.-]{1,20}:", re.IGNORECASE)
_NOTE = re.compile(r"(PMID|PMCID|DOI|Citation Key|citekey)[^\S\n]*:[^\S\n]*(\S+)", re.IGNORECASE)
_MARKUP = re.compile(r"</?(?:i|b|u|em|strong|sub|sup|span|sc)\b[^<>]{0,200}>", re.IGNORECASE)
_LONGEST_NOTE = 20_000


def find_text(fields: Mapping[str, Any], *names: str) -> str:
    """Return the first of the fields of these names that is not empty, as text; "" for none."""
    for name in names:
        value = fields.get(name)
        if isinstance(value, str | int) and not isinstance(value, bool) and str(value).strip():
            return str(value).encode("utf-8", "replace").decode()  # JSON has half characters
    return ""


def is_file(link: str) -> bool:
    """Whether a link leads to a file of this machine, and not to a page."""
    return bool(link.strip()) and not _ADDRESS.match(link.strip())


def make_reference(
    place: str,
    written: Mapping[str, str],
    *,
    key: str,
    authors: Sequence[str],
    title: str,
    year: int | None,
    journal: str,
    pages: Iterable[str] = (),
    files: Iterable[str],
    notes: Sequence[str],
    other_key: str = "",
    shown: Collection[str] = ("doi",),
) -> Reference | str:
    """Return an entry as a reference; a line if it has neither a title nor an identifier.

    Args:
        place: what the line calls the entry.
        written: identifiers as the fields have them, by kind, which may be none.
        key: what the manuscript cites it by; "" for what notes say, else `other_key`, else its
            number in the file.
        authors: each as "Surname, Given names".
        pages: addresses, one of which may be that of the DOI.
        notes: free text that may name identifiers, a line each ("PMID: 12"), as Zotero's "Extra".
        shown: kinds of identifiers that the text shows if they are none.
    """
    named = {
        name.lower(): value
        for note in reversed(notes)
        for name, value in _NOTE.findall(note[:_LONGEST_NOTE])
    }
    publication = Publication(
        authors=tuple(filter(None, map(collapse_space, authors))),
        title=collapse_space(unescape(_MARKUP.sub("", title))).rstrip("."),
        year=year,
        journal=collapse_space(journal),
        **read_identifiers(written),
    )
    linked = {"doi": next(filter(find_doi, pages), "")}
    for others in (linked, named):
        publication = publication.complete(Publication(**read_identifiers(others)))
    if not publication.title and not publication.identifiers:
        return f"{place} has neither a title nor an identifier; it is left out"
    key = collapse_space(key or named.get("citation key", "") or named.get("citekey", ""))
    unread = {kind: written.get(kind, "") for kind in shown}
    return Reference.of(key or other_key, publication, files=tuple(files), unread=unread)
