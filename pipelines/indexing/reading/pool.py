"""Units read in several processes, and given back in their order, however fast each is.

Units are dealt to the processes in turn, a few at a time; what a process has read waits in a
queue of limited size until its turn comes. A process that dies, as for want of memory, is replaced
by one that reads the same units carefully; the unit that this one dies of is quarantined.
"""

import subprocess
import sys
from collections import deque
from collections.abc import Iterable, Iterator
from contextlib import suppress
from threading import Thread
from typing import IO, cast

from citespan.pipelines.corpus.article import Rejected
from citespan.pipelines.corpus.files import source_of
from citespan.pipelines.errors import CitespanError, InputError
from citespan.pipelines.indexing.reading.byte_queue import ByteQueue
from citespan.pipelines.indexing.reading.protocol import (
    Reading,
    Ready,
    Task,
    opened,
    read_frame,
    write_frame,
)
from citespan.pipelines.indexing.reading.recipe import Recipe
from citespan.pipelines.indexing.reading.unit import Event, Unit

_QUEUED_BYTES = 64 * 2**20  # in all queues
_AHEAD = 3  # tasks that a process has before it
_TASK_UNITS = 16
_TASK_BYTES = 8 * 2**20
_TASK_NAMES = 8 * 2**10  # so that telling a process its tasks never fills the pipe
_SECONDS_TO_END = 5
_STARTS = 3  # in a row, before a process is said not to start


class ReadingPool:
    """Processes that read. Use it in a `with` statement.

    Args:
        processes: how many, from 1.

    Raises:
        InputError: where the recipe can't be followed.
    """

    def __init__(self, recipe: Recipe, processes: int) -> None:
        queued = _QUEUED_BYTES // processes
        self._workers = [_Worker(recipe, queued) for _ in range(processes)]

    def __enter__(self) -> "ReadingPool":
        return self

    def __exit__(self, *_: object) -> None:
        for worker in self._workers:
            worker.end()

    def events(self, units: Iterable[Unit]) -> Iterator[Event]:
        """All that comes out of the units, in their order.

        Raises:
            CitespanError: where a process can't be started.
        """
        tasks = _tasks(units)
        waiting: deque[tuple[_Worker, Task]] = deque()
        turn = 0
        while True:
            while len(waiting) < _AHEAD * len(self._workers) and (task := next(tasks, None)):
                worker = self._workers[turn % len(self._workers)]
                turn += 1
                worker.give(task)
                waiting.append((worker, task))
            if not waiting:
                return
            worker, task = waiting.popleft()
            yield from _events(worker, task)
            worker.done()


def _events(worker: "_Worker", task: Task) -> Iterator[Event]:
    """What comes out of a task that a process has been given."""
    place = received = 0
    while place < len(task.units):
        unit = task.units[place]
        frame = worker.next()
        if frame is not None:
            number, reading = cast(Reading, opened(frame))
            assert number == place
            yield Event(unit, reading)
            if reading is None:
                place, received = place + 1, 0
            else:
                received += 1
            continue
        status = worker.status()
        rest = task.units[place:]
        if task.careful:
            reason = f"reading it ends the process ({status}); is there too little memory for it?"
            yield Event(unit, Rejected(source_of(unit.path), reason))
            yield Event(unit, None)
            rest, received = rest[1:], 0
        elif place == 0:
            received += task.received
        task = Task(rest, careful=True, received=received)
        place = received = 0
        worker.restart(task)


class _Worker:
    """A process, and the thread that takes what it tells."""

    def __init__(self, recipe: Recipe, queued: int) -> None:
        self._recipe = recipe
        self._queued = queued
        self._tasks: deque[Task] = deque()
        self._starts = 0
        self._start()

    def _start(self) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-P", "-m", "citespan.pipelines.indexing.reading.process"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )
        self._queue = ByteQueue(self._queued)
        assert self._process.stdout is not None
        reader = Thread(target=_take, args=(self._process.stdout, self._queue), daemon=True)
        reader.start()
        self._ready = False
        self._starts += 1
        self._tell(self._recipe)
        for one in self._tasks:
            self._tell(one)

    def give(self, task: Task) -> None:
        """Let it do a task after those that it has."""
        self._tasks.append(task)
        self._tell(task)

    def next(self) -> bytes | None:
        """The next frame of its tasks; None where the process has died of one of them.

        One that dies before it has begun is started again.

        Raises:
            InputError: where the recipe can't be followed.
            CitespanError: where the process can't be started.
        """
        while not self._ready:
            first = self._queue.get()
            if first is not None:
                ready = opened(first)
                assert isinstance(ready, Ready)
                if ready.problem:
                    raise InputError(ready.problem)
                self._ready = True
                self._starts = 0
            elif self._starts < _STARTS:
                self.end()
                self._start()
            else:
                raise CitespanError(f"a process to read articles can't start ({self.status()})")
        return self._queue.get()

    def done(self) -> None:
        """Its first task has ended."""
        self._tasks.popleft()

    def restart(self, task: Task) -> None:
        """Start another process in place of one that has died.

        Args:
            task: what is left of the first one.
        """
        self.end()
        self._tasks[0] = task
        self._start()

    def status(self) -> str:
        """How the process ended."""
        try:
            status = self._process.wait(_SECONDS_TO_END)
        except subprocess.TimeoutExpired:
            return "it is still there"
        return f"signal {-status}" if status < 0 else f"exit status {status}"

    def end(self) -> None:
        """End the process, whatever it does."""
        self._process.kill()
        self._queue.close()
        self._process.wait()
        for pipe in (self._process.stdin, self._process.stdout):
            assert pipe is not None
            with suppress(BrokenPipeError):
                pipe.close()

    def _tell(self, value: object) -> None:
        assert self._process.stdin is not None
        with suppress(BrokenPipeError):  # it has died; `next` will see that
            write_frame(self._process.stdin, value)
            self._process.stdin.flush()


def _take(told: IO[bytes], queue: ByteQueue) -> None:
    try:
        while (frame := read_frame(told)) is not None:
            queue.put(frame)
    except (OSError, ValueError):
        pass  # closed by `end`
    queue.put(None)


def _tasks(units: Iterable[Unit]) -> Iterator[Task]:
    task: list[Unit] = []
    size = names = 0
    for unit in units:
        task.append(unit)
        size += max(0, unit.size)
        names += len(str(unit.path)) + len(unit.key)
        if len(task) >= _TASK_UNITS or size >= _TASK_BYTES or names >= _TASK_NAMES:
            yield Task(tuple(task))
            task, size, names = [], 0, 0
    if task:
        yield Task(tuple(task))
