"""The folder of a server for the manuscripts that are being checked.

It is locked while the server lives, so that the next server finds what one that was killed has
left, and deletes it.
"""

import fcntl
import os
import shutil
import tempfile
import time
from contextlib import suppress
from pathlib import Path

_PREFIX = "citespan-serve-"
_LOCK = "lock"
_SECONDS_TO_LOCK = 60


class CheckFolder:
    """A folder that only this user can enter. Close it to delete it."""

    def __init__(self) -> None:
        delete_abandoned()
        self.path = Path(tempfile.mkdtemp(prefix=_PREFIX))
        self._lock = (self.path / _LOCK).open("w")
        fcntl.flock(self._lock, fcntl.LOCK_EX)

    def close(self) -> None:
        """Delete the folder with all that is in it."""
        shutil.rmtree(self.path, ignore_errors=True)
        self._lock.close()


def delete_abandoned() -> None:
    """Delete the folders of this user's servers that have ended without doing it."""
    for folder in Path(tempfile.gettempdir()).glob(f"{_PREFIX}*"):
        with suppress(OSError):  # of somebody else, or of a server that is deleting it
            if not folder.is_symlink() and folder.stat().st_uid == os.getuid():
                _delete_if_abandoned(folder)


def _delete_if_abandoned(folder: Path) -> None:
    try:
        with (folder / _LOCK).open("r+") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            shutil.rmtree(folder)
    except FileNotFoundError:
        if time.time() - folder.stat().st_mtime > _SECONDS_TO_LOCK:
            shutil.rmtree(folder)
