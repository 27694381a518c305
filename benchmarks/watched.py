"""A command run as users run it: how long, how much memory and processor, what it printed."""

import subprocess
import sys
import time
from dataclasses import dataclass
from tempfile import TemporaryFile
from time import perf_counter
from typing import IO

import psutil


@dataclass(frozen=True)
class Run:
    """What came of it, by a look ten times a second.

    Attributes:
        peak: resident set of the process and its children together, in MB.
        largest: resident set of the largest of them, in MB.
        processor: seconds of it that the process took itself.
        children: the same of all its children together.
        output: what it printed.
    """

    seconds: float
    peak: float
    largest: float
    processor: float
    children: float
    output: str


def watched(command: list[str], environment: dict[str, str] | None = None) -> Run:
    """Run a command to its end; a RuntimeError with what it complained of if it fails."""
    print(*command, file=sys.stderr, flush=True)
    peak = largest = 0
    processor: dict[int, float] = {}
    start = perf_counter()
    # A pipe would hold only the beginning of what is printed.
    with TemporaryFile("w+") as output, TemporaryFile("w+") as complaints:
        with subprocess.Popen(
            command, stdout=output, stderr=complaints, text=True, env=environment
        ) as process:
            parent = psutil.Process(process.pid)
            try:
                while process.poll() is None:
                    resident = _look(parent, processor)
                    peak, largest = max(peak, sum(resident)), max(largest, *resident, 0)
                    time.sleep(0.1)
            except BaseException:
                process.terminate()  # whoever ends this program waits for nothing
                raise
            seconds = perf_counter() - start
        printed, complained = (_read(file) for file in (output, complaints))
    if process.returncode:
        raise RuntimeError(complained)
    own = processor.pop(process.pid, 0.0)
    return Run(seconds, peak / 1e6, largest / 1e6, own, sum(processor.values()), printed)


def watched_citespan(*arguments: str) -> Run:
    """The same of the real command line."""
    return watched([sys.executable, "-m", "citespan.cli.main", *arguments])


def processor_seconds(process: psutil.Process) -> float:
    """What a process has taken so far."""
    times = process.cpu_times()
    return float(times.user + times.system)


def _read(file: IO[str]) -> str:
    file.seek(0)
    return file.read()


def _look(parent: psutil.Process, processor: dict[int, float]) -> list[int]:
    """The resident set of each; notes how much of the processor each has taken."""
    resident = []
    try:
        for process in [parent, *parent.children(recursive=True)]:
            resident.append(process.memory_info().rss)
            processor[process.pid] = processor_seconds(process)
    except psutil.NoSuchProcess:
        pass
    return resident
