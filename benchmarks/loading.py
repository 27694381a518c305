"""Loading: `citespan index` against the naive loader, both as whole processes."""

import json
import subprocess
import sys
import time
from pathlib import Path
from statistics import median

from benchmarks.node import citespan, wipe
from benchmarks.row import Row
from citespan.pipelines.retrieval.model import models

_ROUNDS = 3
_WARM_UPS = 5  # until the server's compiler is done: it takes a core that a naive load leaves idle


def run(folder: Path, scratch: Path) -> list[Row]:
    """Seconds of each in turn, and the medians' ratio."""
    everything = ",".join(models.names())
    for _ in range(_WARM_UPS):
        wipe()
        _index(folder, everything)
    wipe()
    counts = _naive(folder)
    times: dict[str, list[float]] = {"naive": [], "vsm": [], everything: []}
    for _ in range(_ROUNDS):
        for way, seconds in times.items():
            wipe()
            started = time.perf_counter()
            done = _naive(folder) if way == "naive" else _index(folder, way)
            seconds.append(time.perf_counter() - started)
            assert done == counts, (done, counts)
    articles, spans = counts["articles"], counts["spans"]
    wipe()
    naive = median(times.pop("naive"))
    rows = [_row("naive loader", naive, articles, spans)]
    for way, seconds in times.items():
        mine = median(seconds)
        rows.append(
            _row(
                f"citespan index --models {way}",
                mine,
                articles,
                spans,
                "naive loader",
                f"{naive / mine:.1f} times as fast",
                ">= 4" if way == "vsm" else "",
            )
        )
    return rows


def _row(
    what: str,
    seconds: float,
    articles: int,
    spans: int,
    against: str = "",
    ratio: str = "",
    wanted: str = "",
) -> Row:
    figure = f"{articles / seconds:.1f} articles/s, {spans / seconds:,.0f} spans/s"
    return Row(what, figure, against, ratio, wanted)


def _index(folder: Path, model_names: str) -> dict[str, int]:
    options = ("--format", "jats", "--layout", "spans", "--models", model_names)
    census = citespan("index", str(folder), *options)
    return {"articles": census["articles"], "spans": census["spans"]}


def _naive(folder: Path) -> dict[str, int]:
    command = [sys.executable, "-m", "benchmarks.naive_loader", str(folder)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    counts: dict[str, int] = json.loads(done.stdout)
    return counts
