"""Reads units in several processes, and yields what is read in the order of the units.

Units are distributed to the processes in turn, a few at a time; what a process has read waits in a
queue of limited size until its turn comes. A process that dies, as for want of memory, is replaced
by one that reads the same units carefully; if reading a unit ends that one as well, the unit is
quarantined.

The processes stream what they read, since one unit may be an archive of thousands of articles;
libraries for process pools, such as pebble, return one result for a whole task.
"""

import signal
import subprocess
import sys
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from threading import Condition, Thread
from typing import IO, cast

from elasticsearch import Elasticsearch

from citespan.pipelines.corpus.article import Rejected
from citespan.pipelines.corpus.files import source_of
from citespan.pipelines.errors import CitespanError, InputError, MachineError
from citespan.pipelines.indexing.documents.settings import DocumentSettings
from citespan.pipelines.indexing.reading.protocol import (
    Ready,
    Setup,
    Stopped,
    Task,
    TaskReading,
    open_frame,
    read_frame,
    write_frame,
)
from citespan.pipelines.indexing.reading.unit import Event, Unit

_QUEUED_BYTES = 64 * 2**20  # in all queues
_AHEAD = 3  # tasks that a process has before it
_TASK_UNITS = 16
_TASK_BYTES = 8 * 2**20
_TASK_NAMES = 8 * 2**10  # so that sending tasks to a process never fills the pipe
_SECONDS_TO_END = 5
_STARTS = 3  # in a row, before a process is said not to start


class ReadingPool:
    """Processes that read. Use it in a `with` statement.

    Args:
        processes: how many, from 1.

    Raises:
        InputError: if the settings can't be used, as for want of the vocabulary.
    """

    def __init__(
        self,
        settings: DocumentSettings,
        connect: Callable[[], Elasticsearch],
        processes: int,
    ) -> None:
        queued = _QUEUED_BYTES // processes
        setup = Setup(settings, connect)
        self._workers = [_Worker(setup, queued) for _ in range(processes)]

    def __enter__(self) -> "ReadingPool":
        return self

    def __exit__(self, *_: object) -> None:
        for worker in self._workers:
            worker.close()

    def events(self, units: Iterable[Unit]) -> Iterator[Event]:
        """Yield everything that is read from the units, in their order.

        Raises:
            MachineError: if this machine can't read any unit.
            CitespanError: if a process can't be started.
        """
        tasks = _divide(units)
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
            yield from _read_task(worker, task)
            worker.done()


def _read_task(worker: "_Worker", task: Task) -> Iterator[Event]:
    """Yield what is read for a task that a process has been given."""
    place = received = 0
    while place < len(task.units):
        unit = task.units[place]
        frame = worker.next()
        if frame is not None:
            content = open_frame(frame)
            if isinstance(content, Stopped):
                raise MachineError(content.problem)
            number, reading = cast(TaskReading, content)
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
            worker.check_vocabulary()
            reason = f"reading it ends the process ({status}); is there too little memory for it?"
            yield Event(unit, Rejected(source_of(unit.path), reason))
            yield Event(unit, None)
            rest, received = rest[1:], 0
        elif place == 0:
            received += task.received
        task = Task(rest, careful=True, received=received)
        place = received = 0
        worker.restart(task)


class _ByteQueue:
    """A queue between two threads, first in, first out, that holds so many bytes at most.

    Args:
        most: in bytes; one item alone may be larger.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._items: deque[bytes | None] = deque()
        self._bytes = 0
        self._changed = Condition()
        self._closed = False

    def put(self, item: bytes | None) -> None:
        """Add an item as soon as there is room, unless the queue is closed."""
        size = len(item) if item is not None else 0
        with self._changed:
            self._changed.wait_for(
                lambda: self._closed or not self._bytes or self._bytes + size <= self._most
            )
            if not self._closed:
                self._items.append(item)
                self._bytes += size
                self._changed.notify_all()

    def get(self) -> bytes | None:
        """Return the next item as soon as there is one."""
        with self._changed:
            self._changed.wait_for(lambda: bool(self._items))
            item = self._items.popleft()
            self._bytes -= len(item) if item is not None else 0
            self._changed.notify_all()
            return item

    def close(self) -> None:
        """End all waiting for room."""
        with self._changed:
            self._closed = True
            self._changed.notify_all()


class _Worker:
    """A process, and the thread that receives what it sends."""

    def __init__(self, setup: Setup, queued: int) -> None:
        self._setup = setup
        self._queued = queued
        self._tasks: deque[Task] = deque()
        self._starts = 0
        self._closed = False
        self._start()

    def _start(self) -> None:
        if self._closed:
            raise CitespanError("the load has ended")
        # A process that starts would answer Ctrl-C with a traceback; it inherits what is blocked.
        blocked = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
        try:
            self._process = subprocess.Popen(
                [sys.executable, "-P", "-m", "citespan.pipelines.indexing.reading"],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
            )
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, blocked)
        self._queue = _ByteQueue(self._queued)
        assert self._process.stdout is not None
        reader = Thread(target=_receive, args=(self._process.stdout, self._queue), daemon=True)
        reader.start()
        self._ready = False
        self._starts += 1
        self._send(self._setup)
        for one in self._tasks:
            self._send(one)

    def give(self, task: Task) -> None:
        """Let the process carry out a task after those that it has."""
        self._tasks.append(task)
        self._send(task)

    def next(self) -> bytes | None:
        """The next frame of its tasks; None where the process has died of one of them.

        One that dies before it has begun is started again.

        Raises:
            InputError: if the settings can't be used, as for want of the vocabulary.
            MachineError: if the process can't be started, or the splitter's model is damaged.
        """
        while not self._ready:
            first = self._queue.get()
            if first is not None:
                ready = open_frame(first)
                assert isinstance(ready, Ready)
                if ready.problem:
                    raise (MachineError if ready.of_machine else InputError)(ready.problem)
                self._ready = True
                self._starts = 0
            elif self._starts < _STARTS:
                self.end()
                self._start()
            else:
                raise MachineError(
                    f"a process to read articles can't start ({self.status()}); is there too "
                    "little memory?"
                )
        return self._queue.get()

    def check_vocabulary(self) -> None:
        """Check that it is not the vocabulary that ends processes.

        Raises:
            MachineError: if a file of it is damaged.
        """
        source = self._setup.settings.synonym_source
        if source is not None:
            from citespan.pipelines.vocabulary.store import open_vocabulary
            from citespan.pipelines.vocabulary.store_format import VocabularyError

            try:
                open_vocabulary(source.vocabulary).verify()
            except VocabularyError as error:
                raise MachineError(str(error)) from error

    def done(self) -> None:
        """Note that its first task has ended."""
        self._tasks.popleft()

    def restart(self, task: Task) -> None:
        """Start another process in place of one that has died.

        Args:
            task: what is left of its first task.
        """
        self.end()
        self._tasks[0] = task
        self._start()

    def status(self) -> str:
        """Return how the process ended."""
        try:
            status = self._process.wait(_SECONDS_TO_END)
        except subprocess.TimeoutExpired:
            return "it is still there"
        return f"signal {-status}" if status < 0 else f"exit status {status}"

    def close(self) -> None:
        """End the process for good."""
        self._closed = True
        self.end()

    def end(self) -> None:
        """End the process, whatever it does."""
        self._process.kill()
        self._queue.close()
        self._process.wait()
        for pipe in (self._process.stdin, self._process.stdout):
            assert pipe is not None
            with suppress(BrokenPipeError):
                pipe.close()

    def _send(self, value: object) -> None:
        assert self._process.stdin is not None
        with suppress(BrokenPipeError):  # it has died; `next` will see that
            write_frame(self._process.stdin, value)
            self._process.stdin.flush()


def _receive(file: IO[bytes], queue: _ByteQueue) -> None:
    try:
        while (frame := read_frame(file)) is not None:
            queue.put(frame)
    except (OSError, ValueError):
        pass  # closed by `end`
    queue.put(None)


def _divide(units: Iterable[Unit]) -> Iterator[Task]:
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
