"""Sentences with nothing between them, as where an article lacks the space ("died.Cells").

In the index a space stands there, so that each sentence of a span is analysed by itself: otherwise
"died.Cells" would be one word. A span's document says where spaces were inserted, and
`restore_text` removes them again.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

from citespan.pipelines.corpus.article import Sentence


def find_missing_spaces(sentences: Sequence[Sentence]) -> list[int]:
    """Return where sentences meet, as offsets into the article's text."""
    return [other.start for sentence, other in pairwise(sentences) if sentence.end == other.start]


def insert_spaces(text: str, start: int, end: int, places: Sequence[int]) -> tuple[str, list[int]]:
    """Return `text[start:end]` with a space at each place inside, and the offsets of these
    spaces in the result.

    Args:
        places: as `find_missing_spaces` returns them.
    """
    inside = places[bisect_right(places, start) : bisect_left(places, end)]
    if not inside:
        return text[start:end], []
    pieces = [text[begin:other] for begin, other in pairwise([start, *inside, end])]
    return " ".join(pieces), [place - start + number for number, place in enumerate(inside)]


def restore_text(source: Mapping[str, Any]) -> str:
    """Return the text of a span's document as it stands in the article."""
    text = str(source["text"])
    for place in reversed(source.get("joints", ())):
        text = text[:place] + text[place + 1 :]
    return text


def restore_offset(offset: int, source: Mapping[str, Any]) -> int:
    """Return an offset into the indexed text as one into `restore_text`."""
    return offset - bisect_left(source.get("joints", ()), offset)
