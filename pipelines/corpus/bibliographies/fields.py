"""What the formats of reference managers share: how their fields make a reference."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import unescape
from types import MappingProxyType
from typing import Any

from citespan.pipelines.corpus.identifiers import find_doi, find_pmcid, find_pmid
from citespan.pipelines.corpus.paragraphs import collapse_space
from citespan.pipelines.corpus.publication import Publication
from citespan.pipelines.corpus.references import Reference

_YEAR = re.compile(r"(?<!\d)(?:1[5-9]|20)\d\d(?!\d)")
_ADDRESS = re.compile(r"(?!file:|internal-pdf:)[a-z][a-z0-9+.-]{1,20}:", re.IGNORECASE)
_NOTE = re.compile(r"(PMID|PMCID|DOI|Citation Key|citekey)[^\S\n]*:[^\S\n]*(\S+)", re.IGNORECASE)
_MARKUP = re.compile(r"</?(?:i|b|u|em|strong|sub|sup|span|sc)\b[^<>]{0,200}>", re.IGNORECASE)
_LONGEST_NOTE = 20_000


@dataclass(frozen=True, slots=True)
class Fields:
    """The fields of an entry, by name."""

    values: Mapping[str, Any]

    def first(self, *names: str) -> str:
        """Return the first of these that is there, as text; "" for none."""
        for name in names:
            value = self.values.get(name)
            if isinstance(value, str | int) and not isinstance(value, bool) and str(value).strip():
                return str(value).encode("utf-8", "replace").decode()  # JSON has half characters
        return ""


def find_year(written: str) -> int | None:
    """Return the first year in a date."""
    found = _YEAR.search(written[:100])
    return int(found[0]) if found else None


def is_file(link: str) -> bool:
    """Whether a link leads to a file of this machine, and not to a page."""
    return bool(link.strip()) and not _ADDRESS.match(link.strip())


def make_reference(
    *,
    key: str,
    authors: Sequence[str],
    title: str,
    year: int | None,
    journal: str,
    pmid: str,
    pmcid: str,
    doi: str,
    written: Mapping[str, str] = MappingProxyType({}),
    files: Sequence[str] = (),
    notes: Sequence[str] = (),
) -> Reference | None:
    """Return an entry as a reference; None if it has neither a title nor an identifier.

    Args:
        key: what the manuscript cites it by; "" for its number in the file.
        authors: each as "Surname, Given names".
        written: identifiers as the fields have them, by kind, which may be none.
        notes: free text that may name identifiers, a line each ("PMID: 12"), as Zotero's "Extra".
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
        pmid=pmid or find_pmid(named.get("pmid", "")),
        pmcid=pmcid or find_pmcid(named.get("pmcid", "")),
        doi=doi or find_doi(named.get("doi", "")),
    )
    if not publication.title and not publication.identifiers:
        return None
    key = collapse_space(key or named.get("citation key", "") or named.get("citekey", ""))
    return Reference.of(key, publication, files=tuple(files), written=written)
