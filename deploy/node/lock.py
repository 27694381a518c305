"""Keeping two citespan processes from doing the same work at once."""

import fcntl
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from citespan.deploy.node.progress import Progress


@contextmanager
def locked(file: Path, progress: Progress) -> Iterator[None]:
    """Hold the lock of `file`, waiting for it as long as another process has it.

    The system frees the lock when its holder ends, however it ends.
    """
    with file.open("a") as handle:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            progress("waiting for another citespan that is at work on the node", None)
            fcntl.flock(handle, fcntl.LOCK_EX)
        yield
