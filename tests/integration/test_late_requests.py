"""Requests that reach the server seconds late, or a second time, while others load: nothing is
lost, doubled, or brought back."""

import random
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from itertools import count
from pathlib import Path

import loading
import pytest
import small_loads
from elasticsearch import Elasticsearch
from fault_proxy import Choice, Delay, Request, once, proxy, record, resend
from loaded_state import loaded_state
from made_articles import random_article
from made_medline import PROSE, citation, medline, section

from citespan.es_mappings import abstracts
from citespan.es_mappings.articles import INDEX as CATALOGUE
from citespan.es_mappings.sentences import SENTENCES
from citespan.pipelines.corpus.article import Article
from citespan.pipelines.corpus.readers.medline import MedlineReader
from citespan.pipelines.indexing.documents.windows import SpanLengths
from citespan.pipelines.indexing.report import LoadReport
from citespan.pipelines.store.retry import RetryPolicy

_LATE = 2.0
_numbers = count()


@pytest.fixture
def prefix() -> str:
    return f"late{next(_numbers)}"


def corpus(prefix: str, seed: str, number: int = 4) -> list[Article]:
    """Return articles whose ids are the same for all seeds."""
    return [
        replace(
            random_article(f"{prefix}-{n}", 5, random.Random(f"{n} {seed}")),
            title="",
            source=f"{prefix}-{n}.txt",
        )
        for n in range(number)
    ]


def load(es: Elasticsearch, articles: list[Article], layout: str = "sentences") -> LoadReport:
    retry = RetryPolicy(60, first=0.001, longest=0.01)
    return loading.load(es, articles, lengths=SpanLengths(1, 2), layout=layout, retry=retry)


def has_action(action: str, index: str) -> Callable[[Request], bool]:
    def has(request: Request) -> bool:
        return f"/{index}" in request.path and action in request.actions

    return has


def delay(chosen: Callable[[Request], bool], late: Delay) -> Choice:
    return lambda request: late if chosen(request) else None


@pytest.mark.parametrize("client_waits", [True, False])
def test_a_deletion_that_arrives_late_deletes_nothing_that_is_named(
    es: Elasticsearch, node: str, prefix: str, client_waits: bool
) -> None:
    """One load replaces the first contents; while its deletion is on its way, another load
    writes the first contents again."""
    first, second = corpus(prefix, "first"), corpus(prefix, "second")
    load(es, first)
    late = once(delay(has_action("delete", SENTENCES), Delay(_LATE, client_waits=client_waits)))
    with (
        proxy(node, choose=late) as url,
        small_loads.client(url) as client,
        ThreadPoolExecutor(1) as threads,
    ):
        replaced = threads.submit(load, client, second)
        while (es.get(index=CATALOGUE, id=f"{prefix}-3")["_version"]) < 2:
            time.sleep(0.02)
        again = load(es, first)
        assert again.replaced == 4
        assert replaced.result().replaced == 4
    assert load(es, first).unchanged == 4
    assert len(loaded_state(es, f"{prefix}-")["sentences"]) == 20


@pytest.mark.parametrize("layout", ["sentences", "spans"])
def test_unchanged_is_said_only_of_what_is_there(
    es: Elasticsearch, prefix: str, layout: str
) -> None:
    articles = corpus(prefix, "")
    load(es, articles, layout)
    before = loaded_state(es, f"{prefix}-")
    query = {"terms": {"article": [f"{prefix}-1", f"{prefix}-2"]}}
    es.delete_by_query(
        index="citespan-s*", query=query, refresh=True, max_docs=7, expand_wildcards="open"
    )
    report = load(es, articles, layout)
    assert report.replaced in (1, 2)
    assert report.unchanged == 4 - report.replaced
    assert loaded_state(es, f"{prefix}-") == before


@pytest.mark.parametrize("layout", ["sentences", "spans"])
def test_late_copies_of_any_write_bring_nothing_back(
    es: Elasticsearch, node: str, prefix: str, layout: str
) -> None:
    """The server remembers deletions, and so their versions, for `index.gc_deletes`."""
    first, second = corpus(prefix, "first"), corpus(prefix, "second")
    index = SENTENCES if layout == "sentences" else "none"
    recorded, choose = record(
        lambda request: (
            request.method == "DELETE"
            or (bool(request.actions) and request.path.startswith((f"/{index}", f"/{CATALOGUE}")))
        )
    )
    with proxy(node, choose=choose) as url, small_loads.client(url) as client:
        assert load(client, first, layout).indexed == 4
        assert load(client, second, layout).replaced == 4
        assert load(client, first, layout).replaced == 4
    assert {action for request in recorded for action in request.actions} >= {"create", "index"}
    for request in recorded:
        resend(node, request)
    alone = corpus(f"{prefix}alone", "first")
    load(es, alone, layout)
    state, expected = (loaded_state(es, f"{p}-") for p in (prefix, f"{prefix}alone"))
    assert state == expected


def test_a_copy_that_comes_after_the_server_has_forgotten_the_deletion_is_never_found(
    es: Elasticsearch, node: str, prefix: str
) -> None:
    """It leaves documents that no entry names, which `citespan doctor --repair` deletes."""
    recorded, choose = record(has_action("index", SENTENCES))
    load(es, corpus(f"{prefix}x", "", 1))  # creates the index
    es.indices.put_settings(index=SENTENCES, settings={"index.gc_deletes": "100ms"})
    try:
        with proxy(node, choose=choose) as url, small_loads.client(url) as client:
            assert load(client, corpus(prefix, "first")).indexed == 4
            assert load(es, corpus(prefix, "second")).replaced == 4
        for _ in range(3):
            time.sleep(0.5)
            es.indices.refresh(index=SENTENCES)  # forgets deletions that are old enough
        for request in recorded:
            resend(node, request)
    finally:
        es.indices.put_settings(index=SENTENCES, settings={"index.gc_deletes": None})
    es.indices.refresh(index=SENTENCES)
    query = {"prefix": {"article": f"{prefix}-"}}
    assert es.count(index=SENTENCES, query=query)["count"] == 40
    entries = es.mget(index=CATALOGUE, ids=[f"{prefix}-{n}" for n in range(4)])["docs"]
    named = {"terms": {"edition": [hit["_source"]["edition"] for hit in entries]}}
    assert es.count(index=SENTENCES, query=named)["count"] == 20
    es.delete_by_query(index=SENTENCES, query=query, refresh=True)
    es.delete_by_query(index=CATALOGUE, query=query, refresh=True)


@pytest.fixture
def empty(es: Elasticsearch) -> Iterator[None]:
    es.indices.delete(index=abstracts.INDEX, ignore_unavailable=True)
    yield
    es.indices.delete(index=abstracts.INDEX, ignore_unavailable=True)


def load_medline(
    es: Elasticsearch, folder: Path, version: int, revised: str, deleted: bool = False
) -> LoadReport:
    text = section(f"{PROSE} Revised on {revised}.")
    made = [citation(n, abstract=text, revised=revised, version=version) for n in range(1, 9)]
    file = folder / f"{version}-{revised}-{deleted}.xml"
    file.write_bytes(medline([] if deleted else made, range(1, 9) if deleted else ()))
    return loading.load_abstracts(
        es, MedlineReader().abstracts(file), retry=RetryPolicy(60, first=0.001, longest=0.01)
    )


def days(es: Elasticsearch) -> set[str]:
    es.indices.refresh(index=abstracts.INDEX)
    hits = es.search(index=abstracts.INDEX, size=100)["hits"]["hits"]
    return {hit["_source"]["revised"] for hit in hits if not hit["_source"].get("deleted")}


@pytest.mark.usefixtures("empty")
@pytest.mark.parametrize("late", [Delay(_LATE), Delay(_LATE, False, False), Delay(_LATE, True)])
@pytest.mark.parametrize("present", [False, True])
def test_an_older_abstract_never_replaces_a_newer_one(
    es: Elasticsearch, node: str, tmp_path: Path, late: Delay, present: bool
) -> None:
    """The request for the older ones is late; meanwhile the newer ones are loaded."""
    if present:
        load_medline(es, tmp_path, 1, "2001-01-01")
    came: list[float] = []

    def choose(request: Request) -> Delay | None:
        if not came and f"/{abstracts.INDEX}" in request.path and request.actions:
            came.append(time.monotonic())
            return late
        return None

    with (
        proxy(node, choose=choose) as url,
        small_loads.client(url) as client,
        ThreadPoolExecutor(1) as threads,
    ):
        older = threads.submit(load_medline, client, tmp_path, 1, "2002-02-02")
        while not came:
            time.sleep(0.01)
        newer = load_medline(es, tmp_path, 1, "2003-03-03")
        assert newer.articles == 8
        report = older.result()
        assert report.inputs == 8
        assert report.articles + len(report.skipped) == 8
    assert days(es) == {"2003-03-03"}
    assert load_medline(es, tmp_path, 1, "2003-03-03").unchanged == 8


@pytest.mark.usefixtures("empty")
def test_late_copies_of_requests_for_abstracts_change_nothing(
    es: Elasticsearch, node: str, tmp_path: Path
) -> None:
    recorded, choose = record(
        lambda request: f"/{abstracts.INDEX}" in request.path and bool(request.actions)
    )
    with proxy(node, choose=choose) as url, small_loads.client(url) as client:
        load_medline(client, tmp_path, 1, "2001-01-01")
        load_medline(client, tmp_path, 1, "2002-02-02")
        load_medline(client, tmp_path, 1, "2002-02-02", deleted=True)
        for request in [*recorded]:
            resend(node, request)
        assert days(es) == set()
        load_medline(client, tmp_path, 2, "2004-04-04")
    assert {action for request in recorded for action in request.actions} == {"create", "index"}
    for request in recorded:
        resend(node, request)
    assert days(es) == {"2004-04-04"}
