"""Searching with the default ranker, against the same searches without one, in turns.

One search is measured twice: first in an article that is read for it, then once more when the
process has it; a batch, with several citances of each article, as it comes.
"""

import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from statistics import median

from elasticsearch import Elasticsearch

from benchmarks.citances import jats_articles, percentiles
from benchmarks.node import citespan, wipe
from benchmarks.row import Row
from benchmarks.startup import measure_commands
from citespan.deploy.client import connect
from citespan.pipelines.corpus.article import Article
from citespan.pipelines.requests import Search
from citespan.pipelines.retrieval.request import SearchRequest
from citespan.pipelines.store.catalogue import Catalogue
from citespan.pipelines.text.splitter import DEFAULT, split_article, splitters

_NONE, _RANKED = Search(ranker="none"), Search()
_PER_ARTICLE = 5
_ROUNDS = 5

Searches = tuple[list[str], list[SearchRequest]]


def run(folder: Path, _scratch: Path) -> Iterator[Row]:
    """Latency, batches and start-up in each layout."""
    articles = list(jats_articles(folder))
    citances = [(text, article.id) for article in articles for text in _choose(article)]
    for layout in ("sentences", "spans"):
        wipe()
        citespan("index", str(folder), "--format", "jats", "--layout", layout)
        yield from _measure(connect(), citances, f"layout {layout}")
        search = ("search", citances[0][0], "--article", citances[0][1])
        plain, ranked = measure_commands([(*search, "--ranker", "none"), search])
        yield Row(
            f"{layout}: command with ranker",
            f"{ranked:.2f} s",
            f"{plain:.2f} s",
            f"{ranked - plain:+.2f} s",
            "<= +0.1 s",
        )


def _choose(article: Article) -> list[str]:
    """Return long sentences of an article, which stand for citances of it."""
    texts = [article.text[s.start : s.end] for s in split_article(article, splitters[DEFAULT])]
    return sorted(texts, key=len)[-2 * _PER_ARTICLE :: 2]


def _measure(
    client: Elasticsearch, citances: Sequence[tuple[str, str]], layout: str
) -> Iterator[Row]:
    catalogue = Catalogue(client)
    entries = catalogue.entries(sorted({article for _, article in citances}))
    texts = [text for text, article in citances if article in entries]
    owners = [entries[article] for _, article in citances if article in entries]

    def make(settings: Search) -> Searches:
        pairs = zip(texts, owners, strict=True)
        return texts, [settings.make_request(client, text, entry) for text, entry in pairs]

    plain, ranked = make(_NONE), make(_RANKED)
    alone: dict[str, list[float]] = {"plain": [], "read": [], "kept": []}
    first = range(0, len(texts), _PER_ARTICLE)
    list(_RANKED.find(catalogue, ranked[0][:1], ranked[1][:1]))  # opens the model
    list(_NONE.find(catalogue, *plain))
    for place in first[1:]:
        for name, settings, (own, requests) in (
            ("plain", _NONE, plain),
            ("read", _RANKED, ranked),
            ("kept", _RANKED, ranked),
        ):
            at = slice(place, place + 1)
            alone[name].append(_time(lambda: list(settings.find(catalogue, own[at], requests[at]))))  # noqa: B023
    batches: dict[str, list[float]] = {"plain": [], "ranked": []}
    for _ in range(_ROUNDS):
        batches["plain"].append(_time(lambda: list(_NONE.find(catalogue, *plain))))
        batches["ranked"].append(_time(lambda: list(_RANKED.find(catalogue, *ranked))))
    p50 = {name: percentiles(taken)[0] for name, taken in alone.items()}
    yield from [
        Row(
            f"{layout}: one citance, article {name}",
            f"p50 {p50[name]:.1f} ms",
            f"{p50['plain']:.1f} ms without ranker",
            f"{p50[name] - p50['plain']:+.1f} ms",
            "<= +15 ms",
        )
        for name in ("read", "kept")
    ]
    speeds = {name: len(texts) / median(taken) for name, taken in batches.items()}
    yield Row(
        f"{layout}: {len(texts)} citances in a batch",
        f"{speeds['ranked']:.0f} citances/s",
        f"{speeds['plain']:.0f} citances/s without ranker",
        f"{speeds['ranked'] / speeds['plain']:.2f} times as fast",
        ">= 0.5",
    )


def _time(work: Callable[[], object]) -> float:
    started = time.perf_counter()
    work()
    return time.perf_counter() - started
