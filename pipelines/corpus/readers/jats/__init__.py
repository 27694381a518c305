"""JATS and the older NLM DTDs, as in PubMed Central: one article a file.

The text is, in this order: title; abstracts (not translated ones); body; sections and
appendices of the back matter; floating figures and tables. Captions and notes of figures, tables
and supplements are text of the kind "caption"; boxed text is body. The cells of tables are not
text, nor are acknowledgements, glossaries, back notes and the articles within
`<sub-article>` and `<response>`.
"""

from collections.abc import Iterator
from pathlib import Path

from lxml import etree

from citespan.pipelines.corpus.article import Article, Rejected
from citespan.pipelines.corpus.file_reader import FileReader
from citespan.pipelines.corpus.files import read_bytes, read_head, stem_of
from citespan.pipelines.corpus.inline_text import extract_text
from citespan.pipelines.corpus.linked_paragraphs import (
    LinkedParagraph,
    find_links_elsewhere,
    place_links,
)
from citespan.pipelines.corpus.paragraphs import Heading, lay_out
from citespan.pipelines.corpus.reader import readers
from citespan.pipelines.corpus.readers.jats.flow import Flow, make_heading
from citespan.pipelines.corpus.readers.jats.front import (
    find_identifiers,
    read_publication,
    read_title,
)
from citespan.pipelines.corpus.readers.jats.references import read_references
from citespan.pipelines.corpus.xml import find_child, find_first_tag, local_name, parse
from citespan.pipelines.errors import InputError

_ROOTS = ("article", "pmc-articleset")


@readers.register
class JatsReader(FileReader):
    """Reads files whose root is `<article>`, or `<pmc-articleset>` with several of them."""

    name = "jats"
    description = "JATS or NLM XML of PubMed Central, an article a file, also .gz"

    def looks_like(self, file: Path) -> bool:
        start = read_head(file)
        return find_first_tag(start) in _ROOTS and b"docbook" not in start.lower()

    def read_file(self, file: Path, source: str) -> Iterator[Article | Rejected]:
        if not _is_xml_by_name(file) and not self.looks_like(file):
            yield Rejected(source, "not JATS XML", "skipped")
            return
        try:
            root = parse(read_bytes(file))
        except InputError as error:
            yield Rejected(source, str(error))
            return
        name = local_name(root.tag)
        articles = (
            [root] if name == "article" else [c for c in root if local_name(c.tag) == "article"]
        )
        if not articles:
            yield Rejected(source, f"not JATS XML: the root element is <{name}>", "skipped")
        for article in articles:
            yield _article(article, stem_of(file) if article is root else "", source)


def _is_xml_by_name(file: Path) -> bool:
    """Whether a file must be XML by its name. One called .xml.gz that can be unpacked is known by
    its content alone: NLM's files of abstracts are called so, and they are large."""
    if file.name.lower().endswith(".xml.gz"):
        return not read_head(file).strip()
    return file.name.lower().endswith((".xml", ".nxml", ".nxml.gz"))


def _article(root: etree._Element, stem: str, source: str) -> Article | Rejected:
    meta = find_child(root, "front", "article-meta")
    title = read_title(meta)
    flow = Flow()
    flow.paragraphs.append(LinkedParagraph(Heading("", "title"), title))
    for part, heading in _parts(root, meta):
        flow.walk(part, heading)
    text, sections = lay_out((heading, text) for heading, text, _ in flow.paragraphs)
    if not text:
        return Rejected(source, "no text", "skipped")
    ids = find_identifiers(meta, stem)
    if not ids:
        return Rejected(source, "an article without an <article-id>")
    return Article(
        id=ids[0],
        title=title,
        text=text,
        source=source,
        sections=sections,
        also_known_as=tuple(ids[1:]),
        publication=read_publication(root, title, ids),
        links=tuple(place_links(flow.paragraphs)),
        links_elsewhere=tuple(find_links_elsewhere(root, flow.linked)),
        reference_list=read_references(root),
    )


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
