"""Reads units in several processes, and yields what is read in the order of the units.

Units are distributed to the processes in turn, a few at a time; what a process has read waits in a
queue of limited size until its turn comes. A process that dies, as one does that meets its limits
of time or memory, is replaced by one that reads the same carefully. If that one dies as well, what
it was reading is quarantined: a record of a list, a file of an archive, or the rest of a file that
can't be divided.

The processes stream what they read, since one unit may be an archive of thousands of articles;
libraries for process pools, such as pebble, return one result for a whole task.
"""

import os
import shutil
import signal
import subprocess
import sys
import tempfile
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import replace
from io import BufferedReader
from queue import Queue
from threading import Condition, RLock, Thread
from typing import IO, cast

from elasticsearch import Elasticsearch

from citespan.pipelines.corpus.article import Rejected
from citespan.pipelines.corpus.files import STANDARD_INPUT, source_of
from citespan.pipelines.errors import CitespanError, InputError, MachineError
from citespan.pipelines.indexing.documents.settings import DocumentSettings
from citespan.pipelines.indexing.reading.protocol import (
    CAREFUL,
    Reached,
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
from citespan.pipelines.limits import Limits, describe

_QUEUED_BYTES = 64 * 2**20  # in all queues
_AHEAD = 3  # tasks that a process has before it
_TASK_UNITS = 16
_TASK_BYTES = 8 * 2**20
_TASK_NAMES = 8 * 2**10  # so that sending tasks to a process never fills the pipe
_SECONDS_TO_END = 5
_DEFAULT_LIMITS = Limits()
_ENDED = "the load has ended"
_STARTS = 3  # in a row, before a process is said not to start


class ReadingPool:
    """Processes that read. Use it in a `with` statement. The first starts at once, the others when
    there is a task for them.

    Args:
        connect: as in `Setup`.
        processes: how many, from 1.
        limits: of what is read and built for one input.
        standard_input: whether that is among the units; a single process then reads them all.

    Raises:
        InputError: if the settings can't be used, as for want of the vocabulary.
    """

    def __init__(
        self,
        settings: DocumentSettings,
        connect: Callable[[], Elasticsearch] | None,
        processes: int,
        limits: Limits = _DEFAULT_LIMITS,
        standard_input: bool = False,
    ) -> None:
        self._setup = Setup(settings, connect, limits)
        self._most = 1 if standard_input else processes
        # A process ends with the thread that has started it.
        self._starter = ThreadPoolExecutor(1, "start")
        self._standard_input = _StandardInput() if standard_input else None
        self._workers: list[_Worker] = []
        self._closed = False
        self._lock = RLock()  # the load may end while another thread starts a process
        self._start()

    def __enter__(self) -> "ReadingPool":
        return self

    def __exit__(self, *_: object) -> None:
        with self._lock:
            self._closed = True
        for worker in self._workers:
            worker.close()
        self._starter.shutdown(wait=False)

    def _start(self) -> None:
        queued = _QUEUED_BYTES // self._most
        with self._lock:
            if self._closed:
                raise CitespanError(_ENDED)
            worker = _Worker(self._setup, queued, self._starter, self._standard_input)
            self._workers.append(worker)

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
            while len(waiting) < _AHEAD * self._most and (task := next(tasks, None)):
                if turn and len(self._workers) < self._most:
                    self._start()
                worker = self._workers[turn % self._most]
                turn += 1
                worker.give(task)
                waiting.append((worker, task))
            if not waiting:
                return
            worker, task = waiting.popleft()
            yield from self._read_task(worker, task)
            worker.done()

    def _read_task(self, worker: "_Worker", task: Task) -> Iterator[Event]:
        """Yield what is read for a task that a process has been given."""
        careful = False
        received, reached = 0, ""  # from the process that is at work now
        place, done, lost = 0, 0, frozenset[str]()  # of the unit, what is dealt with
        while place < len(task.units):
            unit = task.units[place]
            frame = worker.next()
            if frame is not None:
                content = open_frame(frame)
                if isinstance(content, Stopped):
                    raise MachineError(content.problem)
                if isinstance(content, Reached):
                    reached = content.source
                    continue
                received, reached = received + 1, ""
                _, reading = cast(TaskReading, content)
                if reading is not None:
                    done += 1
                    yield Event(unit, reading)
                    continue
                if problem := self._problem_of(unit):
                    yield Event(unit, Rejected(source_of(unit.path), problem))
                yield Event(unit, None)
                place, done, lost = place + 1, 0, frozenset()
                continue
            repeatable = self._can_repeat(unit)
            # Between two records it is only to blame if it came no further the second time.
            if not repeatable or (careful and received < CAREFUL and (reached or not received)):
                reason = worker.explain()
                if reached and repeatable:
                    yield Event(unit, Rejected(reached, reason))
                    done, lost = done + 1, lost | {reached}
                else:
                    if unit.done + done:
                        reason += f"; the {unit.done + done:,} records before that are read"
                    yield Event(unit, Rejected(source_of(unit.path), reason))
                    yield Event(unit, None)
                    place, done, lost = place + 1, 0, frozenset()
            first = [
                replace(unit, done=unit.done + done, lost=unit.lost | lost)
                for unit in task.units[place : place + 1]
            ]
            careful, received, reached = True, 0, ""
            worker.restart(Task((*first, *task.units[place + 1 :]), careful))

    def _can_repeat(self, unit: Unit) -> bool:
        given = self._standard_input
        return unit.path != STANDARD_INPUT or given is None or given.repeatable

    def _problem_of(self, unit: Unit) -> str:
        given = self._standard_input
        return given.problem if unit.path == STANDARD_INPUT and given is not None else ""


_CHUNK = 2**16
_MOST_KEPT = 2**30


class _StandardInput:
    """Passes on standard input from its beginning, as often as a process that reads it is replaced.

    Attributes:
        repeatable: whether all that has been read of it is kept, in a temporary file; at most 1 GiB
            is.
        problem: why it could not be read to its end; "" if it could.
    """

    def __init__(self) -> None:
        self.repeatable = True
        self.problem = ""
        self._kept: IO[bytes] | None = None
        self._ended = False
        self._wanted: Queue[int] = Queue()
        Thread(target=self._pass_on, daemon=True).start()

    def open(self) -> int:
        """Return the descriptor of a pipe that all of standard input will go through."""
        reading, writing = os.pipe()
        self._wanted.put(writing)
        return reading

    def _pass_on(self) -> None:
        while True:
            with (
                suppress(BrokenPipeError),  # the process has died
                os.fdopen(self._wanted.get(), "wb", buffering=0) as pipe,
            ):
                if self._kept is not None:
                    self._kept.seek(0)
                    shutil.copyfileobj(self._kept, pipe)
                while chunk := self._read():
                    pipe.write(chunk)

    def _read(self) -> bytes:
        """Return the next bytes, once they are kept; none at the end."""
        if self._ended:
            return b""
        try:
            chunk = cast(BufferedReader, sys.stdin.buffer).read1(_CHUNK)
        except OSError as error:
            self.problem = f"can't be read: {error.strerror}"
            chunk = b""
        self._ended = not chunk
        try:
            if self._kept is None and self.repeatable:
                self._kept = tempfile.TemporaryFile(buffering=0)  # noqa: SIM115
            if self._kept is not None:
                self._kept.write(chunk)
                if self._kept.tell() > _MOST_KEPT:
                    self._forget()
        except OSError:  # no room for it
            self._forget()
        return chunk

    def _forget(self) -> None:
        self.repeatable = False
        if self._kept is not None:
            self._kept.close()
            self._kept = None


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
    """A process, and the thread that receives what it sends.

    Args:
        queued: how many bytes of that may wait.
        starter: whose thread starts processes, since a process ends with its thread.
    """

    def __init__(
        self,
        setup: Setup,
        queued: int,
        starter: ThreadPoolExecutor,
        standard_input: "_StandardInput | None",
    ) -> None:
        self._setup = setup
        self._queued = queued
        self._starter = starter
        self._standard_input = standard_input
        self._tasks: deque[Task] = deque()
        self._starts = 0
        self._closed = False
        self._lock = RLock()  # as in the pool
        self._start()

    def _start(self) -> None:
        with self._lock:
            if self._closed:
                raise CitespanError(_ENDED)
            self._process = self._starter.submit(_start_process, self._standard_input).result()
        self._queue = _ByteQueue(self._queued)
        assert self._process.stdout is not None
        reader = Thread(target=_receive, args=(self._process.stdout, self._queue), daemon=True)
        reader.start()
        self._ready = False
        self._starts += 1
        self._send(self._setup)
        for task in self._tasks:
            self._send(task)

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
                    f"a process to read articles can't start ({describe(self._wait())}); is there "
                    "too little memory?"
                )
        return self._queue.get()

    def explain(self) -> str:
        """Return why the process has ended at what it reads.

        Raises:
            MachineError: if that is a damaged file of the vocabulary.
        """
        reason = self._setup.limits.explain(self._wait())
        source = self._setup.settings.synonym_source
        if source is not None:
            from citespan.pipelines.vocabulary.store import open_vocabulary
            from citespan.pipelines.vocabulary.store_format import VocabularyError

            try:
                open_vocabulary(source.vocabulary).verify()
            except VocabularyError as error:
                raise MachineError(str(error)) from error
        return reason

    def _wait(self) -> int | None:
        """Return the status that the process has ended with; None if it is still there."""
        try:
            return self._process.wait(_SECONDS_TO_END)
        except subprocess.TimeoutExpired:
            return None

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

    def close(self) -> None:
        """End the process for good."""
        with self._lock:
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


def _start_process(standard_input: "_StandardInput | None") -> "subprocess.Popen[bytes]":
    # A process that starts would answer Ctrl-C with a traceback; it inherits what is blocked.
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    given = [standard_input.open()] if standard_input is not None else []
    try:
        return subprocess.Popen(  # noqa: S603  our own
            [sys.executable, "-P", "-m", "citespan.pipelines.indexing.reading", *map(str, given)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            pass_fds=given,
        )
    finally:
        for descriptor in given:
            os.close(descriptor)


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
