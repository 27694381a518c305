"""Manuscripts that wait for a check, are being checked, or could not be checked."""

import fcntl
import os
import secrets
import shutil
import tempfile
import time
from collections import OrderedDict
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path, PurePath
from threading import Lock
from typing import Any, Literal

from citespan.pipelines.errors import InputError, raise_if_machine
from citespan.pipelines.ranking.ranker import DEFAULT
from citespan.serve.check_process import MANUSCRIPT, CheckProcess
from citespan.serve.kept import KeptCheck, KeptChecks
from citespan.serve.problems import LOG, BusyError, MissingPageError, Problem, describe

SUFFIXES = (
    *(".md", ".markdown", ".qmd", ".rmd", ".tex", ".latex", ".docx", ".xml", ".nxml", ".tei"),
    *(".txt", ".json", ".jsonl", ".pdf", ".zip"),
)
SECONDS = 300
"""How long a check may take, unless another limit is given."""
_BIBLIOGRAPHIES = (".bib",)
_LONGEST_NAME = 200  # in bytes; file systems take 255
_AT_ONCE = 2
_MOST_FAILED = 100
_MOST_WAITING = 40
_MOST_WAITING_OF_ONE = 4
_MOST_TURNS = 1000
_FOLDER_PREFIX = "citespan-serve-"
_LOCK = "lock"
_SECONDS_TO_LOCK = 60

State = Literal["waiting", "checking", "done", "failed"]


@dataclass(slots=True, eq=False)
class Check:
    """A manuscript that was sent to be checked.

    Attributes:
        name: of its file.
        address: of whoever has sent it.
        ranker: the name of what judges the cited articles.
        done, total: numbers of citations; 0 while the manuscript is read.
        problem: why it failed.
        process: what checks it at the moment.
        kept: what that has written, once it is done.
    """

    id: str
    name: str
    address: str = ""
    ranker: str = DEFAULT
    state: State = "waiting"
    done: int = 0
    total: int = 0
    problem: Problem | None = None
    process: CheckProcess | None = None
    kept: KeptCheck | None = None

    @property
    def has_ended(self) -> bool:
        """Whether it is done or has failed."""
        return self.state in ("done", "failed")

    def to_json(self) -> dict[str, Any]:
        """Return how far it is as the API does."""
        return {
            "id": self.id,
            "name": self.name,
            "state": self.state,
            "done": self.done,
            "total": self.total,
            "problem": self.problem.message if self.problem is not None else None,
        }


class Checks:
    """Checks manuscripts, each in a process of its own, and one of each address at a time.

    Args:
        seconds: how long a check may take.
        kept: as in `CheckProcess`.
        keep: the folder for those that are done; None for that of this user.

    Attributes:
        warning: why those that are done are not kept for good; "" if they are.
    """

    def __init__(self, seconds: int, kept: Path | None, keep: Path | None) -> None:
        self._seconds = seconds
        self._kept_articles = kept
        self._folder = CheckFolder()
        self._done = KeptChecks(keep, self._folder.path / "done")
        self.warning = self._done.warning
        # A thread waits for its process to the end: the system kills what a dead thread started.
        self._threads = ThreadPoolExecutor(_AT_ONCE, "check")
        self._lock = Lock()
        self._pending: OrderedDict[str, Check] = OrderedDict()
        self._turns: OrderedDict[str, float] = OrderedDict()

    def close(self) -> None:
        """End the checks that are not done, and delete their files."""
        for key in [*self._pending]:
            self._end(key)
        self._threads.shutdown()
        self._folder.close()

    def add(self, files: Mapping[str, bytes], address: str = "", ranker: str = DEFAULT) -> Check:
        """Take a manuscript, which is checked when it is its sender's turn.

        Args:
            files: the manuscript, and what it names for its references, by their names.
            address: of the sender.
            ranker: the name of what judges the cited articles.

        Raises:
            InputError: if there is not one manuscript among them.
            BusyError: if too many wait.
            MachineError: if there is no room for the files.
        """
        check = Check(secrets.token_urlsafe(12), find_manuscript(files), address, ranker)
        sent = self._folder.path / check.id / MANUSCRIPT
        try:
            sent.mkdir(parents=True)
            for name, content in files.items():
                (sent / name).write_bytes(content)
            with self._lock:
                self._require_room(address)
                self._pending[check.id] = check
        except BaseException as error:
            shutil.rmtree(sent.parent, ignore_errors=True)
            if isinstance(error, OSError):
                raise_if_machine(error)
            raise
        self._start_next()
        return check

    def _require_room(self, address: str) -> None:
        waiting = [check.address for check in self._pending.values() if not check.has_ended]
        if waiting.count(address) >= _MOST_WAITING_OF_ONE:
            raise BusyError(f"{_MOST_WAITING_OF_ONE} manuscripts of yours wait; send it later")
        if len(waiting) >= _MOST_WAITING:
            raise BusyError(f"{len(waiting)} manuscripts wait to be checked; send yours later")

    def find(self, key: str) -> Check:
        """Return a check by its id.

        Raises:
            MissingPageError: if there is none, or no longer.
        """
        with self._lock:
            if key in self._pending:
                return self._pending[key]
            kept = self._done.find(key)
        if kept is None:
            raise MissingPageError("there is no such check; it may have been deleted")
        total = kept.citations
        return Check(key, kept.name, state="done", done=total, total=total, kept=kept)

    def delete(self, key: str) -> None:
        """End a check, and delete its files, its report and its decisions.

        Raises:
            MissingPageError: if there is none, or no longer.
        """
        self.find(key)
        self._end(key)
        self._done.delete(key)

    def _end(self, key: str) -> None:
        """End a check that is not done, and delete its files."""
        with self._lock:
            check = self._pending.pop(key, None)
            if check is not None and check.process is not None:
                check.process.kill()
            if check is not None and check.state == "waiting":
                shutil.rmtree(self._folder.path / key, ignore_errors=True)

    def _start_next(self) -> None:
        """Begin checks while there is room: of each sender one, first of those who have had no
        turn for the longest time."""
        with self._lock:
            while True:
                checking = [
                    check.address for check in self._pending.values() if check.state == "checking"
                ]
                if len(checking) >= _AT_ONCE:
                    return
                waiting = [
                    check
                    for check in self._pending.values()
                    if check.state == "waiting" and check.address not in checking
                ]
                if not waiting:
                    return
                first = min(waiting, key=lambda check: self._turns.get(check.address, 0))
                first.state = "checking"
                self._turns.pop(first.address, None)
                self._turns[first.address] = time.monotonic()
                if len(self._turns) > _MOST_TURNS:
                    self._turns.popitem(last=False)
                self._threads.submit(self._run, first)

    def _run(self, check: Check) -> None:
        folder = self._folder.path / check.id
        try:
            with self._lock:
                if check.id not in self._pending:
                    return
                check.process = CheckProcess(
                    folder, check.name, self._seconds, check.ranker, self._kept_articles
                )
            for message in check.process.messages():
                _take(check, message)
            with self._lock:
                if check.problem is None and check.id in self._pending:
                    self._done.put(check.id, folder, check.name, check.total)
                    del self._pending[check.id]
        except Exception as error:  # noqa: BLE001  the boundary of the thread: it is shown
            check.problem = describe(error)
        finally:
            shutil.rmtree(folder, ignore_errors=True)
            with self._lock:
                check.process = None
                check.state = "failed" if check.problem is not None else "done"
                self._forget_oldest()
            self._start_next()

    def _forget_oldest(self) -> None:
        """Forget the oldest checks that have failed."""
        failed = [check.id for check in self._pending.values() if check.has_ended]
        for key in failed[: max(0, len(failed) - _MOST_FAILED)]:
            del self._pending[key]


class CheckFolder:
    """A folder for manuscripts, which only this user can enter; `close` deletes it.

    It is locked while the server lives, so that the next server deletes what a server that was
    killed has left.
    """

    def __init__(self) -> None:
        delete_abandoned()
        self.path = Path(tempfile.mkdtemp(prefix=_FOLDER_PREFIX))
        self._lock = (self.path / _LOCK).open("w")
        fcntl.flock(self._lock, fcntl.LOCK_EX)

    def close(self) -> None:
        """Delete the folder with all that is in it."""
        shutil.rmtree(self.path, ignore_errors=True)
        self._lock.close()


def delete_abandoned() -> None:
    """Delete the folders of this user's servers that have ended without doing it."""
    for folder in Path(tempfile.gettempdir()).glob(f"{_FOLDER_PREFIX}*"):
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


def _take(check: Check, message: Mapping[str, Any]) -> None:
    """Note what the process of a check says."""
    match message:
        case {"total": total}:
            check.total = total
        case {"done": done}:
            check.done += done
        case {"problem": problem}:
            check.problem = Problem(**problem)
        case {"log": line}:
            LOG.error("%s", line)


def find_manuscript(files: Mapping[str, object]) -> str:
    """Return the name of the manuscript among files that were sent.

    Raises:
        InputError: if there is not one, or a name can't be used.
    """
    for name in files:
        is_plain = name.isprintable() and name == PurePath(name).name and not name.startswith(".")
        if not is_plain or len(name.encode(errors="replace")) > _LONGEST_NAME:
            raise InputError("the name of a file can't be used, or is too long; rename it")
    bibliographies = [file for file in files if file.lower().endswith(_BIBLIOGRAPHIES)]
    manuscripts = [file for file in files if file not in bibliographies]
    if len(manuscripts) != 1:
        raise InputError("send one manuscript, with the .bib files that it names, or all as .zip")
    [name] = manuscripts
    if not name.lower().endswith(SUFFIXES):
        raise InputError(
            f"{name}: files of this kind can't be checked; send one that ends in "
            + ", ".join(SUFFIXES)
        )
    return name
