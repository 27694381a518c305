"""A command run as users run it: how long, how much memory, what it printed."""

import subprocess
import sys
import time
from dataclasses import dataclass
from time import perf_counter

import psutil


@dataclass(frozen=True)
class Run:
    """What came of it: seconds, the peak resident set of the process and its children together
    in MB (by a look ten times a second), and what it printed."""

    seconds: float
    peak: float
    output: str


def watched(command: list[str]) -> Run:
    """Run a command to its end; a RuntimeError with what it complained of if it fails."""
    peak = 0
    start = perf_counter()
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        parent = psutil.Process(process.pid)
        while process.poll() is None:
            peak = max(peak, _resident(parent))
            time.sleep(0.1)
        seconds = perf_counter() - start
        output, complaints = process.communicate()
    if process.returncode:
        raise RuntimeError(complaints)
    return Run(seconds, peak / 1e6, output)


def watched_citespan(*arguments: str) -> Run:
    """The same of the real command line."""
    return watched([sys.executable, "-m", "citespan.cli.main", *arguments])


def _resident(parent: psutil.Process) -> int:
    resident = 0
    try:
        for process in [parent, *parent.children(recursive=True)]:
            resident += process.memory_info().rss
    except psutil.NoSuchProcess:
        pass
    return resident
