"""Spans of an article: all windows of consecutive sentences (paper A, section 2.1)."""

from dataclasses import dataclass

from citespan.pipelines.errors import InputError

LONGEST_ALLOWED = 20


@dataclass(frozen=True, slots=True)
class SpanLengths:
    """The least and the greatest number of sentences in a span.

    Raises:
        InputError: unless 1 <= shortest <= longest <= 20.
    """

    shortest: int = 1
    longest: int = 5

    def __post_init__(self) -> None:
        if not 1 <= self.shortest <= self.longest <= LONGEST_ALLOWED:
            raise InputError(
                f"spans of {self.shortest} to {self.longest} sentences are not possible; "
                f"use 1 <= shortest <= longest <= {LONGEST_ALLOWED}"
            )


def window_count(sentences: int, lengths: SpanLengths) -> int:
    """How many spans so many sentences have: the length of `windows`."""
    longest = min(lengths.longest, sentences)
    shortest = max(1, min(lengths.shortest, sentences))
    return sum(sentences - length + 1 for length in range(shortest, longest + 1))


def windows(sentences: int, lengths: SpanLengths) -> list[tuple[int, int]]:
    """(first, last) sentence numbers, both included, of all spans of so many sentences.

    In reading order, shorter first. An article with fewer sentences than the shortest span is
    one span.
    """
    shortest = min(lengths.shortest, sentences)
    return [
        (first, first + length - 1)
        for first in range(sentences)
        for length in range(shortest, min(lengths.longest, sentences - first) + 1)
    ]
