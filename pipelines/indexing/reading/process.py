"""A process that reads units and builds their documents (`__main__.py`).

It receives its tasks on standard input and sends what it has read to standard output, as pickled
frames. It ends when either is closed, as when the load's own process ends. Keyboard interrupts are
handled by the load.
"""

import gc
import logging
import os
import signal
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from io import TextIOWrapper
from itertools import islice
from typing import IO

from elasticsearch import Elasticsearch

from citespan.es_mappings.articles import ArticleEntry
from citespan.pipelines.corpus.files import HEAD_BYTES
from citespan.pipelines.errors import CitespanError, MachineError
from citespan.pipelines.indexing.documents.builder import (
    LOOKED_UP,
    DocumentBuilder,
    LookUp,
    Unprepared,
)
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
from citespan.pipelines.indexing.reading.unchanged import UnchangedInputs
from citespan.pipelines.indexing.reading.unit_reading import read_units
from citespan.pipelines.indexing.report import LoadReport
from citespan.pipelines.indexing.writing.editions import look_up_complete, look_up_digests
from citespan.pipelines.limits import end_without_memory, stop_clock
from citespan.pipelines.store.catalogue import Catalogue
from citespan.pipelines.store.retry import RetryPolicy
from citespan.pipelines.store.server import Server, open_server


def main() -> None:
    """Carry out the tasks on standard input until it ends; an argument names the descriptor of what
    the load has there."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    logging.getLogger("elastic_transport").setLevel(logging.ERROR)
    logging.getLogger("citespan").setLevel(logging.ERROR)  # the command itself warns of plug-ins
    received, sent = sys.stdin.buffer, sys.stdout.buffer
    sys.stdout = sys.stderr  # a library that prints must not get between the frames
    given = int(sys.argv[1]) if len(sys.argv) > 1 else os.devnull
    sys.stdin = TextIOWrapper(open(given, "rb", HEAD_BYTES))  # noqa: PTH123, SIM115
    try:
        setup = _receive(received)
        if not isinstance(setup, Setup):
            return  # the load has ended
        setup.limits.enforce()
        try:
            builder = DocumentBuilder(setup.settings)
            builder.check()
        except CitespanError as error:
            write_frame(sent, Ready(str(error), isinstance(error, MachineError)))
            sent.flush()
            return
        reading = _Reading(sent, builder, setup)
        write_frame(sent, Ready())
        sent.flush()
        gc.freeze()  # what is loaded by now stays
        try:
            while isinstance(task := _receive(received), Task):
                reading.carry_out(task)
        except MachineError as error:
            write_frame(sent, Stopped(str(error)))
            sent.flush()
    except MemoryError:
        end_without_memory()
    except BrokenPipeError:
        sys.stderr.close()  # the load has ended, and has reported why


class _Reading:
    """Carries out tasks, each step within the limit of time."""

    def __init__(self, sent: IO[bytes], builder: DocumentBuilder, setup: Setup) -> None:
        self._sent = sent
        self._builder = builder
        self._limits = setup.limits
        self._connect = setup.connect
        self._client: Elasticsearch | None = None
        self._look_up = self._ask(look_up_complete)
        self._unchanged = UnchangedInputs(builder, self._ask(look_up_digests))

    def carry_out(self, task: Task) -> None:
        """Send what is read for a task."""
        found = self._read(task)
        if task.careful:
            for reading in self._build(islice(found, CAREFUL), 1):
                write_frame(self._sent, reading)
                self._sent.flush()
        for reading in self._build(found, LOOKED_UP):
            write_frame(self._sent, reading)
        self._sent.flush()

    def _read(self, task: Task) -> Iterator[tuple[int, Unprepared]]:
        """Yield what is read; each record has the whole time."""
        sent, last = 0, ""

        def reach(source: str) -> None:
            nonlocal last
            if task.careful and source != last and sent < CAREFUL:
                stop_clock()
                write_frame(self._sent, Reached(source))
                self._sent.flush()
                last = source
            self._limits.start_clock()

        for sent, reading in enumerate(read_units(task.units, reach, self._unchanged.find), 1):  # noqa: B007
            yield reading

    def _build(
        self, found: Iterator[tuple[int, Unprepared]], at_once: int
    ) -> Iterator[TaskReading]:
        """Yield what is read with its documents; the time stands still where it is sent."""
        built = self._builder.build_all(found, self._look_up, at_once)
        while True:
            self._limits.start_clock()
            reading = next(built, None)
            stop_clock()
            if reading is None:
                return
            yield reading

    def _ask(self, make: Callable[[Server, Catalogue], LookUp]) -> LookUp:
        """Return what looks up articles, and finds none if the server does not answer: the load
        itself looks again, and repeats its requests."""

        def look_up(keys: Sequence[str]) -> Mapping[str, ArticleEntry]:
            stop_clock()  # the server's time is not the unit's
            try:
                if self._connect is None:
                    return {}
                self._client = self._client or self._connect()
                with open_server(self._client, RetryPolicy(0), LoadReport()) as server:
                    return make(server, Catalogue(server.client))(keys)
            except Exception:  # noqa: BLE001  whatever it is, the load will meet and report it
                return {}
            finally:
                self._limits.start_clock()

        return look_up


def _receive(file: IO[bytes]) -> object:
    data = read_frame(file)
    return open_frame(data) if data is not None else None
