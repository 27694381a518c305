"""The loader's peak memory, at 60 articles and at ten times as many."""

import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import psutil

from benchmarks.corpus import repeated
from benchmarks.node import wipe
from benchmarks.row import Row

_SIZES = (60, 600)


def run(folder: Path, scratch: Path) -> Iterator[Row]:
    """Peak resident set of `citespan index` as a process."""
    peaks = []
    for size in _SIZES:
        wipe()
        copies = repeated(folder, size, scratch / f"memory-{size}")
        peaks.append(measure_peak("index", str(copies), "--format", "jats"))
        yield Row(f"peak memory of citespan index, {size} articles", f"{peaks[-1]:.0f} MB")
    wipe()
    yield Row(
        f"peak memory at {_SIZES[1]} articles",
        f"{peaks[1]:.0f} MB",
        f"at {_SIZES[0]} articles",
        f"{peaks[1] / peaks[0]:.2f} times as much",
        "flat",
    )


def measure_peak(*arguments: str) -> float:
    """Megabytes that a command takes, by a look twenty times a second."""
    command = [sys.executable, "-m", "citespan.cli.main", *arguments]
    peak = 0
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE) as process:
        watched = psutil.Process(process.pid)
        while process.poll() is None:
            try:
                peak = max(peak, watched.memory_info().rss)
            except psutil.NoSuchProcess:
                break
            time.sleep(0.05)
        _, complaints = process.communicate()
        if process.returncode:
            raise RuntimeError(complaints.decode())
    return peak / 1e6
