"""Paragraphs with links to the reference list, and the links of the text that they make."""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from lxml import etree

from citespan.pipelines.corpus.inline_text import get_names, is_citation
from citespan.pipelines.corpus.paragraphs import PARAGRAPH_BREAK, Heading
from citespan.pipelines.corpus.references import Link
from citespan.pipelines.corpus.xml import local_name

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
