"""TEI as GROBID makes it of PDFs: one article a file.

The text is, in this order: title; abstract; the divisions of the body; annexes. Captions of figures
and tables follow the body, as GROBID has them, and are text of the kind "caption"; cells of tables,
formulas, footnotes and acknowledgements are not text. The id is the file's name without its
endings, since GROBID reads identifiers off the page and may be wrong; the DOI is another name.
"""

import re
from collections.abc import Iterator
from pathlib import Path

from lxml import etree

from citespan.pipelines.corpus.article import Article, Rejected
from citespan.pipelines.corpus.file_reader import FileReader
from citespan.pipelines.corpus.files import read_bytes, read_head
from citespan.pipelines.corpus.inline_text import InlineText, extract_text, take_in_children
from citespan.pipelines.corpus.linked_paragraphs import (
    LinkedParagraph,
    find_links_elsewhere,
    place_links,
)
from citespan.pipelines.corpus.paragraphs import Heading, lay_out
from citespan.pipelines.corpus.reader import readers
from citespan.pipelines.corpus.readers.tei.publications import read_publication, read_references
from citespan.pipelines.corpus.xml import find_child, find_first_tag, local_name, parse
from citespan.pipelines.errors import InputError

_ENDINGS = re.compile(r"(?:\.grobid)?(?:\.tei)?\.xml(?:\.gz)?\Z", re.IGNORECASE)
_NOT_TEXT = frozenset(("figure", "formula", "note", "table"))
_PARAGRAPHS = frozenset(("ab", "item", "p", "quote"))


@readers.register
class TeiReader(FileReader):
    """Reads files whose root is `<TEI>`."""

    name = "tei"
    description = "TEI XML that GROBID makes of PDFs, an article a file, also .gz"

    def looks_like(self, file: Path) -> bool:
        return find_first_tag(read_head(file)) == "TEI"

    def read_file(self, file: Path, source: str) -> Iterator[Article | Rejected]:
        if not self.looks_like(file) and not _ENDINGS.search(file.name):
            yield Rejected(source, "not TEI XML", "skipped")
            return
        try:
            root = parse(read_bytes(file))
        except InputError as error:
            yield Rejected(source, str(error))
            return
        name = local_name(root.tag)
        if name != "TEI":
            yield Rejected(source, f"not TEI XML: the root element is <{name}>", "skipped")
            return
        yield _article(root, _ENDINGS.sub("", file.name), source)


def _article(root: etree._Element, name: str, source: str) -> Article | Rejected:
    publication = read_publication(find_child(root, "teiHeader", "fileDesc"))
    linked: list[etree._Element] = []
    paragraphs = list(_read_paragraphs(root, linked))
    if not any(paragraph.text for paragraph in paragraphs):
        reason = "no text: GROBID has found none, as in the scan of a page; recognise it first"
        return Rejected(source, reason, "skipped")
    paragraphs.insert(0, LinkedParagraph(Heading("", "title"), publication.title))
    text, sections = lay_out((heading, text) for heading, text, _ in paragraphs)
    return Article(
        id=name,
        title=publication.title,
        text=text,
        source=source,
        sections=sections,
        also_known_as=tuple(
            one
            for one in (publication.doi, publication.pmid, publication.pmcid)
            if one not in ("", name)
        ),
        publication=publication,
        links=tuple(place_links(paragraphs)),
        links_elsewhere=tuple(find_links_elsewhere(root, linked)),
        reference_list=read_references(root),
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
