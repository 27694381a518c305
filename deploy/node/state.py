"""The state file: which node `up` has started."""

import json
import os
import tempfile
from dataclasses import asdict, dataclass, field
from pathlib import Path

import psutil

from citespan.pipelines.errors import CitespanError

FILE_NAME = "node.json"

_INTERNAL = ("api_key", "starting")
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
        data: folder of its indices, if that is ours.
        log: file of its log, if that is ours.
        api_key: encoded API key; empty if security is off or the key is in the environment.
        starting: whether `pid` is of the launcher, which ends when the server is up.
        found: whether `up` found it running already.
    """

    source: str
    url: str
    version: str = ""
    pid: int | None = None
    started: float | None = None
    data: str | None = None
    log: str | None = None
    api_key: str = field(default="", repr=False)
    starting: bool = False
    found: bool = False

    def public(self) -> dict[str, object]:
        """What others may see."""
        return {key: value for key, value in asdict(self).items() if key not in _INTERNAL}

    def process(self) -> psutil.Process | None:
        """The server's process if it is alive: a process of that id that started at another
        time is someone else's."""
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
    """Write the state file of `folder`, whole or not at all, readable by its owner alone."""
    handle, name = tempfile.mkstemp(prefix=FILE_NAME, dir=folder)  # mkstemp gives mode 0600
    with os.fdopen(handle, "w", encoding="utf-8") as file:
        json.dump(asdict(state), file, indent=1)
    Path(name).replace(folder / FILE_NAME)


def read(folder: Path) -> NodeState | None:
    """The state that was written, or None.

    Raises:
        CitespanError: if the file isn't ours to read or can't be understood.
    """
    file = folder / FILE_NAME
    try:
        return NodeState(**json.loads(file.read_text(encoding="utf-8")))
    except FileNotFoundError:
        return None
    except PermissionError as error:
        raise CitespanError(
            f"{file} belongs to another user; set CITESPAN_HOME to a folder of your own, or "
            "CITESPAN_ES_URL to the server's address"
        ) from error
    except (ValueError, TypeError) as error:
        raise CitespanError(f"{file} can't be understood ({error}); remove it") from error


def forget(folder: Path) -> None:
    """Remove the state file."""
    (folder / FILE_NAME).unlink(missing_ok=True)
