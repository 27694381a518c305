"""Abstracts and deletions that are looked up, written and noted as done together."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from citespan.pipelines.corpus.abstract import Abstract, AbstractReading, Deletion
from citespan.pipelines.corpus.article import Rejected
from citespan.pipelines.indexing.census import Census
from citespan.pipelines.indexing.reading.unit import Unit

_MOST_CHARACTERS = 4_000_000

AbstractEvent = tuple[Unit, AbstractReading | None]
"""What has come out of a unit; None is its end."""


@dataclass
class Part:
    """What of a unit is in a batch: how many readings, whether the unit ends with them, and what
    has become of them so far."""

    readings: int = 0
    ended: bool = False
    census: Census = field(default_factory=Census)


@dataclass
class AbstractBatch:
    """A batch; no PMID is twice in it.

    Attributes:
        most: how many readings it takes.
        readings: by PMID, each with its unit.
        parts: by unit, in the order of the units.
    """

    most: int
    readings: dict[str, tuple[Unit, Abstract | Deletion]] = field(default_factory=dict)
    parts: dict[Unit, Part] = field(default_factory=dict)
    _number: int = 0
    _characters: int = 0

    def takes(self, reading: AbstractReading | None) -> bool:
        """Whether there is room for it."""
        if reading is None:
            return True
        if self._number >= self.most or self._characters >= _MOST_CHARACTERS:
            return False
        return isinstance(reading, Rejected) or reading.id not in self.readings

    def add(self, unit: Unit, reading: AbstractReading | None) -> None:
        """Put it in; count it, if nothing is to be done about it."""
        part = self.parts.setdefault(unit, Part())
        if reading is None:
            part.ended = True
            return
        part.readings += 1
        self._number += 1
        if isinstance(reading, Rejected):
            part.census.reject(reading)
            return
        self.readings[reading.id] = unit, reading
        self._characters += len(reading.text) if isinstance(reading, Abstract) else 0


def batches(events: Iterable[AbstractEvent], most: int) -> Iterator[AbstractBatch]:
    """All events in their order, in batches of so many readings at most."""
    batch = AbstractBatch(most)
    for unit, reading in events:
        if not batch.takes(reading):
            yield batch
            batch = AbstractBatch(most)
        batch.add(unit, reading)
    if batch.parts:
        yield batch
