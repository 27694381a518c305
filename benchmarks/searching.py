"""Searching: latency of one citance, and a batch against the same citances one by one."""

import random
import time
from pathlib import Path
from statistics import median

import numpy as np

from benchmarks.node import citespan, wipe
from benchmarks.row import Row
from citespan.deploy.node.client import connect
from citespan.pipelines.corpus.article import Article
from citespan.pipelines.corpus.reader import readers
from citespan.pipelines.indexing import catalogue
from citespan.pipelines.reformulation.composition import parse
from citespan.pipelines.reformulation.context import Context
from citespan.pipelines.retrieval.model import models
from citespan.pipelines.retrieval.request import SearchRequest
from citespan.pipelines.retrieval.search import search, search_many
from citespan.pipelines.text.sentences import sentences
from citespan.pipelines.text.splitter import DEFAULT, splitters

_CITANCES = 300
_ROUNDS = 5


def run(folder: Path, scratch: Path) -> list[Row]:
    """A sentence of an article stands for a citance of it: as long, and about it."""
    wipe()
    citespan("index", str(folder), "--format", "jats")
    client = connect()
    requests = _requests(folder)
    together = list(search_many(client, requests))
    assert together == [search(client, request) for request in requests]
    latencies, alone, batch = [], [], []
    for _ in range(_ROUNDS):
        started = time.perf_counter()
        for request in requests:
            one = time.perf_counter()
            search(client, request)
            latencies.append(time.perf_counter() - one)
        alone.append(time.perf_counter() - started)
        started = time.perf_counter()
        for _spans in search_many(client, requests):
            pass
        batch.append(time.perf_counter() - started)
    p50, p99 = np.percentile(np.array(latencies) * 1000, [50, 99])
    return [
        Row("search of one citance", f"p50 {p50:.1f} ms, p99 {p99:.1f} ms"),
        Row(
            f"{len(requests)} citances in a batch",
            f"{len(requests) / median(batch):.0f} citances/s",
            "the same one by one",
            f"{median(alone) / median(batch):.1f} times as fast",
            ">= 3",
        ),
    ]


def _requests(folder: Path) -> list[SearchRequest]:
    reader = readers["jats"]
    articles = [
        article
        for unit in reader.find(folder)
        for article in reader.read(unit)
        if isinstance(article, Article)
    ]
    entries = catalogue.entries(connect(), [article.id for article in articles])
    generator = random.Random(0)
    requests: list[SearchRequest] = []
    while len(requests) < _CITANCES:
        article = generator.choice(articles)
        sentence = generator.choice(sentences(article, splitters[DEFAULT]))
        citance = article.text[sentence.start : sentence.end]
        terms = parse("baseline").terms(citance, Context())
        if len(terms) >= 5:
            requests.append(SearchRequest(entries[article.id], terms, models["vsm"]))
    return requests
