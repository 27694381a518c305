"""The running text of JATS elements, with inline tags taken away."""

import re
from collections.abc import Callable

from lxml import etree

from citespan.pipelines.corpus.paragraphs import collapsed
from citespan.pipelines.corpus.xml import local

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
_TEX_BODY = re.compile(r"\\begin\{document\}(.*?)\\end\{document\}", re.DOTALL)


class InlineText:
    """Text collected from the start and end events of a walk.

    Formatting tags vanish without a space. Where that would glue, one character is put in: a
    space before a citation that follows a word ("cells<sup>12</sup>"), and a caret before an
    exponent that follows a digit ("10^6", not "106").
    """

    def __init__(self) -> None:
        self._parts: list[str] = []
        self._rivals: set[etree._Element] = set()

    def start(self, node: etree._Element, name: str) -> bool:
        """Take in the text before the first child; False if nothing below `node` counts."""
        if name in LEFT_OUT or node in self._rivals:
            return False
        if name in _FORMULAS:
            self._choose(node, name)
        elif name == "sup":
            self._before_sup(node)
        elif name == "xref" and node.get("ref-type") == "bibr":
            self._before_citation(node)
        if name in _SPACES:
            self.add(" ")
        if name == "tex-math":
            written = node.text or ""
            body = _TEX_BODY.search(written)
            self.add((body[1] if body else written).replace("$", ""))
            return False
        self.add(node.text)
        return True

    def end(self, node: etree._Element, name: str) -> None:
        """Take in the text after `node`."""
        if name in _SPACES:
            self.add(" ")
        self.add(node.tail)

    def add(self, text: str | None) -> None:
        """Take in text as it is."""
        if text:
            self._parts.append(text)

    def is_blank(self) -> bool:
        """Whether there is nothing but white space so far."""
        return all(part.isspace() for part in self._parts)

    def take(self) -> str:
        """The text so far with white space collapsed; it is then empty again."""
        text = collapsed("".join(self._parts))
        self._parts.clear()
        return text

    def _choose(self, node: etree._Element, name: str) -> None:
        """Of several forms of one formula, keep one."""
        forms = [c for c in node if name == "alternatives" or local(c.tag) in _PREFERRED]
        if len(forms) > 1:
            by_preference = {form: i for i, form in enumerate(_PREFERRED)}
            kept = min(forms, key=lambda c: by_preference.get(local(c.tag), len(_PREFERRED)))
            self._rivals.update(c for c in forms if c is not kept)

    def _before_sup(self, node: etree._Element) -> None:
        if any(c.get("ref-type") == "bibr" for c in node):
            self._space_unless(str.isspace)
        elif self._parts and self._parts[-1][-1].isdigit():
            shown = (node.text or "").lstrip()
            if shown[:1].isdigit() or (shown[:1] in "-−–+" and shown[1:2].isdigit()):
                self.add("^")

    def _before_citation(self, node: etree._Element) -> None:
        if len(node) and local(node[0].tag) == "sup" and not (node.text or "").strip():
            self._space_unless(str.isspace)
        else:
            self._space_unless(lambda last: not last.isalnum())

    def _space_unless(self, fits: Callable[[str], bool]) -> None:
        if self._parts and not fits(self._parts[-1][-1]):
            self.add(" ")


def inline_text(element: etree._Element, without: frozenset[str] = frozenset()) -> str:
    """The text of one element that holds no paragraphs, leaving out elements named `without`."""
    text = InlineText()
    text.add(element.text)
    walker = etree.iterwalk(element, events=("start", "end"))
    for event, node in walker:
        if node is element:
            continue
        name = local(node.tag)
        if event == "end":
            text.end(node, name)
        elif name in without or not text.start(node, name):
            walker.skip_subtree()
    return text.take()
