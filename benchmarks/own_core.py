"""A core for the processes that read, and the others for the server and for what sends to it."""

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Event, Thread

import psutil

from benchmarks.node import server_process

_READER = "citespan.pipelines.indexing.reading"
_LOOK_SECONDS = 0.02


def cores() -> list[int]:
    """The cores that this process may use."""
    return sorted(os.sched_getaffinity(0))


@contextmanager
def reading_on_its_own_core() -> Iterator[None]:
    """The node, this process and what it starts on all cores but the last, which is for processes
    that read articles.

    Raises:
        ValueError: where there is but one core.
    """
    every = cores()
    if len(every) < 2:
        raise ValueError("one core can't be shared out")
    server = server_process().pid
    over = Event()
    watcher = Thread(target=_move_readers, args=(every[-1:], over))
    _pin(server, every[:-1])
    _pin(os.getpid(), every[:-1])
    watcher.start()
    try:
        yield
    finally:
        over.set()
        watcher.join()
        _pin(os.getpid(), every)
        _pin(server, every)


def _move_readers(to: list[int], over: Event) -> None:
    moved: set[int] = set()
    while not over.is_set():
        for child in psutil.Process().children(recursive=True):
            with suppress(psutil.NoSuchProcess):
                if child.pid not in moved and _READER in child.cmdline():
                    _pin(child.pid, to)
                    moved.add(child.pid)
        time.sleep(_LOOK_SECONDS)


def _pin(process: int, to: list[int]) -> None:
    """All threads of a process, which hand it on to those that they start."""
    for thread in Path(f"/proc/{process}/task").iterdir():
        with suppress(ProcessLookupError):  # it has ended
            os.sched_setaffinity(int(thread.name), to)
