"""What a sentence splitter is, and the registry of all of them."""

from collections.abc import Callable, Iterable
from itertools import pairwise
from typing import Final, Protocol

from citespan.pipelines.corpus.article import Sentence
from citespan.pipelines.registry import Registry
from citespan.pipelines.text.paragraphs import paragraphs, trimmed


class Splitter(Protocol):
    """Splits text into sentences.

    Attributes:
        name: as in `--splitter`.
        description: one line for `--help`.
    """

    name: str
    description: str

    def split(self, text: str) -> list[Sentence]:
        """The sentences, in order and without overlap.

        None has white space at either end, a byte-order mark counting as white space;
        together they hold every other character of the text. A blank line always parts two
        sentences.

        Raises:
            CitespanError: if the library that this splitter needs is not installed.
        """
        ...


splitters: Registry[Splitter] = Registry(
    "sentence splitter", "citespan.pipelines.text.splitters", "citespan.splitters"
)

DEFAULT: Final = "punkt"


def cut(text: str, starts: Callable[[str], Iterable[int]]) -> list[Sentence]:
    """Sentences that keep a splitter's promises, whatever the library behind it returns.

    Args:
        starts: for a paragraph, the offsets in it at which its sentences start, in any
            order; one outside of the paragraph is left out.
    """
    found = []
    for start, end in paragraphs(text):
        places = {place for place in starts(text[start:end]) if 0 < place < end - start}
        edges = [start, *(start + place for place in sorted(places)), end]
        for first, last in pairwise(edges):
            first, last = trimmed(text, first, last)
            if first < last:
                found.append(Sentence(first, last))
    return found
