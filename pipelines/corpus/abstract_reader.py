"""What a reader of abstracts is, beside what every reader is."""

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Protocol, runtime_checkable

from citespan.pipelines.corpus.abstract import AbstractReading, Deletion
from citespan.pipelines.corpus.article import Article, Rejected


@runtime_checkable
class AbstractReader(Protocol):
    """A reader whose articles are abstracts, which have an index of their own."""

    def abstracts(self, unit: Path) -> Iterator[AbstractReading]:
        """The abstracts of one unit, streaming, and the deletions between them. Each record
        ends as an Abstract or a Rejected: bad input never raises."""
        ...


def without_deletions(readings: Iterable[AbstractReading]) -> Iterator[Article | Rejected]:
    """For `Reader.read`: those who read abstracts as articles have nothing to delete."""
    return (reading for reading in readings if not isinstance(reading, Deletion))
