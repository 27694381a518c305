"""The reference list of a JATS article as text."""

import re

from lxml import etree

from citespan.pipelines.corpus.paragraphs import collapsed
from citespan.pipelines.corpus.xml import local

_FORMATTING = frozenset(("bold", "italic", "monospace", "sc", "sub", "sup", "underline"))
_KINDS = {"doi": "doi:", "pmid": "PMID ", "pmcid": "", "pmc": ""}
_SPACE_BEFORE = re.compile(r"\s+([,.;:)\]])|(?<=[(\[])\s+")


def references(root: etree._Element) -> tuple[str, ...]:
    """The entries of every reference list in the back matter, in order.

    Structured entries bring no punctuation, so that their parts are set apart by spaces.
    """
    found = []
    for part in root:
        if local(part.tag) == "back":
            found = [_entry(ref) for ref in part.iter("{*}ref")]
    return tuple(entry for entry in found if entry)


def _entry(ref: etree._Element) -> str:
    parts: list[str] = []
    walker = etree.iterwalk(ref, events=("start", "end"))
    for event, node in walker:
        name = local(node.tag)
        apart = "" if name in _FORMATTING else " "
        if event == "end":
            parts += (apart, (node.tail or "") if node is not ref else "")
        elif name == "label":
            walker.skip_subtree()
        else:
            kind = _KINDS.get(node.get("pub-id-type", ""), "") if name == "pub-id" else ""
            parts += (apart, kind, node.text or "")
    return _SPACE_BEFORE.sub(lambda m: m[1] or "", collapsed("".join(parts)))
