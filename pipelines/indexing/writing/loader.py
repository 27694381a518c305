"""Bulk loading: groups of readings are written, then committed to the checkpoint.

The documents of a group come first, then a refresh, then the entries of the catalogue, which
switch searches to an article's new edition, then the deletion of what they replace, and last the
checkpoint. Wherever a load ends, at most one group is written twice when it is resumed; what the
interrupted one has left under another name is deleted at the end.
"""

import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from queue import Queue
from threading import Thread

from citespan.pipelines.indexing.reading.unit import Event, Unit
from citespan.pipelines.indexing.report import LoadReport
from citespan.pipelines.indexing.writing.checkpoint import Checkpoint
from citespan.pipelines.indexing.writing.target import Group, Target

_FIRST_READINGS = 16  # of the first group, so that the server has something to do soon
_GROUP_BYTES = 16 * 2**20
_GROUP_SECONDS = 10.0


@dataclass
class Loader:
    """Loads events into a target.

    Attributes:
        report: counts what became of each input.
        on_input: called with the number of inputs that have just been dealt with.
        before_group: called before a group is written.
    """

    target: Target
    checkpoint: Checkpoint
    report: LoadReport
    on_input: Callable[[int], None]
    before_group: Callable[[], None] = lambda: None
    _last: Unit | None = field(default=None, init=False)

    def load(self, events: Iterable[Event], ahead: bool = True) -> None:
        """Load all events; what can't be loaded is counted, and the rest continues.

        What all readings share must be there (`Target.ensure`).

        Args:
            ahead: whether to read the next group while one is written.

        Raises:
            ElasticsearchUnreachableError: if the server goes away; what is loaded stays.
            CitespanError: if the server refuses the whole load, as for want of permission, or
                the checkpoint can't be written.
        """
        groups = self._prepare(events)
        for group in _read_ahead(groups) if ahead else groups:
            self.before_group()
            self.target.write(group)
            self._commit(group)
        self.target.finish()

    def _prepare(self, events: Iterable[Event]) -> Iterator[Group]:
        for group in self._divide(events):
            self.target.prepare(group)
            yield group

    def _divide(self, events: Iterable[Event]) -> Iterator[Group]:
        """Divide events into groups that grow up to the target's limit."""
        most = min(_FIRST_READINGS, self.target.group_readings)
        group, size, started = Group(), 0, time.monotonic()
        for event in events:
            if event.reading is not None and not self.target.fits(group, event.reading):
                yield group
                group, size, started = Group(), 0, time.monotonic()
            group.add(event)
            size += self.target.size(event.reading) if event.reading is not None else 0
            if (
                len(group.events) >= most
                or size >= _GROUP_BYTES
                or time.monotonic() - started > _GROUP_SECONDS
            ):
                yield group
                group, size, started = Group(), 0, time.monotonic()
                most = min(2 * most, self.target.group_readings)
        if group.events:
            yield group

    def _commit(self, group: Group) -> None:
        """Store what became of a group, and count it, together with what earlier runs have dealt
        with in units that are met for the first time."""
        parts: dict[Unit, tuple[int, bool, LoadReport]] = {}
        stored: dict[Unit, list[str]] = {}
        for event, report in zip(group.events, group.reports, strict=True):
            readings, ended, total = parts.get(event.unit, (0, False, LoadReport()))
            total.add(report)
            is_end = event.reading is None
            parts[event.unit] = (readings + (not is_end), ended or is_end, total)
            if event.reading is not None and (report.articles or report.unchanged):
                stored.setdefault(event.unit, []).append(event.reading.id)  # type: ignore[union-attr]
        counted = LoadReport()
        for unit, (_, _, report) in parts.items():
            if unit != self._last and (unit.done or unit.finished):
                counted.add(self.checkpoint.report(unit))
            self._last = unit
            counted.add(report)
        unfinished = {unit: part for unit, part in parts.items() if not unit.finished}
        self.checkpoint.commit(unfinished, group.articles, group.name, self.target.name, stored)
        self.report.add(counted)
        self.on_input(counted.inputs)


def _read_ahead(groups: Iterator[Group]) -> Iterator[Group]:
    """Yield all groups, computing the next one in a thread while the caller uses the last."""
    ready: Queue[Group | BaseException | None] = Queue(maxsize=1)
    wanted: Queue[bool] = Queue()

    def read() -> None:
        try:
            while wanted.get():
                group = next(groups, None)
                ready.put(group)
                if group is None:
                    return
        except BaseException as error:  # noqa: BLE001  raised again by the reader of the queue
            ready.put(error)

    # It may be waiting for input when the load ends, so nothing waits for it.
    Thread(target=read, daemon=True).start()
    wanted.put(True)
    try:
        while (group := ready.get()) is not None:
            if isinstance(group, BaseException):
                raise group
            wanted.put(True)
            yield group
    finally:
        wanted.put(False)
