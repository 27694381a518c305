"""The front matter of a JATS article: title, identifiers, authors, year and journal."""

import re
from itertools import islice

from lxml import etree

from citespan.pipelines.corpus.identifiers import find_doi, find_pmcid, find_pmid
from citespan.pipelines.corpus.inline_text import extract_text
from citespan.pipelines.corpus.publication import Publication
from citespan.pipelines.corpus.xml import find_child, local_name

_PMC = re.compile(r"(?:PMC)?(\d+)(?:\.\d+)?", re.IGNORECASE)
_PMC_STEM = re.compile(r"PMC(\d+)", re.IGNORECASE)
_NOT_IN_TITLE = frozenset(("fn", "xref"))
_YEAR = re.compile(r"\d{4}")
# Reference lists name the year of the issue rather than that of the first publication online.
_DATES = ("ppub", "collection", "epub-ppub", "epub", "pub", "epreprint", "")
_JOURNAL_TITLES = ("journal-title", "abbrev-journal-title", "journal-id")


def read_title(meta: etree._Element | None) -> str:
    """Return the title and subtitle that `<article-meta>` has, without notes."""
    group = find_child(meta, "title-group") if meta is not None else None
    if group is None:
        return ""
    written = (find_child(group, name) for name in ("article-title", "subtitle"))
    return ": ".join(
        filter(None, (extract_text(t, _NOT_IN_TITLE) for t in written if t is not None))
    )


def find_identifiers(meta: etree._Element | None, stem: str) -> list[str]:
    """Return all identifiers, the one to go by first."""
    written = {
        c.get("pub-id-type", ""): (c.text or "").strip()
        for c in (meta if meta is not None else ())
        if local_name(c.tag) == "article-id"
    }
    pmc = _PMC.fullmatch(written.pop("pmc", "") or written.pop("pmcid", ""))
    stem_pmc = _PMC_STEM.match(stem)
    best = [f"PMC{m[1]}" for m in (pmc, stem_pmc) if m]
    best += [written.pop(kind, "") for kind in ("pmid", "doi")]
    return list(dict.fromkeys(filter(None, [*best, stem, *written.values()])))


def read_publication(root: etree._Element, title: str, identifiers: list[str]) -> Publication:
    """Return what the front matter says of an article.

    Args:
        title: as `read_title` gives it.
        identifiers: as `find_identifiers` gives them.
    """
    front = find_child(root, "front")
    meta = find_child(front, "article-meta") if front is not None else None
    if front is None or meta is None:
        return Publication(title=title)
    written = {
        node.get("pub-id-type", ""): node.text or "" for node in meta.iterchildren("{*}article-id")
    }
    return Publication(
        authors=tuple(_read_authors(meta)),
        title=title,
        year=_read_year(meta),
        journal=_read_journal(front),
        pmid=find_pmid(written.get("pmid", "")),
        pmcid=find_pmcid(identifiers[0]) if identifiers[0].startswith("PMC") else "",
        doi=find_doi(written.get("doi", "")),
    )


def _read_authors(meta: etree._Element) -> list[str]:
    authors = []
    for group in meta.iterchildren("{*}contrib-group"):
        for contributor in group.iterchildren("{*}contrib"):
            if contributor.get("contrib-type", "author") == "author":
                authors += [read_name(node) for node in islice(contributor.iter(*NAMES), 1)]
    return [author for author in authors if author]


NAMES = ("{*}name", "{*}string-name", "{*}collab")
"""Elements that name an author."""


def read_name(node: etree._Element) -> str:
    """Return an author as "Surname, Given names", or the name of a group."""
    parts: dict[str, etree._Element] = {}
    for child in node:
        parts.setdefault(local_name(child.tag), child)
    if "surname" not in parts:
        return extract_text(node, _NOT_IN_TITLE | {"contrib-group"})
    surname = extract_text(parts["surname"])
    given = extract_text(parts["given-names"]) if "given-names" in parts else ""
    return join_name(surname, given)


def join_name(surname: str, given: str) -> str:
    """Return an author as "Surname, Given names"; either may be ""."""
    return f"{surname}, {given}" if surname and given else surname or given


def _read_year(meta: etree._Element) -> int | None:
    years: dict[str, int] = {}
    for date in meta.iterchildren("{*}pub-date"):
        year = find_child(date, "year")
        found = _YEAR.search(year.text or "") if year is not None else None
        kind = date.get("pub-type") or date.get("date-type") or ""
        if found and "release" not in kind:
            years.setdefault(kind, int(found[0]))
    return next((years[kind] for kind in _DATES if kind in years), next(iter(years.values()), None))


def _read_journal(front: etree._Element) -> str:
    meta = find_child(front, "journal-meta")
    nodes = {local_name(node.tag): node for node in meta.iter()} if meta is not None else {}
    return next((extract_text(nodes[name]) for name in _JOURNAL_TITLES if name in nodes), "")
