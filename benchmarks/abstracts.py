"""Abstracts: reading and indexing a Medline file of 30,000 records, as a baseline file of NLM has.

`citespan index` and the naive way, each as a whole process: records a second, and the peak of its
resident memory, at 3,000 records and at ten times as many. The naive way is timed at 3,000.
"""

import json
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import psutil

from benchmarks import synthetic_medline
from benchmarks.row import Row
from citespan.deploy.client import connect
from citespan.es_mappings.abstracts import INDEX

_FEW, _MANY = 3_000, 30_000
_CITESPAN = [sys.executable, "-m", "citespan.cli.main", "index", "--json", "--format", "medline"]
_NAIVE = [sys.executable, "-m", "benchmarks.naive_abstracts"]


@dataclass(frozen=True)
class _Run:
    indexed: int
    seconds: float
    processor_seconds: float
    megabytes: float

    def rate(self, records: int) -> float:
        """Records a second."""
        return records / self.seconds

    def figure(self, records: int) -> str:
        """For the table."""
        return (
            f"{self.rate(records):,.0f} records/s ({self.processor_seconds:.0f} s of processor), "
            f"{self.megabytes:.0f} MB"
        )


def run(_folder: Path, scratch: Path) -> Iterator[Row]:
    """One warm-up, then each in turn on an index of its own."""
    few, many = scratch / "few.xml.gz", scratch / "many.xml.gz"
    synthetic_medline.write(few, _FEW)
    synthetic_medline.write(many, _MANY)
    _loaded(_CITESPAN, few, scratch)
    naive = _loaded(_NAIVE, few, scratch)
    short = _loaded(_CITESPAN, few, scratch)
    long = _loaded(_CITESPAN, many, scratch)
    again = _timed(_CITESPAN, many, scratch)
    _wipe()
    assert naive.indexed == short.indexed, (naive, short)
    assert again.indexed == 0, again
    ratio = f"{long.rate(_MANY) / naive.rate(_FEW):.1f} times as fast"
    yield from [
        Row(f"naive loading of {_FEW:,} Medline records", naive.figure(_FEW)),
        Row(f"citespan index, {_FEW:,} Medline records", short.figure(_FEW)),
        Row(f"citespan index, {_MANY:,} records", long.figure(_MANY), "naive loading", ratio),
        Row("the same file again, unchanged", again.figure(_MANY)),
        Row(
            f"peak memory at {_MANY:,} records",
            f"{long.megabytes:.0f} MB",
            f"at {_FEW:,} records",
            f"{long.megabytes / short.megabytes:.2f} times as much",
            "flat",
        ),
    ]


def _loaded(command: list[str], file: Path, scratch: Path) -> _Run:
    _wipe()
    return _timed(command, file, scratch)


def _wipe() -> None:
    connect().indices.delete(index=INDEX, ignore_unavailable=True)


def _timed(command: list[str], file: Path, scratch: Path) -> _Run:
    """Run it on a file, with a look at its memory twenty times a second."""
    printed, complaints = scratch / "printed.json", scratch / "complaints.txt"
    started = time.perf_counter()
    peak, used = 0, 0.0
    with printed.open("wb") as out, complaints.open("wb") as err:
        process = subprocess.Popen([*command, str(file)], stdout=out, stderr=err)
        watched = psutil.Process(process.pid)
        while process.poll() is None:
            try:
                peak = max(peak, watched.memory_info().rss)
                used = max(used, sum(watched.cpu_times()[:2]))
            except psutil.NoSuchProcess:
                break
            time.sleep(0.05)
        status = process.wait()
    seconds = time.perf_counter() - started
    if status:
        raise RuntimeError(complaints.read_text())
    return _Run(json.loads(printed.read_bytes())["indexed"], seconds, used, peak / 1e6)
