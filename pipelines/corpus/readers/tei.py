"""TEI as GROBID makes it of PDFs: one article a file.

The text is, in this order: title; abstract; the divisions of the body; annexes. Captions of figures
and tables follow the body, as GROBID has them, and are text of the kind "caption"; cells of tables,
formulas, footnotes and acknowledgements are not text. The id is the file's name without its
endings, since GROBID reads identifiers off the page and may be wrong; the DOI is another name.
"""

import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import cast

from lxml import etree

from citespan.pipelines.corpus.article import Article, Rejected
from citespan.pipelines.corpus.file_reader import FileReader
from citespan.pipelines.corpus.files import read_bytes, read_head
from citespan.pipelines.corpus.identifiers import FINDERS
from citespan.pipelines.corpus.inline_text import (
    InlineText,
    LinkedParagraph,
    extract_text,
    find_links_elsewhere,
    make_article,
    take_in_children,
)
from citespan.pipelines.corpus.paragraphs import Heading, collapse_space
from citespan.pipelines.corpus.publication import Identifiers, Publication, find_year, join_name
from citespan.pipelines.corpus.reader import readers
from citespan.pipelines.corpus.reference_text import read_entry
from citespan.pipelines.corpus.references import Reference, ReferenceList
from citespan.pipelines.corpus.xml import find_child, find_first_tag, local_name, parse

_ID = "{http://www.w3.org/XML/1998/namespace}id"
_KINDS = {"doi": "doi", "pmid": "pmid", "pmcid": "pmcid", "pmc": "pmcid"}


def _read_publication(description: etree._Element | None) -> Publication:
    """Return what the header says of the article; `description` is its `<fileDesc>`."""
    if description is None:
        return Publication()
    source = find_child(description, "sourceDesc", "biblStruct")
    found = _read_entry(source) if source is not None else Publication()
    title = find_child(description, "titleStmt", "title")
    return replace(found, title=(extract_text(title) if title is not None else "") or found.title)


def _read_references(article: etree._Element) -> ReferenceList:
    """Return the references of every list of an article, in order."""
    lists = article.iter("{*}listBibl")
    entries = (entry for part in lists for entry in part.iter("{*}biblStruct"))
    return ReferenceList.of(filter(None, map(_read_reference, entries)))


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
    identifiers: dict[str, str] = {}
    for node in entry.iter("{*}idno"):
        kind = _KINDS.get((node.get("type") or "").lower(), "")
        if kind and (value := FINDERS[kind](node.text or "")):
            identifiers.setdefault(kind, value)
    return Publication(
        authors=tuple(_read_authors(entry)),
        title=title.rstrip("."),
        year=next(filter(None, map(find_year, written)), None),
        journal=of_level.get("j", ""),
        **cast(Identifiers, identifiers),
    )


def _read_authors(entry: etree._Element) -> Iterator[str]:
    for author in entry.iter("{*}author"):
        name = find_child(author, "persName")
        parts: dict[str, list[str]] = {}
        for part in name if name is not None else ():
            parts.setdefault(local_name(part.tag), []).append(extract_text(part))
        surname = " ".join(parts.get("surname", ()))
        if surname:
            yield join_name(surname, " ".join(parts.get("forename", ())))
        elif name is None and (group := extract_text(author)):
            yield group


_ENDINGS = re.compile(r"(?:\.grobid)?(?:\.tei)?\.xml(?:\.gz)?\Z", re.IGNORECASE)
_NOT_TEXT = frozenset(("figure", "formula", "note", "table"))
_PARAGRAPHS = frozenset(("ab", "item", "p", "quote"))


@readers.register
class TeiReader(FileReader):
    """Reads files whose root is `<TEI>`."""

    name = "tei"
    description = "TEI XML that GROBID makes of PDFs, an article a file, also .gz"
    self_contained = True

    def looks_like(self, file: Path) -> bool:
        return find_first_tag(read_head(file)) == "TEI"

    def read_file(self, file: Path, source: str) -> Iterator[Article | Rejected]:
        if not self.looks_like(file) and not _ENDINGS.search(file.name):
            yield Rejected(source, "not TEI XML", "skipped")
            return
        root = parse(read_bytes(file))
        if (name := local_name(root.tag)) == "TEI":
            yield _read_article(root, _ENDINGS.sub("", file.name), source)
        else:
            yield Rejected(source, f"not TEI XML: the root element is <{name}>", "skipped")


def _read_article(root: etree._Element, name: str, source: str) -> Article | Rejected:
    publication = _read_publication(find_child(root, "teiHeader", "fileDesc"))
    linked: list[etree._Element] = []
    paragraphs = list(_read_paragraphs(root, linked))
    if not any(paragraph.text for paragraph in paragraphs):
        reason = "no text: GROBID has found none, as in the scan of a page; recognise it first"
        return Rejected(source, reason, "skipped")
    identifiers = (publication.doi, publication.pmid, publication.pmcid)
    return make_article(
        name,
        source,
        publication,
        paragraphs,
        _read_references(root),
        also_known_as=tuple(known for known in identifiers if known not in ("", name)),
        links_elsewhere=find_links_elsewhere(root, linked),
    )


def _read_paragraphs(
    root: etree._Element, linked: list[etree._Element]
) -> Iterator[LinkedParagraph]:
    abstract = find_child(root, "teiHeader", "profileDesc", "abstract")
    if abstract is not None:
        yield from _read_part(abstract, Heading("Abstract", "abstract"), linked)
    body = find_child(root, "text", "body")
    if body is not None:
        yield from _read_part(body, Heading(""), linked)
        yield from _read_captions(body, linked)
    back = find_child(root, "text", "back")
    for part in back if back is not None else ():
        if part.get("type") == "annex":
            yield from _read_part(part, Heading("Annex"), linked)


def _read_part(
    part: etree._Element, heading: Heading, linked: list[etree._Element]
) -> Iterator[LinkedParagraph]:
    """Yield the paragraphs of a part of the text and of its divisions, in order."""
    waiting = [(part, heading)]
    while waiting:
        node, heading = waiting.pop()
        name = local_name(node.tag)
        if name in _PARAGRAPHS:
            yield _read_paragraph(node, heading, linked)
            continue
        head = find_child(node, "head")
        if head is not None and node is not part:
            title = extract_text(head)
            heading = heading.below(title) if title else heading
        inside = [child for child in node if local_name(child.tag) not in (*_NOT_TEXT, "head")]
        waiting.extend((child, heading) for child in reversed(inside))


def _read_captions(body: etree._Element, linked: list[etree._Element]) -> Iterator[LinkedParagraph]:
    for figure in body.iter("{*}figure"):
        head, described = find_child(figure, "head"), find_child(figure, "figDesc")
        title = extract_text(head).rstrip(" .:") if head is not None else ""
        if described is not None:
            yield _read_paragraph(described, Heading(title, "caption"), linked)


def _read_paragraph(
    node: etree._Element, heading: Heading, linked: list[etree._Element]
) -> LinkedParagraph:
    text = InlineText(linked)
    text.add(node.text)
    take_in_children(node, text, _NOT_TEXT)
    return LinkedParagraph(heading, *text.take_linked())
