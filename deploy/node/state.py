"""The state file, which says what node `up` has started, and the lock around work on it."""

import fcntl
import json
import os
import secrets
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from citespan.deploy.node import Progress
from citespan.pipelines.errors import CitespanError

if TYPE_CHECKING:
    import psutil


@contextmanager
def hold_lock(file: Path, progress: Progress) -> Iterator[None]:
    """Hold the lock of `file`, waiting for it as long as another process has it.

    The system frees the lock when its holder ends, however it ends.
    """
    with file.open("a") as handle:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            progress("waiting for another citespan that is starting or stopping the node", None)
            fcntl.flock(handle, fcntl.LOCK_EX)
        yield


FILE_NAME = "node.json"
_PASSWORD = "node.password"  # noqa: S105  the name of a file

_INTERNAL = ("api_key", "password", "starting", "transport", "others")
USER = "citespan"
"""The one user of a node of ours, who may do all."""
_SAME_START = 10.0
"""Seconds by which start times may differ: systems count them from a boot time that they adjust
along with the clock."""


@dataclass(frozen=True)
class NodeState:
    """A server and how to reach it.

    Attributes:
        source: "url", "distribution" (ES_HOME), "compose" or "assembled".
        url: its address, without credentials.
        version: of the server; empty until it has answered.
        pid: of the server's process, for one that runs as a process of ours.
        started: when that process started, seconds since 1970.
        transport: port by which the nodes of a cluster talk to each other, of one of ours.
        data: folder of its indices, if that is ours.
        log: file of its log, if that is ours.
        api_key: encoded API key; empty if there is none or it is in the environment.
        password: of the user `USER` of one of ours; empty if it runs without security.
        starting: whether `pid` is of the launcher, which ends when the server is up.
        found: whether `up` found it running already.
        others: the further nodes of a cluster that `up` started.
    """

    source: str
    url: str
    version: str = ""
    pid: int | None = None
    started: float | None = None
    data: str | None = None
    log: str | None = None
    api_key: str = field(default="", repr=False)
    password: str = field(default="", repr=False)
    starting: bool = False
    found: bool = False
    transport: int | None = None
    others: "tuple[NodeState, ...]" = ()

    @property
    def nodes(self) -> "tuple[NodeState, ...]":
        """Each node of the cluster by itself, this one first."""
        return (replace(self, others=()), *self.others)

    @property
    def addresses(self) -> str:
        """The addresses of all nodes, with commas between them, as CITESPAN_ES_URL takes them."""
        return ",".join(node.url for node in self.nodes)

    def to_json(self) -> dict[str, object]:
        """Return what may be shown: no credentials. `url` has the addresses of all nodes, `nodes`
        what is known of each if there are several."""
        shown = {key: value for key, value in asdict(self).items() if key not in _INTERNAL}
        if self.others:
            of_each = ("url", "pid", "data", "log")
            shown["url"] = self.addresses
            shown["nodes"] = [{key: getattr(node, key) for key in of_each} for node in self.nodes]
        return shown

    def process(self) -> "psutil.Process | None":
        """Return the server's process if it is alive; a process with that id that started at
        another time is someone else's."""
        import psutil

        if self.pid is None or self.started is None:
            return None
        try:
            process = psutil.Process(self.pid)
            alive = process.is_running() and process.status() != psutil.STATUS_ZOMBIE
            if alive and abs(process.create_time() - self.started) <= _SAME_START:
                return process
        except psutil.NoSuchProcess:
            pass
        return None


def write(folder: Path, state: NodeState) -> None:
    """Write the state file of `folder`, completely or not at all, readable by its owner only."""
    handle, name = tempfile.mkstemp(prefix=FILE_NAME, dir=folder)  # mkstemp gives mode 0600
    with os.fdopen(handle, "w", encoding="utf-8") as file:
        json.dump(asdict(state), file, indent=1)
    Path(name).replace(folder / FILE_NAME)


def keep_password(folder: Path) -> str:
    """Return the password of the nodes of `folder`, which only its owner can read: the same each
    time, so that a command goes on when its node is started again."""
    file = folder / _PASSWORD
    if not file.exists():
        with suppress(FileExistsError):
            handle = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
            with os.fdopen(handle, "w", encoding="ascii") as new:
                new.write(secrets.token_urlsafe(24))
    return file.read_text(encoding="ascii")


def read(folder: Path) -> NodeState | None:
    """Return the state that was written, or None.

    Raises:
        CitespanError: if the file isn't ours to read or can't be understood.
    """
    file = folder / FILE_NAME
    try:
        return _make(json.loads(file.read_text(encoding="utf-8")))
    except FileNotFoundError:
        return None
    except PermissionError as error:
        raise CitespanError(
            f"{file} belongs to another user; set CITESPAN_HOME to a folder of your own, or "
            "CITESPAN_ES_URL to the server's address"
        ) from error
    except (ValueError, TypeError, AttributeError) as error:
        raise CitespanError(f"{file} can't be understood ({error}); remove it") from error


def _make(stored: dict[str, Any]) -> NodeState:
    return NodeState(**stored | {"others": tuple(map(_make, stored.get("others", ())))})


def forget(folder: Path) -> None:
    """Remove the state file."""
    (folder / FILE_NAME).unlink(missing_ok=True)
