"""What a citation says by itself, which is what is searched for in the cited article."""

from bisect import bisect_left
from itertools import islice
from operator import attrgetter

from citespan.pipelines.text.citations import Citation

_START = attrgetter("start")

_LONGEST = 4_000
"""In characters on either side of the marker. A longer sentence is none, such as a table without
mark-up, of which each citation would have a copy."""


def make_query(text: str, citation: Citation) -> str:
    """Return what a citation says: its clause without the markers in it.

    Args:
        text: of the article that cites.
    """
    start, end = _bound(citation.clause, citation)
    pieces = []
    markers = citation.sentence.markers
    for marker in islice(markers, bisect_left(markers, start, key=_START), None):
        if marker.start >= end:
            break
        if start <= marker.start:
            pieces.append(text[start : marker.start])
            start = max(start, marker.end)
    return " ".join(" ".join([*pieces, text[start:end]]).split())


def bound_sentence(citation: Citation) -> tuple[int, int]:
    """Return (start, end) of the citing sentence, or of what of it is near to the marker."""
    return _bound((citation.sentence.start, citation.sentence.end), citation)


def _bound(part: tuple[int, int], citation: Citation) -> tuple[int, int]:
    start, end = part
    return (
        max(start, min(citation.marker.start - _LONGEST, end)),
        min(end, max(citation.marker.end + _LONGEST, start)),
    )
