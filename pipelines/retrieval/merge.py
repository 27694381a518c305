"""Merging of retrieved spans that contain one another (paper A, section 2.4).

The score of each retrieved span is increased by the scores of all retrieved spans inside it,
each counted once with the score that the search gave it, and those are removed. What remains
has no span inside another, so merging again changes nothing.

Spans are windows of sentences. The windows inside one are the two that are a sentence shorter and
the windows inside these, so both the sums and the question which window is inside another are
answered length by length.
"""

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ScoredSpan:
    """Sentences `first_sentence` to `last_sentence` (both included, from 0) and their score."""

    first_sentence: int
    last_sentence: int
    score: float


def sort_by_score(spans: Sequence[ScoredSpan]) -> list[ScoredSpan]:
    """Return the spans by falling score; ties in reading order, shorter first."""
    return sorted(spans, key=lambda s: (-s.score, s.first_sentence, s.last_sentence))


def merge_best(spans: Sequence[ScoredSpan], top: int) -> list[ScoredSpan]:
    """Return the `top` best spans after merging as few as leave so many, by falling score.

    The paper does not say how many spans are retrieved before they are merged. The more there
    are, the longer the merged ones get, until all are as long as spans can be; so no more are
    taken than `top` results need. If all of them leave fewer, all are merged.

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
    """Return the spans that are inside no other, each with the scores of those inside it added,
    by falling score.

    Args:
        spans: in any order, no two the same.
    """
    scores: dict[int, dict[int, float]] = {}  # by length (less one) and first sentence
    for span in spans:
        length = span.last_sentence - span.first_sentence
        scores.setdefault(length, {})[span.first_sentence] = span.score

    outermost: list[tuple[int, int]] = []
    windows: list[set[int]] = []  # retrieved or inside one that is, the longest first
    inner: set[int] = set()
    for length in range(max(scores, default=-1), -1, -1):
        retrieved = scores.get(length, {})
        outermost += [(length, first) for first in retrieved if first not in inner]
        windows.append(inner.union(retrieved))
        inner = windows[-1].union([first + 1 for first in windows[-1]])

    # Window (l, f) holds windows (l-1, f) and (l-1, f+1); the overlap of these is (l-2, f+1).
    totals: list[dict[int, float]] = []
    for length, starts in enumerate(reversed(windows)):
        own = scores.get(length, {})
        total = {first: own.get(first, 0.0) for first in starts}
        if length > 0:
            shorter = totals[-1]
            total = {f: score + shorter[f] + shorter[f + 1] for f, score in total.items()}
        if length > 1:
            overlap = totals[-2]
            total = {f: score - overlap[f + 1] for f, score in total.items()}
        totals.append(total)
    return sort_by_score(
        [ScoredSpan(first, first + length, totals[length][first]) for length, first in outermost]
    )
