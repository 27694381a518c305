"""Sentences with nothing between them, as where an article lacks the space ("died.Cells").

In the index a space stands there, so that the sentences of a span are analysed each by itself: else
"died.Cells" would be one word. A span's document says where, and `span_text` takes it out again.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

from citespan.pipelines.corpus.article import Sentence


def joints(sentences: Sequence[Sentence]) -> list[int]:
    """Where sentences meet, as offsets into the article's text."""
    return [other.start for one, other in pairwise(sentences) if one.end == other.start]


def parted(text: str, start: int, end: int, places: Sequence[int]) -> tuple[str, list[int]]:
    """`text[start:end]` with a space at each joint inside, and where that is in what comes of it.

    Args:
        places: of `joints`.
    """
    inside = places[bisect_right(places, start) : bisect_left(places, end)]
    if not inside:
        return text[start:end], []
    pieces = [text[one:other] for one, other in pairwise([start, *inside, end])]
    return " ".join(pieces), [place - start + number for number, place in enumerate(inside)]


def span_text(source: Mapping[str, Any]) -> str:
    """The text of a span's document as it stands in the article."""
    text = str(source["text"])
    for place in reversed(source.get("joints", ())):
        text = text[:place] + text[place + 1 :]
    return text


def as_in_article(offset: int, source: Mapping[str, Any]) -> int:
    """An offset into the indexed text as one into `span_text`."""
    return offset - bisect_left(source.get("joints", ()), offset)
