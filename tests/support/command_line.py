"""The command line of a version of citespan, as its users run it.

Set CITESPAN_COMMAND to the executable of another version to see how that does.
"""

import os
import shlex
import signal
import subprocess
import sys
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

import psutil
from forking_server import start_server

_OTHER = os.environ.get("CITESPAN_COMMAND", "")
COMMAND = shlex.split(_OTHER or f"{sys.executable} -m citespan.cli.main")
_LONGEST = 300.0  # seconds that a command may take


def start(*arguments: object, cwd: Path | None = None, **environment: str) -> subprocess.Popen[str]:
    """Start a command, which leads a group of processes."""
    return subprocess.Popen(
        [*COMMAND, *map(str, arguments)],
        cwd=cwd,
        env={**os.environ, **environment},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


def run(
    *arguments: object, cwd: Path | None = None, **environment: str
) -> subprocess.CompletedProcess[str]:
    """Run a command to its end.

    Raises:
        TimeoutExpired: if it does not end.
    """
    command = COMMAND if _OTHER else start_server()
    return subprocess.run(
        [*command, *map(str, arguments)],
        cwd=cwd,
        env={**os.environ, **environment},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
        timeout=_LONGEST,
    )


def finish(process: subprocess.Popen[str]) -> subprocess.CompletedProcess[str]:
    """Wait for the end of a command.

    Raises:
        TimeoutExpired: if it does not come; the command is killed.
    """
    try:
        out, err = process.communicate(timeout=_LONGEST)
    except subprocess.TimeoutExpired:
        kill(process)
        raise
    return subprocess.CompletedProcess(process.args, process.returncode, out, err)


def kill(process: subprocess.Popen[str]) -> None:
    """Kill a command and all that it has started."""
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)


def find_alive(processes: Sequence[psutil.Process], seconds: float) -> list[psutil.Process]:
    """Return those of some processes that have not ended after so many seconds. What has ended may
    have to wait for the machine's first process to take note of it."""
    _, alive = psutil.wait_procs(processes, timeout=seconds)
    running = []
    for process in alive:
        with suppress(psutil.NoSuchProcess):
            if process.status() != psutil.STATUS_ZOMBIE:
                running.append(process)
    return running
