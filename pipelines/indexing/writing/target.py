"""What a load writes into: articles in a layout, or abstracts."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from citespan.pipelines.corpus.article import Rejected
from citespan.pipelines.indexing.reading.unit import Event, Reading
from citespan.pipelines.indexing.report import LoadReport


@dataclass
class Group:
    """Readings that are written together.

    Attributes:
        reports: what became of each event, in their order.
        ids: of the readings, apart from those that are rejected.
        articles: id, source and key of the unit of each article that the load must not read twice.
        prepared: what the target has computed before it writes the group.
        name: identifies what the group has written; "" if it needs no name.
    """

    events: list[Event] = field(default_factory=list)
    reports: list[LoadReport] = field(default_factory=list)
    ids: set[str] = field(default_factory=set)
    articles: list[tuple[str, str, str]] = field(default_factory=list)
    prepared: Any = None
    name: str = ""

    def add(self, event: Event) -> None:
        """Add an event; count it if it is rejected."""
        report = LoadReport()
        if isinstance(event.reading, Rejected):
            report.reject(event.reading)
        elif event.reading is not None:
            self.ids.add(event.reading.id)
        self.events.append(event)
        self.reports.append(report)


class Target(Protocol):
    """Writes groups of readings.

    Attributes:
        name: tells it from the other targets of a load.
        group_readings: how many readings a group has at most.
    """

    name: str
    group_readings: int

    def ensure(self) -> None:
        """Create what all readings share."""
        ...

    def shared_indices(self) -> list[str]:
        """Return the names of the indices, or aliases, that all readings share."""
        ...

    def find_missing(self, ids: Sequence[str]) -> set[str]:
        """Return those of some readings that are not stored, or not as a whole."""
        ...

    def fits(self, group: Group, reading: Reading) -> bool:
        """Whether a group may contain a reading, apart from its size."""
        ...

    def size(self, reading: Reading) -> int:
        """Return about how many bytes a reading takes."""
        ...

    def prepare(self, group: Group) -> None:
        """Compute what writing the group needs, in another thread, while an earlier group is
        written."""
        ...

    def write(self, group: Group) -> None:
        """Write a group so that searches find it, and count each event in its report."""
        ...

    def finish(self) -> None:
        """Make the last changes searchable, and delete what earlier runs have left behind."""
        ...
