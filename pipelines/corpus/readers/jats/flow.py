"""The paragraphs of a JATS abstract, body or appendix, in reading order."""

from dataclasses import dataclass, field

from lxml import etree

from citespan.pipelines.corpus.inline_text import InlineText, extract_text
from citespan.pipelines.corpus.linked_paragraphs import LinkedParagraph
from citespan.pipelines.corpus.paragraphs import Heading
from citespan.pipelines.corpus.xml import find_child, local_name

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
