"""A command run as users run it: how long, how much memory and processor, what it printed."""

import subprocess
import sys
import time
from dataclasses import dataclass
from time import perf_counter

import psutil


@dataclass(frozen=True)
class Run:
    """What came of it, by a look ten times a second.

    Attributes:
        peak: resident set of the process and its children together, in MB.
        processor: seconds of it that the process took itself.
        children: the same of all its children together.
        output: what it printed.
    """

    seconds: float
    peak: float
    processor: float
    children: float
    output: str


def watched(command: list[str], environment: dict[str, str] | None = None) -> Run:
    """Run a command to its end; a RuntimeError with what it complained of if it fails."""
    print(*command, file=sys.stderr, flush=True)
    peak = 0
    processor: dict[int, float] = {}
    start = perf_counter()
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment
    ) as process:
        parent = psutil.Process(process.pid)
        while process.poll() is None:
            peak = max(peak, _look(parent, processor))
            time.sleep(0.1)
        seconds = perf_counter() - start
        output, complaints = process.communicate()
    if process.returncode:
        raise RuntimeError(complaints)
    own = processor.pop(process.pid, 0.0)
    return Run(seconds, peak / 1e6, own, sum(processor.values()), output)


def watched_citespan(*arguments: str) -> Run:
    """The same of the real command line."""
    return watched([sys.executable, "-m", "citespan.cli.main", *arguments])


def processor_seconds(process: psutil.Process) -> float:
    """What a process has taken so far."""
    times = process.cpu_times()
    return float(times.user + times.system)


def _look(parent: psutil.Process, processor: dict[int, float]) -> int:
    """The resident set of all; notes how much of the processor each has taken."""
    resident = 0
    try:
        for process in [parent, *parent.children(recursive=True)]:
            resident += process.memory_info().rss
            processor[process.pid] = processor_seconds(process)
    except psutil.NoSuchProcess:
        pass
    return resident
