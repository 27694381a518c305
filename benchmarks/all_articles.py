"""Searching all articles: latency over a collection, and what the texts in the catalogue cost.

Citances are sentences of random articles, which the searches find among the others. The first
searches of an article read and analyse it; with a collection of thousands, nearly all do.
"""

import random
import time
from collections.abc import Iterator
from pathlib import Path

from elasticsearch import Elasticsearch

from benchmarks.citances import percentiles
from benchmarks.node import wipe
from benchmarks.row import Row
from benchmarks.watched import watched_citespan
from citespan import search_all
from citespan.deploy.client import connect
from citespan.es_mappings import articles
from citespan.es_mappings.sentences import SENTENCES
from citespan.pipelines.reformulation.reformulation import Context, parse
from citespan.pipelines.store.catalogue import Catalogue
from citespan.pipelines.store.layout import layout_of

_PMC = Path(__file__).parents[2] / "shared/data/pmc"
_CITANCES = 200
_WARM_UP = 20
_FEWEST_TERMS = 5


def run(folder: Path, scratch: Path) -> Iterator[Row]:
    """Load all articles, of PubMed Central where they are, and search for citances one by one."""
    wipe()
    sources = sorted(map(str, _PMC.glob("*.tar.gz"))) or [str(folder)]
    loaded = watched_citespan("index", *sources, "--layout", "sentences")
    client = connect()
    ids = sorted(version.entry.article for version in Catalogue(client).scan(["article"]))
    yield from [
        Row(f"load of {len(ids):,} articles", f"{len(ids) / loaded.seconds:.1f} articles/s"),
        _sizes(client),
    ]
    citances = list(draw_citances(client, ids))
    for ranker in ("none", "evidence"):
        for citance in citances[:_WARM_UP]:
            search_all(citance, ranker=ranker, client=client)
        seconds = [_measure(client, citance, ranker) for citance in citances[_WARM_UP:]]
        p50, p99 = percentiles(seconds)
        yield Row(
            f"search of {len(ids):,} articles, --ranker {ranker}",
            f"p50 {p50:.1f} ms, p99 {p99:.1f} ms",
            wanted="p50 <= 100 ms",
        )


def _sizes(client: Elasticsearch) -> Row:
    client.indices.flush(index=[articles.INDEX, SENTENCES])
    told = client.indices.stats(index=[articles.INDEX, SENTENCES], metric="store")["indices"]
    sizes = {
        name: statistics["primaries"]["store"]["size_in_bytes"] for name, statistics in told.items()
    }
    catalogue = sizes.pop(articles.INDEX)
    return Row(
        "catalogue with the texts",
        f"{catalogue / 1e6:.1f} MB",
        f"sentences: {sum(sizes.values()) / 1e6:.1f} MB",
        f"{catalogue / sum(sizes.values()):.2f}",
    )


def draw_citances(client: Elasticsearch, ids: list[str]) -> Iterator[str]:
    generator = random.Random(0)
    chosen = generator.sample(ids, min(len(ids), _CITANCES + _WARM_UP))
    for entry in Catalogue(client).entries(chosen).values():
        [documents] = layout_of(entry).reader.read_articles(client, [entry])
        texts = [str(document["text"]).strip() for document in documents.values()]
        long = [t for t in texts if len(parse("baseline").terms(t, Context())) >= _FEWEST_TERMS]
        if long:
            yield generator.choice(long)


def _measure(client: Elasticsearch, citance: str, ranker: str) -> float:
    started = time.perf_counter()
    search_all(citance, ranker=ranker, client=client)
    return time.perf_counter() - started
