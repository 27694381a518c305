"""Searching: latency of one citance, and a batch against the same citances one by one."""

import time
from collections.abc import Iterator
from pathlib import Path
from statistics import median

from benchmarks.citances import jats_articles, latencies, percentiles, requests_on
from benchmarks.node import citespan, wipe
from benchmarks.row import Row
from citespan.deploy.client import connect
from citespan.pipelines.retrieval.search import search, search_many

_CITANCES = 300
_ROUNDS = 5


def run(folder: Path, scratch: Path) -> Iterator[Row]:
    """Latency, and a batch, over the articles of a folder."""
    wipe()
    citespan("index", str(folder), "--format", "jats")
    client = connect()
    requests = requests_on(client, list(jats_articles(folder)), _CITANCES)
    together = list(search_many(client, requests))
    assert together == [search(client, request) for request in requests]
    alone, batch = [], []
    for _ in range(_ROUNDS):
        alone += latencies(client, requests)
        started = time.perf_counter()
        for _spans in search_many(client, requests):
            pass
        batch.append(time.perf_counter() - started)
    p50, p99 = percentiles(alone)
    yield from [
        Row("search of one citance", f"p50 {p50:.1f} ms, p99 {p99:.1f} ms"),
        Row(
            f"{len(requests)} citances in a batch",
            f"{len(requests) / median(batch):.0f} citances/s",
            "the same one by one",
            f"{sum(alone) / _ROUNDS / median(batch):.1f} times as fast",
            ">= 3",
        ),
    ]
