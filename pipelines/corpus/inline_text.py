"""The running text of JATS and TEI elements, with inline tags taken away, and its paragraphs with
their links to the reference list.
"""

from collections.abc import Callable, Iterable, Iterator
from itertools import accumulate
from typing import NamedTuple

from lxml import etree

from citespan.pipelines.corpus.article import Article, Rejected
from citespan.pipelines.corpus.paragraphs import (
    PARAGRAPH_BREAK,
    Heading,
    collapse_places,
    collapse_space,
    lay_out,
)
from citespan.pipelines.corpus.publication import Publication
from citespan.pipelines.corpus.references import Link, ReferenceList
from citespan.pipelines.corpus.xml import local_name

# Not text that anyone cites: tables' cells, descriptions of pictures, numbers of headings and
# lists, index entries, licences, and whole other articles inside this one.
LEFT_OUT = frozenset(
    (
        *("alt-text", "annotation", "annotation-xml", "array", "graphic", "index-term"),
        *("index-term-range-end", "inline-graphic", "kwd-group", "label", "long-desc"),
        *("object-id", "permissions", "ref-list", "related-article", "related-object"),
        *("response", "sec-meta", "sub-article", "table"),
    )
)
_FORMULAS = frozenset(("alternatives", "disp-formula", "inline-formula"))
_PREFERRED = ("math", "textual-form", "chem-struct", "tex-math")
_SPACES = frozenset(("break", "hr", "tab", "disp-formula", "mtr"))
# All whose tags say more than where the text is formatted.
_MARKED = LEFT_OUT | _FORMULAS | _SPACES | {"ref", "sup", "tex-math", "xref"}


class InlineText:
    """Text collected from the elements of a paragraph, in order.

    Formatting tags vanish without a space. Where that would glue, one character is put in: a
    space before a citation that follows a word ("cells<sup>12</sup>"), and a caret before an
    exponent that follows a digit ("10^6", not "106").

    Args:
        linked: a list that elements are appended to when `take_linked` returns their links.
    """

    def __init__(self, linked: list[etree._Element] | None = None) -> None:
        self._linked = linked if linked is not None else []
        self._parts: list[str] = []
        self._edges: list[tuple[int, etree._Element]] = []  # where in the parts links begin and end
        self._rivals: set[etree._Element] = set()

    def start(self, node: etree._Element, name: str) -> bool:
        """Take in the text before the first child; False if nothing below `node` counts."""
        if name in _MARKED or self._rivals:
            if name in LEFT_OUT or node in self._rivals:
                return False
            if name in _FORMULAS:
                self._choose(node, name)
            elif name == "sup":
                self._before_sup(node)
            elif is_citation(node, name):
                self._before_citation(node)
                self._edges.append((len(self._parts), node))
            if name in _SPACES:
                self.add(" ")
            if name == "tex-math":
                written = node.text or ""
                _, begun, rest = written.partition("\\begin{document}")
                body, ended, _ = rest.partition("\\end{document}")
                self.add((body if begun and ended else written).replace("$", ""))
                return False
        self.add(node.text)
        return True

    def end(self, node: etree._Element, name: str) -> None:
        """Take in the text after `node`."""
        if name in _MARKED:
            if is_citation(node, name):
                self._edges.append((len(self._parts), node))
            if name in _SPACES:
                self.add(" ")
        self.add(node.tail)

    def add(self, text: str | None) -> None:
        """Take in text as it is."""
        if text:
            self._parts.append(text)

    def is_empty(self) -> bool:
        """Whether there is nothing so far, no link either."""
        return not self._parts and not self._edges

    def is_blank(self) -> bool:
        """Whether there is nothing but white space so far."""
        return all(part.isspace() for part in self._parts)

    def take(self) -> str:
        """Return the text so far with white space collapsed; it is then empty again."""
        return self.take_linked()[0]

    def take_linked(self) -> tuple[str, tuple[Link, ...]]:
        """Return the text as `take` does, and its links to the reference list. A text of white
        space alone has none."""
        parts, edges = self._parts, self._edges
        self._parts, self._edges = [], []
        written = "".join(parts)
        text = collapse_space(written)
        if not text or not edges:
            return text, ()
        offsets = [0, *accumulate(map(len, parts))]
        places = collapse_places(written, text, [offsets[number] for number, _ in edges])
        links: list[Link] = []
        starts: dict[etree._Element, int] = {}
        for (_, node), (last_end, next_start) in zip(edges, places, strict=True):
            if node not in starts:
                starts[node] = next_start
                continue
            start = min(starts[node], len(text))
            if not links or start >= links[-1].end:
                self._linked.append(node)
                links.append(Link(start, max(start, last_end), get_names(node)))
        return text, tuple(links)

    def _choose(self, node: etree._Element, name: str) -> None:
        """Of several forms of one formula, keep one."""
        forms = [c for c in node if name == "alternatives" or local_name(c.tag) in _PREFERRED]
        if len(forms) > 1:
            by_preference = {form: i for i, form in enumerate(_PREFERRED)}
            kept = min(forms, key=lambda c: by_preference.get(local_name(c.tag), len(_PREFERRED)))
            self._rivals.update(c for c in forms if c is not kept)

    def _before_sup(self, node: etree._Element) -> None:
        if any(c.get("ref-type") == "bibr" for c in node):
            self._space_unless(str.isspace)
        elif self._parts and self._parts[-1][-1].isdigit():
            shown = (node.text or "").lstrip()
            if shown[:1].isdigit() or (shown[:1] in "-−–+" and shown[1:2].isdigit()):
                self.add("^")

    def _before_citation(self, node: etree._Element) -> None:
        if len(node) and local_name(node[0].tag) == "sup" and not (node.text or "").strip():
            self._space_unless(str.isspace)
        else:
            self._space_unless(lambda last: not last.isalnum())

    def _space_unless(self, fits: Callable[[str], bool]) -> None:
        if self._parts and not fits(self._parts[-1][-1]):
            self.add(" ")


def is_citation(node: etree._Element, name: str) -> bool:
    """Whether an element of JATS or TEI links to the reference list.

    Args:
        name: the element's local name.
    """
    if name == "xref":
        return node.get("ref-type") == "bibr"
    return name == "ref" and node.get("type") == "bibr"


def get_names(node: etree._Element) -> tuple[str, ...]:
    """Return the names of the references that an element links to."""
    return tuple((node.get("rid") or (node.get("target") or "").replace("#", " ")).split())


def extract_text(element: etree._Element, without: frozenset[str] = frozenset()) -> str:
    """Return the text of one element that holds no paragraphs, leaving out elements named
    `without`."""
    if not len(element):
        return collapse_space(element.text or "")
    text = InlineText()
    text.add(element.text)
    take_in_children(element, text, without)
    return text.take()


def take_in_children(element: etree._Element, text: InlineText, without: frozenset[str]) -> None:
    """Take in all below `element`, which is nested no deeper than the parser lets it, leaving out
    elements named `without`."""
    for child in element:
        name = local_name(child.tag)
        if name not in without and text.start(child, name) and len(child):
            take_in_children(child, text, without)
        text.end(child, name)


_OTHER_ARTICLES = frozenset(("response", "sub-article"))


class LinkedParagraph(NamedTuple):
    """A paragraph, and the links in it, as offsets into its text."""

    heading: Heading
    text: str
    links: tuple[Link, ...] = ()


def place_links(paragraphs: Iterable[LinkedParagraph]) -> Iterator[Link]:
    """Yield the links of all paragraphs, as offsets into the text that `lay_out` makes of them."""
    start = 0
    for paragraph in paragraphs:
        yield from (link.move(start) for link in paragraph.links)
        start += len(paragraph.text) + PARAGRAPH_BREAK if paragraph.text else 0


def make_article(
    name: str,
    source: str,
    publication: Publication,
    paragraphs: Iterable[LinkedParagraph],
    reference_list: ReferenceList,
    *,
    also_known_as: tuple[str, ...] = (),
    links_elsewhere: Iterable[tuple[str, ...]] = (),
) -> Article | Rejected:
    """Return the article of a title and paragraphs; skipped if neither has any text.

    Args:
        name: its id.
        publication: with its title.
    """
    placed = [LinkedParagraph(Heading("", "title"), publication.title), *paragraphs]
    text, sections = lay_out((heading, text) for heading, text, _ in placed)
    if not text:
        return Rejected(source, "no text", "skipped")
    return Article(
        id=name,
        title=publication.title,
        text=text,
        source=source,
        sections=sections,
        also_known_as=also_known_as,
        publication=publication,
        links=tuple(place_links(placed)),
        links_elsewhere=tuple(links_elsewhere),
        reference_list=reference_list,
    )


def find_links_elsewhere(
    article: etree._Element, linked: Iterable[etree._Element]
) -> Iterator[tuple[str, ...]]:
    """Yield the names of the links of an article that are not in its text, nor in an article within
    it.

    Args:
        linked: the elements whose links are in its text.
    """
    known = set(linked)
    for node in article.iter("{*}xref", "{*}ref"):
        if node not in known and is_citation(node, local_name(node.tag)):
            within = (local_name(above.tag) for above in node.iterancestors())
            if _OTHER_ARTICLES.isdisjoint(within):
                yield get_names(node)
