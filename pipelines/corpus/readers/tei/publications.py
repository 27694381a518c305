"""What GROBID's TEI says of an article, and of the entries of its reference list."""

import re
from collections.abc import Iterator
from dataclasses import replace

from lxml import etree

from citespan.pipelines.corpus.identifiers import find_doi, find_pmcid, find_pmid
from citespan.pipelines.corpus.inline_text import extract_text
from citespan.pipelines.corpus.paragraphs import collapse_space
from citespan.pipelines.corpus.publication import Publication
from citespan.pipelines.corpus.reference_text import read_entry
from citespan.pipelines.corpus.references import Reference, ReferenceList, name_uniquely
from citespan.pipelines.corpus.xml import find_child, local_name

_ID = "{http://www.w3.org/XML/1998/namespace}id"
_YEAR = re.compile(r"(?:1[5-9]|20)\d\d")
_IDENTIFIERS = {
    "doi": ("doi", find_doi),
    "pmid": ("pmid", find_pmid),
    "pmcid": ("pmcid", find_pmcid),
    "pmc": ("pmcid", find_pmcid),
}


def read_publication(description: etree._Element | None) -> Publication:
    """Return what the header says of the article; `description` is its `<fileDesc>`."""
    if description is None:
        return Publication()
    source = find_child(description, "sourceDesc", "biblStruct")
    found = _read_entry(source) if source is not None else Publication()
    title = find_child(description, "titleStmt", "title")
    return replace(found, title=(extract_text(title) if title is not None else "") or found.title)


def read_references(article: etree._Element) -> ReferenceList:
    """Return the references of every list of an article, in order."""
    lists = article.iter("{*}listBibl")
    entries = (entry for part in lists for entry in part.iter("{*}biblStruct"))
    return ReferenceList(tuple(name_uniquely(filter(None, map(_read_reference, entries)))))


def _read_reference(entry: etree._Element) -> Reference | None:
    name = entry.get(_ID) or ""
    notes = (note for note in entry.iter("{*}note") if note.get("type") == "raw_reference")
    raw = next((extract_text(note) for note in notes), "")
    text = raw or collapse_space(" ".join(map(str, entry.itertext())))
    found = _read_entry(entry)
    if not found.title and raw:
        found = read_entry(raw)
    return Reference(name, (name,) if name else (), "", text, found) if text else None


def _read_entry(entry: etree._Element) -> Publication:
    titles = {(t.get("level"), t.get("type")): extract_text(t) for t in entry.iter("{*}title")}
    of_level = {level: title for (level, _), title in reversed(titles.items()) if title}
    title = titles.get(("a", "main")) or of_level.get("a") or of_level.get("m", "")
    dates = [*entry.iter("{*}date")]
    written = [date.get("when") or extract_text(date) for date in dates]
    years = [year[0] for text in written if (year := _YEAR.search(text))]
    identifiers: dict[str, str] = {}
    for node in entry.iter("{*}idno"):
        kind = _IDENTIFIERS.get((node.get("type") or "").lower())
        if kind is not None and (value := kind[1](node.text or "")):
            identifiers.setdefault(kind[0], value)
    return Publication(
        authors=tuple(_read_authors(entry)),
        title=title.rstrip("."),
        year=int(years[0]) if years else None,
        journal=of_level.get("j", ""),
        **identifiers,
    )


def _read_authors(entry: etree._Element) -> Iterator[str]:
    for author in entry.iter("{*}author"):
        name = find_child(author, "persName")
        parts: dict[str, list[str]] = {}
        for part in name if name is not None else ():
            parts.setdefault(local_name(part.tag), []).append(extract_text(part))
        surname = " ".join(parts.get("surname", ()))
        if surname:
            given = " ".join(parts.get("forename", ()))
            yield f"{surname}, {given}" if given else surname
        elif name is None and (group := extract_text(author)):
            yield group
