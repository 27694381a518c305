"""A process that reads units and builds their documents (`__main__.py`).

It receives its tasks on standard input and sends what it has read to standard output, as pickled
frames. It ends when either is closed, as when the load's own process ends. Keyboard interrupts are
handled by the load.
"""

import gc
import logging
import signal
import sys
from collections.abc import Iterator, Mapping, Sequence
from typing import IO

from citespan.es_mappings.articles import ArticleEntry
from citespan.pipelines.errors import CitespanError, MachineError
from citespan.pipelines.indexing.bulk.retry import RetryPolicy
from citespan.pipelines.indexing.catalogue import Catalogue
from citespan.pipelines.indexing.documents.builder import LOOKED_UP, DocumentBuilder, LookUp
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
from citespan.pipelines.indexing.reading.unit_reading import read_articles
from citespan.pipelines.indexing.report import LoadReport
from citespan.pipelines.indexing.server import open_server
from citespan.pipelines.indexing.writing.editions import look_up_complete


def main() -> None:
    """Carry out the tasks on standard input until it ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    logging.getLogger("elastic_transport").setLevel(logging.ERROR)
    logging.getLogger("citespan").setLevel(logging.ERROR)  # the command itself warns of plug-ins
    received, sent = sys.stdin.buffer, sys.stdout.buffer
    sys.stdout = sys.stderr  # a library that prints must not get between the frames
    try:
        setup = _receive(received)
        if not isinstance(setup, Setup):
            return  # the load has ended
        try:
            builder = DocumentBuilder(setup.settings)
            builder.check()
        except CitespanError as error:
            write_frame(sent, Ready(str(error), isinstance(error, MachineError)))
            sent.flush()
            return
        look_up = _look_up_if_possible(setup)
        write_frame(sent, Ready())
        sent.flush()
        gc.freeze()  # what is loaded by now stays
        try:
            while isinstance(task := _receive(received), Task):
                for reading in _read(task, builder, look_up):
                    write_frame(sent, reading)
                    if task.careful:
                        sent.flush()
                sent.flush()
        except MachineError as error:
            write_frame(sent, Stopped(str(error)))
            sent.flush()
    except BrokenPipeError:
        sys.stderr.close()  # the load has ended, and has reported why


def _read(task: Task, builder: DocumentBuilder, look_up: LookUp) -> Iterator[TaskReading]:
    found = read_articles(task.units, task.received)
    return builder.build_all(found, look_up, 1 if task.careful else LOOKED_UP)


def _receive(file: IO[bytes]) -> object:
    data = read_frame(file)
    return open_frame(data) if data is not None else None


def _look_up_if_possible(setup: Setup) -> LookUp:
    """Return what looks up articles, and finds none if the server does not answer: the load
    itself looks again, and repeats its requests."""
    client = None

    def look_up(article_ids: Sequence[str]) -> Mapping[str, ArticleEntry]:
        nonlocal client
        try:
            client = client or setup.connect()
            with open_server(client, RetryPolicy(0), LoadReport()) as server:
                return look_up_complete(server, Catalogue(server.client))(article_ids)
        except Exception:  # noqa: BLE001  whatever it is, the load will meet and report it
            return {}

    return look_up
