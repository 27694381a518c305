"""The reference list of a JATS article as text."""

import re
from collections.abc import Sequence

from lxml import etree

from citespan.pipelines.corpus.paragraphs import collapsed
from citespan.pipelines.corpus.xml import local, parse

_FORMATTING = frozenset(("bold", "italic", "monospace", "sc", "sub", "sup", "underline"))
_KINDS = {"doi": "doi:", "pmid": "PMID ", "pmcid": "", "pmc": ""}
_SPACE_BEFORE = re.compile(r" (?:(?=[,.;:)\]])|(?<=[(\[] ))")


def back_matter(root: etree._Element) -> list[bytes]:
    """The parts of an article that may hold reference lists, as XML: they can be kept without the
    tree of the whole article."""
    return [etree.tostring(part, with_tail=False) for part in root if local(part.tag) == "back"]


def references(parts: Sequence[bytes]) -> tuple[str, ...]:
    """The entries of every reference list in the back matter, in order.

    Structured entries bring no punctuation, so that their parts are set apart by spaces.
    """
    found = (_entry(ref) for part in parts for ref in parse(part).iter("{*}ref"))
    return tuple(entry for entry in found if entry)


def _entry(ref: etree._Element) -> str:
    parts: list[str] = []
    _add(ref, parts)
    return _SPACE_BEFORE.sub("", collapsed("".join(parts)))


def _add(node: etree._Element, parts: list[str]) -> None:
    """Take in the text of `node`, which is nested no deeper than the parser lets it."""
    if node.text:
        parts.append(node.text)
    for child in node:
        name = local(child.tag)
        apart = "" if name in _FORMATTING else " "
        parts.append(apart)
        if name != "label":
            if name == "pub-id":
                parts.append(_KINDS.get(child.get("pub-id-type", ""), ""))
            _add(child, parts)
        parts.append(apart)
        if child.tail:
            parts.append(child.tail)
