"""The length of the longest common subsequence, by bit-parallel dynamic programming.

H. Hyyrö, "Bit-parallel LCS-length computation revisited", AWOCA 2004. A table of the two
lengths, as the rouge-score library fills it in Python, is too slow for whole collections.
"""

from collections.abc import Hashable, Sequence


def common_subsequence_length(left: Sequence[Hashable], right: Sequence[Hashable]) -> int:
    """How many items the longest common subsequence has."""
    places: dict[Hashable, int] = {}
    for place, item in enumerate(left):
        places[item] = places.get(item, 0) | 1 << place
    row = every = (1 << len(left)) - 1
    for item in right:
        matches = row & places.get(item, 0)
        row = (row + matches | row - matches) & every
    return len(left) - row.bit_count()
