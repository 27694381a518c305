"""The layout `sentences` against the naive way, the layout `spans`, and a raw bulk load.

Whole processes from JATS files, on the same articles repeated under new ids; then searches over
all of them. `python -m benchmarks layouts` takes about a quarter of an hour.
"""

import random
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import orjson
from elasticsearch.helpers import parallel_bulk

from benchmarks.citances import jats_articles, latencies, percentiles, requests_on
from benchmarks.corpus import repeated
from benchmarks.node import citespan, naive, server_process, wipe
from benchmarks.own_core import cores, reading_on_its_own_core
from benchmarks.row import Row
from benchmarks.watched import Run, processor_seconds, watched_citespan
from citespan.deploy.client import connect
from citespan.es_mappings import articles as article_index
from citespan.es_mappings import citations as citation_index
from citespan.es_mappings import sentences as sentence_index
from citespan.es_mappings.index_name import edition, numbered_id, slug
from citespan.es_mappings.sentences import SENTENCES
from citespan.pipelines.indexing.documents.builder import DocumentBuilder
from citespan.pipelines.indexing.documents.prepared import PreparedArticle
from citespan.pipelines.indexing.documents.settings import DocumentSettings
from citespan.pipelines.retrieval.search import search, search_many
from citespan.pipelines.store.edition import EDITION, Place

_NAIVE, _SPANS, _FEW, _MANY = 40, 200, 1_000, 20_000
_CITANCES = 1_000
_WANTED = 40  # times as fast as the naive loader
_RAW = {"sentences": sentence_index, "citations": citation_index, "articles": article_index}

Documents = dict[str, list[dict[str, Any]]]
"""Of an article, by what they are."""


def run(folder: Path, scratch: Path) -> Iterator[Row]:
    """All figures, from one run."""
    few = repeated(folder, _FEW, scratch / "few")
    text = sum(len(article.text.encode()) for article in jats_articles(few))
    _warm_up(few, repeated(folder, _NAIVE, scratch / "warm"))
    per_article = naive(repeated(folder, _NAIVE, scratch / "naive")) / _NAIVE
    yield Row(f"naive loader, {_NAIVE} articles", _rate(per_article))
    wipe()
    spans = watched_citespan("index", str(repeated(folder, _SPANS, scratch / "spans")))
    yield _against(f"--layout spans, {_SPANS} articles", spans.seconds / _SPANS, per_article)
    wipe()
    documents = _make_documents(folder)
    alone = _raw_bulk(documents, ["sentences"]) / _FEW
    raw = _raw_bulk(documents, list(_RAW)) / _FEW
    ready = f"parallel_bulk of ready-made documents, {_FEW:,} articles"
    yield from [
        _against(f"{ready}: sentences alone", alone, per_article),
        _against(f"{ready}: all that a load writes", raw, per_article),
    ]
    loaded = watched_citespan("index", str(few), "--layout", "sentences")
    mine = loaded.seconds / _FEW
    yield from [
        _against(f"--layout sentences, {_FEW:,} articles", mine, per_article, f">= {_WANTED}"),
        Row(
            "the same",
            _rate(mine),
            "parallel_bulk of all that it writes",
            f"{raw / mine:.2f} times as fast",
            ">= 0.75",
        ),
        Row(
            "the same",
            _rate(mine),
            "parallel_bulk of sentences alone",
            f"{alone / mine:.2f} times as fast",
            ">= 0.75",
        ),
        Row(
            "index bytes",
            f"{index_bytes() / 1e6:.0f} MB",
            "bytes of text",
            f"{index_bytes() / text:.2f}",
            "<= 1.2",
        ),
    ]
    wipe()
    yield _apart(documents, few)
    wipe()
    many = repeated(folder, _MANY, scratch / "many")
    server_before = processor_seconds(server_process())
    all_loaded = watched_citespan("index", str(many), "--layout", "sentences")
    server = processor_seconds(server_process()) - server_before
    cost = all_loaded.seconds / _MANY / mine
    yield from [
        Row(
            f"cost of an article, {_MANY:,} articles",
            _rate(all_loaded.seconds / _MANY),
            f"{_FEW:,} articles",
            f"{cost:.2f} times as dear",
            "<= 1.2",
        ),
        Row(
            f"peak memory of the loader, {_MANY:,} articles",
            f"{all_loaded.peak:.0f} MB",
            f"{_FEW:,} articles: {loaded.peak:.0f} MB",
            f"{all_loaded.peak / loaded.peak:.2f} times as much",
            "<= 500 MB, flat",
        ),
        _processor(all_loaded, server, per_article),
        *_searches(many),
    ]
    wipe()


def _rate(seconds: float) -> str:
    return f"{1 / seconds:.1f} articles/s"


def _against(label: str, seconds: float, naive_seconds: float, wanted: str = "") -> Row:
    ratio = f"{naive_seconds / seconds:.1f} times as fast"
    return Row(label, _rate(seconds), "naive loader", ratio, wanted)


def _processor(loaded: Run, server: float, naive_seconds: float) -> Row:
    """What an article takes of all cores together, and what there is of them in a fortieth of the
    time that it takes the naive loader."""
    parts = {"server": server, "loader": loaded.processor, "reading": loaded.children}
    taken = {label: 1000 * seconds / _MANY for label, seconds in parts.items()}
    there = 1000 * len(cores()) * naive_seconds / _WANTED
    return Row(
        f"processor time of an article, {_MANY:,} articles",
        f"{sum(taken.values()):.1f} ms",
        ", ".join(f"{label} {milliseconds:.1f} ms" for label, milliseconds in taken.items()),
        wanted=f"{len(cores())} cores have {there:.1f} ms for {_WANTED} times naive",
    )


def _warm_up(few: Path, naively: Path) -> None:
    """Until the server's compiler is done: it takes a core that a naive load leaves idle."""
    for _ in range(2):
        wipe()
        citespan("index", str(few), "--layout", "sentences")
    wipe()
    naive(naively)
    wipe()


def _apart(documents: list[Documents], few: Path) -> Row:
    """A load against a raw one that has as many cores as the load has beside that for reading."""
    label = "--layout sentences, reading on a core of its own"
    if len(cores()) < 2:
        return Row(label, "not measured: there is one core")
    with reading_on_its_own_core():
        raw = _raw_bulk(documents, ["sentences"]) / _FEW
        mine = watched_citespan("index", str(few), "--layout", "sentences").seconds / _FEW
    ratio = f"{raw / mine:.2f} times as fast"
    return Row(
        label,
        _rate(mine),
        f"parallel_bulk of sentences alone, so too: {_rate(raw)}",
        ratio,
        ">= 0.7",
    )


def _make_documents(folder: Path) -> list[Documents]:
    """All documents that a load makes of each article of a folder, by the name of their index."""
    settings = DocumentSettings((), "sentences")
    builder = DocumentBuilder(settings)
    readings = ((None, article) for article in jats_articles(folder))
    made = []
    for _, article in builder.build_all(readings, lambda _: {}):
        assert isinstance(article, PreparedArticle), article
        number = article.sentences, article.spans, article.citations
        place = Place(article.id, "sentences", SENTENCES, "", *number)
        lengths = [length or 0 for length in article.documents.lengths]
        made.append(
            {
                "sentences": _read_sources(article.documents.pieces),
                "citations": _read_sources(article.documents.citations),
                "articles": [builder.make_entry(article, place, lengths, []).to_dict()],
            }
        )
    return made


def _read_sources(pieces: list[bytes]) -> list[dict[str, Any]]:
    return [
        orjson.loads(line)
        for piece in pieces
        for line in piece.replace(EDITION, b"x").split(b"\n")[1::2]
    ]


def _raw_bulk(documents: list[Documents], kinds: list[str]) -> float:
    """Seconds that the client's own parallel helper takes for the documents of so many articles,
    made before it starts.

    Args:
        kinds: of the documents that are sent.
    """
    client = connect()
    for kind in kinds:
        mapped = _RAW[kind]
        client.indices.create(
            index=f"raw-{kind}", mappings=mapped.mapping(), settings=mapped.settings()
        )
    started = time.perf_counter()
    for done, result in parallel_bulk(client, _actions(documents, kinds)):
        assert done, result
    client.indices.refresh(index="raw-*")
    seconds = time.perf_counter() - started
    for kind in kinds:
        client.indices.delete(index=f"raw-{kind}")
    return seconds


def _actions(documents: list[Documents], kinds: list[str]) -> Iterator[dict[str, Any]]:
    for number in range(_FEW):
        article = f"PMC{number}"
        its_edition = edition(article, "0" * 64)
        for kind in kinds:
            for place, document in enumerate(documents[number % len(documents)][kind]):
                yield {
                    "_index": f"raw-{kind}",
                    "_id": numbered_id(its_edition, place),
                    "routing": slug(article),
                    **document,
                    "edition": its_edition,
                    "article": article,
                }


def index_bytes() -> int:
    """Of the sentence indices on disk, as the load leaves them."""
    client = connect()
    client.indices.flush(index=SENTENCES)
    total = client.indices.stats(index=SENTENCES, metric="store")["_all"]["primaries"]
    return int(total["store"]["size_in_bytes"])


def _searches(folder: Path) -> Iterator[Row]:
    """Latency and throughput over the articles of a folder, all of them indexed."""
    client = connect()
    generator = random.Random(1)
    some = sorted(generator.sample(sorted(folder.iterdir()), _CITANCES))
    articles = [article for file in some for article in jats_articles(file)]
    requests = requests_on(client, articles, _CITANCES)
    p50, p99 = percentiles(latencies(client, requests))
    started = time.perf_counter()
    together = list(search_many(client, requests))
    seconds = time.perf_counter() - started
    assert together[:20] == [search(client, request) for request in requests[:20]]
    yield from [
        Row(
            f"search of one citance, {_MANY:,} articles",
            f"p50 {p50:.1f} ms, p99 {p99:.1f} ms",
            wanted="p50 <= 10 ms, p99 <= 50 ms",
        ),
        Row(
            f"{len(requests):,} citances in a batch",
            f"{len(requests) / seconds:.0f} citances/s",
            wanted=">= 150",
        ),
    ]
