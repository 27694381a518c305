"""Loading: `citespan index` against the naive loader, both as whole processes."""

import json
import subprocess
import sys
import time
from pathlib import Path
from statistics import median

from benchmarks.node import citespan, wipe
from benchmarks.row import Row

_ROUNDS = 3


def run(folder: Path, scratch: Path) -> list[Row]:
    """Seconds of each in turn, and the medians' ratio."""
    times: dict[str, list[float]] = {"naive": [], "vsm": [], "vsm,bm25,dfr,lmd": []}
    articles = spans = 0
    _naive(folder)  # the node's first load is slower than any other
    for _ in range(_ROUNDS):
        for way, seconds in times.items():
            wipe()
            started = time.perf_counter()
            if way == "naive":
                counts = _naive(folder)
                articles, spans = counts["articles"], counts["spans"]
            else:
                census = citespan(
                    "index", str(folder), "--format", "jats", "--layout", "spans", "--models", way
                )
                assert (census["articles"], census["spans"]) == (articles, spans), census
            seconds.append(time.perf_counter() - started)
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


def _naive(folder: Path) -> dict[str, int]:
    wipe()
    command = [sys.executable, "-m", "benchmarks.naive_loader", str(folder)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    counts: dict[str, int] = json.loads(done.stdout)
    return counts
