"""JATS and the older NLM DTDs, as in PubMed Central: one article a file.

The text is, in this order: title; abstracts (not translated ones); body; sections and
appendices of the back matter; floating figures and tables. Captions and notes of figures, tables
and supplements are text of the kind "caption"; boxed text is body. The cells of tables are not
text, nor are acknowledgements, glossaries, back notes and the articles within
`<sub-article>` and `<response>`.
"""

import re
from collections.abc import Iterator
from functools import partial
from pathlib import Path

from lxml import etree

from citespan.pipelines.corpus.article import Article, Rejected
from citespan.pipelines.corpus.files import (
    first_files,
    head,
    read_bytes,
    source_of,
    units,
    unlisted,
)
from citespan.pipelines.corpus.jats_flow import Flow, heading_of
from citespan.pipelines.corpus.jats_inline import inline_text
from citespan.pipelines.corpus.jats_references import back_matter, references
from citespan.pipelines.corpus.paragraphs import Heading, lay_out
from citespan.pipelines.corpus.reader import readers
from citespan.pipelines.corpus.xml import child, first_tag, local, parse
from citespan.pipelines.errors import InputError

_PMC = re.compile(r"(?:PMC)?(\d+)(?:\.\d+)?", re.IGNORECASE)
_PMC_STEM = re.compile(r"PMC(\d+)", re.IGNORECASE)
_NOT_IN_TITLE = frozenset(("fn", "xref"))


@readers.register
class JatsReader:
    """Reads files whose root is `<article>`, or `<pmc-articleset>` with several of them."""

    name = "jats"
    description = "JATS or NLM XML of PubMed Central, an article a file"

    def recognises(self, path: Path) -> bool:
        return any(_looks_like_jats(file) for file in first_files(path))

    def find(self, path: Path) -> Iterator[Path]:
        return units(path, lambda _: False)

    def count(self, unit: Path) -> int:  # noqa: ARG002  the same for every unit
        return 1

    def read(self, unit: Path) -> Iterator[Article | Rejected]:
        source = source_of(unit)
        if unit.is_dir():
            yield unlisted(unit)
            return
        if unit.suffix.lower() not in (".xml", ".nxml") and not _looks_like_jats(unit):
            yield Rejected(source, "not JATS XML", "skipped")
            return
        try:
            root = parse(read_bytes(unit))
        except InputError as error:
            yield Rejected(source, str(error))
            return
        name = local(root.tag)
        articles = [root] if name == "article" else [c for c in root if local(c.tag) == "article"]
        if not articles:
            yield Rejected(source, f"not JATS XML: the root element is <{name}>", "skipped")
        for article in articles:
            stem = unit.stem if article is root else ""
            yield _article(article, stem, source)


def _looks_like_jats(file: Path) -> bool:
    if file.suffix == ".gz":
        return False
    start = head(file)
    named = first_tag(start) in ("article", "pmc-articleset")
    return named and b"docbook" not in start.lower()


def _article(root: etree._Element, stem: str, source: str) -> Article | Rejected:
    meta = child(root, "front", "article-meta")
    title = _title(meta)
    flow = Flow()
    flow.paragraphs.append((Heading("", "title"), title))
    for part, heading in _parts(root, meta):
        flow.walk(part, heading)
    text, sections = lay_out(flow.paragraphs)
    if not text:
        return Rejected(source, "no text", "skipped")
    ids = _ids(meta, stem)
    if not ids:
        return Rejected(source, "an article without an <article-id>")
    return Article(
        id=ids[0],
        title=title,
        text=text,
        source=source,
        sections=sections,
        also_known_as=tuple(ids[1:]),
        read_references=partial(references, back_matter(root)),
    )


def _title(meta: etree._Element | None) -> str:
    group = child(meta, "title-group") if meta is not None else None
    if group is None:
        return ""
    written = (child(group, name) for name in ("article-title", "subtitle"))
    return ": ".join(
        filter(None, (inline_text(t, _NOT_IN_TITLE) for t in written if t is not None))
    )


def _parts(
    root: etree._Element, meta: etree._Element | None
) -> Iterator[tuple[etree._Element, Heading]]:
    for part in meta if meta is not None else ():
        if local(part.tag) == "abstract":
            heading = child(part, "title")
            title = inline_text(heading) if heading is not None else ""
            yield part, Heading(title or "Abstract", "abstract")
    for part in root:
        name = local(part.tag)
        if name in ("body", "floats-group", "floats-wrap"):
            yield part, Heading("")
        elif name == "back":
            for inside in part:
                if local(inside.tag) in ("app", "app-group", "sec"):
                    yield inside, heading_of(inside, Heading(""))


def _ids(meta: etree._Element | None, stem: str) -> list[str]:
    """All identifiers, the one to go by first."""
    written = {
        c.get("pub-id-type", ""): (c.text or "").strip()
        for c in (meta if meta is not None else ())
        if local(c.tag) == "article-id"
    }
    pmc = _PMC.fullmatch(written.pop("pmc", "") or written.pop("pmcid", ""))
    stem_pmc = _PMC_STEM.match(stem)
    best = [f"PMC{m[1]}" for m in (pmc, stem_pmc) if m]
    best += [written.pop(kind, "") for kind in ("pmid", "doi")]
    return list(dict.fromkeys(filter(None, [*best, stem, *written.values()])))
