"""The paragraphs of a JATS abstract, body or appendix, in reading order."""

from dataclasses import dataclass, field

from lxml import etree

from citespan.pipelines.corpus.jats_inline import InlineText, inline_text
from citespan.pipelines.corpus.paragraphs import Heading
from citespan.pipelines.corpus.xml import child, local

_HEADED = frozenset(("abstract", "app", "boxed-text", "sec"))
_CAPTIONED = frozenset(
    (
        *("chem-struct-wrap", "fig", "fig-group", "media", "supplementary-material"),
        *("table-wrap", "table-wrap-group"),
    )
)
# Set apart on the page: a paragraph that holds one goes on behind it.
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

Paragraph = tuple[Heading, str]


@dataclass(slots=True)
class _Place:
    """One open element that has a heading or is set apart."""

    node: etree._Element
    heading: Heading
    paragraphs: list[Paragraph]
    text: InlineText
    later: list[Paragraph] = field(default_factory=list)

    def flush(self) -> None:
        """End the paragraph at hand; what was set apart within it follows."""
        text = self.text.take()
        if text and text != _LINK_OF_PMC:
            self.paragraphs.append((self.heading, text))
        self.paragraphs.extend(self.later)
        self.later.clear()


class Flow:
    """Walks elements one after the other and keeps their paragraphs.

    A figure, table, box or note inside a paragraph doesn't break it: its own paragraphs follow.
    """

    def __init__(self) -> None:
        self.paragraphs: list[Paragraph] = []

    def walk(self, element: etree._Element, heading: Heading) -> None:
        """Append the paragraphs of `element`, which stands under `heading`."""
        root = _Place(element, heading, self.paragraphs, InlineText())
        places = [root]
        walker = etree.iterwalk(element, events=("start", "end"))
        for event, node in walker:
            if node is element:
                continue
            name = local(node.tag)
            if event == "start":
                if not self._enter(places, node, name):
                    walker.skip_subtree()
            else:
                self._leave(places, node, name)
        root.flush()

    def _enter(self, places: list[_Place], node: etree._Element, name: str) -> bool:
        here = places[-1]
        if name == "title" and local(node.getparent().tag) in _HEADED:  # type: ignore[union-attr]
            return False
        if name in _HEADED or name in _ASIDE:
            apart = name in _ASIDE
            if not apart:
                here.flush()
            heading = heading_of(node, here.heading)
            inside: list[Paragraph] = [] if apart else here.paragraphs
            places.append(_Place(node, heading, inside, InlineText() if apart else here.text))
            return True
        if name in _BLOCKS:
            here.flush()
        return here.text.start(node, name)

    def _leave(self, places: list[_Place], node: etree._Element, name: str) -> None:
        here = places[-1]
        if here.node is node:
            here.flush()
            places.pop()
            outside = places[-1]
            outside.later.extend(here.paragraphs if name in _ASIDE else ())
            if outside.text.is_blank():
                outside.flush()
            elif (node.tail or "")[:1].isalnum():
                outside.text.add(" ")
            outside.text.add(node.tail)
            return
        if name in _BLOCKS:
            here.flush()
        here.text.end(node, name)


def heading_of(node: etree._Element, above: Heading) -> Heading:
    """The heading of a section, box, figure or the like that stands under `above`."""
    captioned = local(node.tag) in _CAPTIONED
    written = child(node, "label" if captioned else "title")
    title = inline_text(written, _NOTES) if written is not None else ""
    return above.below(title.rstrip(".:"), "caption" if captioned else None)
