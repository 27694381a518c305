"""Merging of retrieved spans that contain one another (paper A, section 2.4).

The score of each retrieved span is increased by the scores of all retrieved spans inside it,
each counted once with the score that the search gave it, and those are removed. What remains
has no span inside another, so merging again changes nothing.

Spans are windows of sentences, so they are laid out on a grid (length, first sentence): the
windows inside one are a triangle under it, and both sums over triangles and "is it inside
another?" are read off for all windows at once, row by row.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True, slots=True)
class ScoredSpan:
    """Sentences `first_sentence` to `last_sentence` (both included, from 0) and their score."""

    first_sentence: int
    last_sentence: int
    score: float


def ranked(spans: Sequence[ScoredSpan]) -> list[ScoredSpan]:
    """By falling score; ties in reading order, shorter first."""
    return sorted(spans, key=lambda s: (-s.score, s.first_sentence, s.last_sentence))


def merge_best(spans: Sequence[ScoredSpan], top: int) -> list[ScoredSpan]:
    """The `top` best after merging as few of the best spans as leave so many; ranked.

    The paper does not say how many spans are retrieved before they are merged. The more there
    are, the longer the merged ones get, until all are as long as spans can be; so no more are
    taken than it needs for `top` results. Where all of them leave fewer, all are merged.

    Args:
        spans: best first, no two the same.
    """
    outermost: list[ScoredSpan] = []
    for count, span in enumerate(spans, start=1):
        if any(_inside(span, other) for other in outermost):
            continue
        outermost = [other for other in outermost if not _inside(other, span)] + [span]
        if len(outermost) == top:
            return merge(spans[:count])
    return merge(spans)


def _inside(inner: ScoredSpan, outer: ScoredSpan) -> bool:
    return (
        outer.first_sentence <= inner.first_sentence and inner.last_sentence <= outer.last_sentence
    )


def merge(spans: Sequence[ScoredSpan]) -> list[ScoredSpan]:
    """The retrieved spans, each with the scores of those inside it, without those; ranked.

    Args:
        spans: in any order, no two the same.
    """
    if not spans:
        return []
    first = np.array([span.first_sentence for span in spans])
    length = np.array([span.last_sentence - span.first_sentence for span in spans])
    offset = int(first.min())
    first -= offset
    rows, columns = int(length.max()) + 1, int((first + length).max()) + 1

    scores = np.zeros((rows, columns))
    retrieved = np.zeros((rows, columns), dtype=bool)
    scores[length, first] = [span.score for span in spans]
    retrieved[length, first] = True

    # Window (l, f) holds windows (l-1, f) and (l-1, f+1); the overlap of these is (l-2, f+1).
    totals = np.zeros((rows, columns))
    totals[0] = scores[0]
    for row in range(1, rows):
        totals[row, :-1] = scores[row, :-1] + totals[row - 1, :-1] + totals[row - 1, 1:]
        if row > 1:
            totals[row, :-1] -= totals[row - 2, 1:]
    # A window is inside another if one of the two that are a sentence longer is retrieved, or
    # is itself inside another.
    covered = np.zeros((rows, columns), dtype=bool)
    for row in range(rows - 2, -1, -1):
        longer = retrieved[row + 1] | covered[row + 1]
        covered[row] = longer
        covered[row, 1:] |= longer[:-1]

    kept = retrieved & ~covered
    return ranked(
        [
            ScoredSpan(int(f) + offset, int(f + row) + offset, float(totals[row, f]))
            for row, f in zip(*np.nonzero(kept), strict=True)
        ]
    )
