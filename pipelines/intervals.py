"""Sets of characters as sorted (start, end) intervals, so that no set is ever spelt out."""

from collections.abc import Iterable, Sequence

Interval = tuple[int, int]


def union(intervals: Iterable[Interval], gap: int = 0) -> tuple[Interval, ...]:
    """Merge intervals into sorted ones that neither overlap nor touch.

    Intervals without a character are dropped.

    Args:
        gap: intervals that stand at most so many characters apart are merged too.
    """
    merged: list[Interval] = []
    for start, end in sorted(intervals):
        if start >= end:
            continue
        if merged and start <= merged[-1][1] + gap:
            merged[-1] = (merged[-1][0], max(merged[-1][1], end))
        else:
            merged.append((start, end))
    return tuple(merged)


def count_characters(disjoint: Iterable[Interval]) -> int:
    """Count the characters of intervals that don't overlap."""
    return sum(end - start for start, end in disjoint)


def count_shared(left: Sequence[Interval], right: Sequence[Interval]) -> int:
    """Count the characters that two sets share, each as `union` returns it."""
    total = i = j = 0
    while i < len(left) and j < len(right):
        total += max(0, min(left[i][1], right[j][1]) - max(left[i][0], right[j][0]))
        if left[i][1] < right[j][1]:
            i += 1
        else:
            j += 1
    return total
