"""Loads through a proxy that does what networks and busy servers do: the index is as it would be
without, and each input is counted once."""

import os
import random
from dataclasses import replace
from itertools import count
from pathlib import Path
from typing import Any

import loading
import pytest
from elasticsearch import Elasticsearch
from fault_proxy import STALLED_SECONDS, Fault, proxy, scheduled
from loaded_state import loaded_state
from made_articles import random_article
from small_loads import line, run, small_load

from citespan.pipelines.corpus.article import Article
from citespan.pipelines.errors import ElasticsearchUnreachableError
from citespan.pipelines.indexing.documents.windows import SpanLengths
from citespan.pipelines.indexing.report import LoadReport
from citespan.pipelines.store.retry import RetryPolicy

SCHEDULES = int(os.environ.get("CITESPAN_FAULT_SCHEDULES", "80"))
_AT_ONCE = 20


def made(name: str, sentences: int, seed: str = "") -> Article:
    article = random_article(name, sentences, random.Random(name.partition("-")[2] + seed))
    return replace(article, title="")


def load(
    es: Elasticsearch, layout: str, articles: list[Article], retry: RetryPolicy | None = None
) -> LoadReport:
    return loading.load(
        es,
        articles,
        lengths=SpanLengths(1, 2),
        layout=layout,
        retry=retry or RetryPolicy(60, first=0.001, longest=0.01),
        group_readings=3,
    )


def corpus(prefix: str, number: int) -> list[Article]:
    return [made(f"{prefix}-{n}", 4 + n) for n in range(number)]


def before(es: Elasticsearch, prefix: str, layout: str, number: int) -> None:
    """One article is there already, one with another content, one in the other layout."""
    there = corpus(prefix, number)
    changed = made(there[1].id, 9, "other")
    other: str = "sentences" if layout == "spans" else "spans"
    load(es, layout, [there[0], changed])
    if layout == "sentences" and number > 4:
        return  # making an index for each schedule takes too long
    load(es, other, [there[2]])


def counts(report: LoadReport) -> dict[str, Any]:
    kept = ("indexed", "unchanged", "replaced", "sentences", "spans", "citations")
    return {name: getattr(report, name) for name in kept} | {"problems": report.quarantined}


@pytest.fixture
def through(node: str) -> Any:
    def client(url: str) -> Elasticsearch:
        return Elasticsearch(url, request_timeout=STALLED_SECONDS - 1)

    return client


_runs = count()


def reference(es: Elasticsearch, layout: str, number: int) -> tuple[Any, Any]:
    """What a load without faults counts, and leaves."""
    prefix = f"reference{next(_runs)}"
    before(es, prefix, layout, number)
    report = load(es, layout, corpus(prefix, number))
    assert report.indexed + report.unchanged + report.replaced == number
    return counts(report), loaded_state(es, f"{prefix}-")


@pytest.mark.parametrize("first", range(0, SCHEDULES, _AT_ONCE))
def test_sentences_are_the_same_whatever_happens(
    es: Elasticsearch, node: str, through: Any, first: int
) -> None:
    expected = reference(es, "sentences", 6)
    for seed in range(first, min(first + _AT_ONCE, SCHEDULES)):
        prefix = f"fault{seed}"
        before(es, prefix, "sentences", 6)
        with (
            proxy(node, scheduled(seed, 0.3, stalls=seed % 20 == 0)) as url,
            through(url) as client,
        ):
            report = load(client, "sentences", corpus(prefix, 6))
        assert (counts(report), loaded_state(es, f"{prefix}-")) == expected, f"seed {seed}"


@pytest.mark.parametrize("seed", range(8))
def test_spans_are_the_same_whatever_happens(
    es: Elasticsearch, node: str, through: Any, seed: int
) -> None:
    expected = reference(es, "spans", 4)
    prefix = f"spanfault{seed}"
    before(es, prefix, "spans", 4)
    with proxy(node, scheduled(seed, 0.3)) as url, through(url) as client:
        report = load(client, "spans", corpus(prefix, 4))
    assert (counts(report), loaded_state(es, f"{prefix}-")) == expected


@pytest.mark.parametrize(
    "fault", [fault for fault in Fault if fault not in (Fault.NONE, Fault.OUTAGE)]
)
def test_each_kind_of_fault_is_survived(
    es: Elasticsearch, node: str, through: Any, fault: Fault
) -> None:
    expected = reference(es, "sentences", 3)
    period = 12 if fault is Fault.STALLED else 4
    met: set[int] = set()

    def regularly(number: int) -> Fault:
        met.add(number)
        return fault if number % period == 0 else Fault.NONE

    prefix = f"each{fault.value}"
    before(es, prefix, "sentences", 3)
    with proxy(node, regularly) as url, through(url) as client:
        report = load(client, "sentences", corpus(prefix, 3))
    assert (counts(report), loaded_state(es, f"{prefix}-")) == expected
    assert len(met) > period


@pytest.mark.parametrize("fault", [Fault.UNAVAILABLE, Fault.DISK])
def test_patience_ends(node: str, through: Any, fault: Fault) -> None:
    with proxy(node, lambda _: fault) as url, through(url) as client:
        impatient = RetryPolicy(0.2, first=0.01, longest=0.05)
        with pytest.raises(
            ElasticsearchUnreachableError, match="accepted no request for .* repeat"
        ):
            load(client, "sentences", corpus("impatient", 1), impatient)


def test_a_full_server_ends_the_load_at_once_and_it_can_be_repeated(es: Elasticsearch) -> None:
    load(es, "sentences", corpus("roomy", 1))
    block = {"index.blocks.read_only_allow_delete": True}
    es.indices.put_settings(index="citespan-sentences", settings=block)
    try:
        with pytest.raises(ElasticsearchUnreachableError, match="its disk is full or nearly so"):
            load(es, "sentences", corpus("full", 2))
    finally:
        block["index.blocks.read_only_allow_delete"] = None  # type: ignore[assignment]
        es.indices.put_settings(index="citespan-sentences", settings=block)
    assert load(es, "sentences", corpus("full", 2)).indexed == 2


@pytest.mark.parametrize("layout", ["sentences", "spans"])
def test_an_article_that_is_gone_is_deleted_though_a_part_of_the_request_fails(
    es: Elasticsearch, node: str, tmp_path: Path, layout: str
) -> None:
    prefix, folder = f"gone-{layout}", tmp_path / "files"
    folder.mkdir()
    for number in range(4):
        (folder / f"{number}.jsonl").write_text(line(f"{prefix}-{number}", 3))
    run(small_load(node, folder, layout), node)
    for number in range(3):
        (folder / f"{number}.jsonl").unlink()
    with proxy(node, lambda number: Fault.DISK if number % 3 else Fault.NONE) as url:
        report = run(small_load(url, folder, layout, delete_missing=True, delete_many=True), url)
    assert (report.missing, report.unchanged) == (3, 1)
    state = loaded_state(es, f"{prefix}-")
    assert list(state["entries"]) == ["3"]
    assert {name.partition(" ")[0] for name in state[layout]} == {"3"}
