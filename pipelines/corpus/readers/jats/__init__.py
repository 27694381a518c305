"""JATS and the older NLM DTDs, as in PubMed Central: one article a file.

The text is, in this order: title; abstracts (not translated ones); body; sections and
appendices of the back matter; floating figures and tables. Captions and notes of figures, tables
and supplements are text of the kind "caption"; boxed text is body. The cells of tables are not
text, nor are acknowledgements, glossaries, back notes and the articles within
`<sub-article>` and `<response>`.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from lxml import etree

from citespan.pipelines.corpus.article import Article, Rejected
from citespan.pipelines.corpus.file_reader import FileReader
from citespan.pipelines.corpus.files import read_bytes, read_head, stem_of
from citespan.pipelines.corpus.inline_text import (
    InlineText,
    LinkedParagraph,
    extract_text,
    find_links_elsewhere,
    make_article,
)
from citespan.pipelines.corpus.paragraphs import Heading
from citespan.pipelines.corpus.reader import readers
from citespan.pipelines.corpus.readers.jats.publications import (
    find_identifiers,
    read_publication,
    read_references,
)
from citespan.pipelines.corpus.xml import find_child, find_first_tag, local_name, parse

_HEADED = frozenset(("abstract", "app", "boxed-text", "sec"))
_CAPTIONED = frozenset(
    (
        *("chem-struct-wrap", "fig", "fig-group", "media", "supplementary-material"),
        *("table-wrap", "table-wrap-group"),
    )
)
# Set apart on the page: a paragraph that holds one continues behind it.
_ASIDE = _CAPTIONED | {"boxed-text", "fn"}
_BLOCKS = frozenset(
    (
        *("attrib", "caption", "code", "def", "def-item", "disp-quote", "list", "list-item", "p"),
        *("preformat", "speech", "statement", "table-wrap-foot", "term", "title"),
        *("verse-group", "verse-line"),
    )
)

_NOTES = frozenset(("fn", "xref"))

# Put by PubMed Central in place of a supplement's file.
_LINK_OF_PMC = "Click here for additional data file."


@dataclass(slots=True)
class _Place:
    """One open element that has a heading or is set apart."""

    heading: Heading
    paragraphs: list[LinkedParagraph]
    text: InlineText
    later: list[LinkedParagraph] = field(default_factory=list)

    def flush(self) -> None:
        """End the paragraph at hand; what was set apart within it follows."""
        if self.text.is_empty() and not self.later:
            return
        text, links = self.text.take_linked()
        if text and text != _LINK_OF_PMC:
            self.paragraphs.append(LinkedParagraph(self.heading, text, links))
        if self.later:
            self.paragraphs += self.later
            self.later.clear()


class Flow:
    """Walks elements one after the other and keeps their paragraphs.

    A figure, table, box or note inside a paragraph doesn't break it: its own paragraphs follow.

    Attributes:
        linked: the elements whose links are in the paragraphs.
    """

    def __init__(self) -> None:
        self.paragraphs: list[LinkedParagraph] = []
        self.linked: list[etree._Element] = []

    def walk(self, element: etree._Element, heading: Heading) -> None:
        """Append the paragraphs of `element`, which stands under `heading` and is nested no deeper
        than the parser lets it."""
        place = _Place(heading, self.paragraphs, InlineText(self.linked))
        self._take_in_children(element, place)
        place.flush()

    def _take_in_children(self, element: etree._Element, here: _Place) -> None:
        for child in element:
            name = local_name(child.tag)
            if name in _HEADED or name in _ASIDE:
                self._take_in_place(child, name, here)
                continue
            block = name in _BLOCKS
            if block:
                here.flush()
                if name == "title" and local_name(element.tag) in _HEADED:
                    here.text.end(child, name)
                    continue
            if here.text.start(child, name) and len(child):
                self._take_in_children(child, here)
            if block:
                here.flush()
            here.text.end(child, name)

    def _take_in_place(self, node: etree._Element, name: str, outside: _Place) -> None:
        """Take in an element that has a heading or is set apart."""
        apart = name in _ASIDE
        if not apart:
            outside.flush()
        heading = make_heading(node, outside.heading)
        if apart:
            inside = _Place(heading, [], InlineText(self.linked))
        else:
            inside = _Place(heading, outside.paragraphs, outside.text)
        self._take_in_children(node, inside)
        inside.flush()
        outside.later.extend(inside.paragraphs if apart else ())
        if outside.text.is_blank():
            outside.flush()
        elif (node.tail or "")[:1].isalnum():
            outside.text.add(" ")
        outside.text.add(node.tail)


def make_heading(node: etree._Element, above: Heading) -> Heading:
    """Return the heading of a section, box, figure or the like that stands under `above`."""
    captioned = local_name(node.tag) in _CAPTIONED
    written = find_child(node, "label" if captioned else "title")
    title = extract_text(written, _NOTES) if written is not None else ""
    return above.below(title.rstrip(".:"), "caption" if captioned else None)


_ROOTS = ("article", "pmc-articleset")


@readers.register
class JatsReader(FileReader):
    """Reads files whose root is `<article>`, or `<pmc-articleset>` with several of them."""

    name = "jats"
    description = "JATS or NLM XML of PubMed Central, an article a file, also .gz"
    self_contained = True

    def looks_like(self, file: Path) -> bool:
        start = read_head(file)
        return find_first_tag(start) in _ROOTS and b"docbook" not in start.lower()

    def read_file(self, file: Path, source: str) -> Iterator[Article | Rejected]:
        if not _is_xml_by_name(file) and not self.looks_like(file):
            yield Rejected(source, "not JATS XML", "skipped")
            return
        root = parse(read_bytes(file))
        name = local_name(root.tag)
        articles = (
            [root] if name == "article" else [c for c in root if local_name(c.tag) == "article"]
        )
        if not articles:
            yield Rejected(source, f"not JATS XML: the root element is <{name}>", "skipped")
        for article in articles:
            yield _read_article(article, stem_of(file) if article is root else "", source)


def _is_xml_by_name(file: Path) -> bool:
    """Whether a file must be XML by its name. One called .xml.gz that can be unpacked is known by
    its content alone: NLM's files of abstracts are called so, and they are large."""
    if file.name.lower().endswith(".xml.gz"):
        return not read_head(file).strip()
    return file.name.lower().endswith((".xml", ".nxml", ".nxml.gz"))


def _read_article(root: etree._Element, stem: str, source: str) -> Article | Rejected:
    meta = find_child(root, "front", "article-meta")
    flow = Flow()
    for part, heading in _parts(root, meta):
        flow.walk(part, heading)
    ids = find_identifiers(meta, stem) or [""]
    article = make_article(
        ids[0],
        source,
        read_publication(root, ids),
        flow.paragraphs,
        read_references(root),
        also_known_as=tuple(ids[1:]),
        links_elsewhere=find_links_elsewhere(root, flow.linked),
    )
    if isinstance(article, Article) and not article.id:
        return Rejected(source, "an article without an <article-id>")
    return article


def _parts(
    root: etree._Element, meta: etree._Element | None
) -> Iterator[tuple[etree._Element, Heading]]:
    for part in meta if meta is not None else ():
        if local_name(part.tag) == "abstract":
            heading = find_child(part, "title")
            title = extract_text(heading) if heading is not None else ""
            yield part, Heading(title or "Abstract", "abstract")
    for part in root:
        name = local_name(part.tag)
        if name in ("body", "floats-group", "floats-wrap"):
            yield part, Heading("")
        elif name == "back":
            for inside in part:
                if local_name(inside.tag) in ("app", "app-group", "sec"):
                    yield inside, make_heading(inside, Heading(""))
