"""The load's standard input, for the process that reads it, and again for one that replaces it."""

import os
import shutil
import sys
import tempfile
from contextlib import suppress
from io import BufferedReader
from queue import Queue
from threading import Thread
from typing import IO, cast

_CHUNK = 2**16
_MOST_KEPT = 2**30


class StandardInput:
    """Passes on standard input from its beginning, as often as a process needs it.

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
