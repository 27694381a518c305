"""Loading: `citespan index` against the naive loader, both as whole processes.

Enough articles are loaded that rates are not about how long a process takes to start.
"""

import json
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

from benchmarks.corpus import repeated
from benchmarks.node import citespan, wipe
from benchmarks.row import Row
from citespan.pipelines.retrieval.model import models

_ARTICLES = 300
_WARM_UPS = 5  # until the server's compiler is done: it takes a core that a naive load leaves idle


def run(folder: Path, scratch: Path) -> Iterator[Row]:
    """Rates of each in turn, and their ratios."""
    everything = ",".join(models.names())
    many = repeated(folder, _ARTICLES, scratch / "loading")
    for _ in range(_WARM_UPS):
        wipe()
        _index(folder, everything)
    seconds: dict[str, float] = {}
    counts: dict[str, int] = {}
    for way in ("naive", "vsm", everything):
        wipe()
        started = time.perf_counter()
        done = _naive(many) if way == "naive" else _index(many, way)
        seconds[way] = time.perf_counter() - started
        counts = counts or done
        assert done == counts, (done, counts)
    wipe()
    naive = seconds.pop("naive")
    yield Row("naive loader", _rates(naive, counts))
    for way, mine in seconds.items():
        ratio = f"{naive / mine:.1f} times as fast"
        wanted = ">= 4" if way == "vsm" else ""
        label = f"citespan index --models {way}"
        yield Row(label, _rates(mine, counts), "naive loader", ratio, wanted)


def _rates(seconds: float, counts: dict[str, int]) -> str:
    articles, spans = counts["articles"] / seconds, counts["spans"] / seconds
    return f"{articles:.1f} articles/s, {spans:,.0f} spans/s"


def _index(folder: Path, model_names: str) -> dict[str, int]:
    options = ("--format", "jats", "--layout", "spans", "--models", model_names)
    report = citespan("index", str(folder), *options)
    return {"articles": report["articles"], "spans": report["spans"]}


def _naive(folder: Path) -> dict[str, int]:
    command = [sys.executable, "-m", "benchmarks.naive_loader", str(folder)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    counts: dict[str, int] = json.loads(done.stdout)
    return counts
