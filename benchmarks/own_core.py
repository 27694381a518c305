"""A core for the server and the others for what runs beside it, so that neither slows the other."""

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from urllib.parse import urlsplit

import psutil


def cores() -> list[int]:
    """The cores that this process may use."""
    return sorted(os.sched_getaffinity(0))


@contextmanager
def server_on_its_own_core() -> Iterator[None]:
    """The node on one core; this process, and what it starts, on the others.

    Raises:
        ValueError: where there is but one core.
    """
    every = cores()
    if len(every) < 2:
        raise ValueError("one core can't be shared out")
    server = _listening(urlsplit(os.environ["CITESPAN_ES_URL"]).port)
    _pin(server, every[:1])
    _pin(os.getpid(), every[1:])
    try:
        yield
    finally:
        _pin(os.getpid(), every)
        _pin(server, every)


def _listening(port: int | None) -> int:
    """The process that listens at a port."""
    return next(
        int(one.pid)
        for one in psutil.net_connections("tcp")
        if one.status == psutil.CONN_LISTEN and one.laddr.port == port and one.pid
    )


def _pin(process: int, to: list[int]) -> None:
    """All threads of a process, which hand it on to those that they start."""
    for thread in Path(f"/proc/{process}/task").iterdir():
        with suppress(ProcessLookupError):  # it has ended
            os.sched_setaffinity(int(thread.name), to)
