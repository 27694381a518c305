"""The shards of new indices follow from the bytes of the first load, and searches and deletions are
right on several of them."""

import json
from pathlib import Path

import pytest
from elasticsearch import Elasticsearch
from small_loads import line, run, small_load

import citespan
from citespan.es_mappings import index_body
from citespan.es_mappings.index_name import CITESPAN
from citespan.pipelines.indexing import load as loads
from citespan.pipelines.store.catalogue import Catalogue
from citespan.pipelines.store.server import without_retries

INDICES = (CITESPAN.articles, CITESPAN.citations, CITESPAN.shared("sentences"))


def write_articles(file: Path, numbers: range) -> None:
    file.write_text("\n".join(line(f"shard-{number}", 4) for number in numbers))


def count_shards(es: Elasticsearch) -> list[int]:
    return [
        sum(
            int(index["settings"]["index"]["number_of_shards"])
            for index in es.indices.get_settings(index=name).values()
        )
        for name in INDICES
    ]


@pytest.fixture
def folder(node: str, es: Elasticsearch, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Thirty articles in two files, loaded into new indices as if there were a million times as
    many."""
    present = [*es.indices.get(index="citespan-*", expand_wildcards="open")]
    if present:
        es.indices.delete(index=present)
    articles = tmp_path / "articles"
    articles.mkdir()
    write_articles(articles / "a.jsonl", range(20))
    write_articles(articles / "b.jsonl", range(20, 30))
    size = sum(file.stat().st_size for file in articles.iterdir())
    monkeypatch.setattr(loads, "_ARTICLE_BYTES", size / 30)
    monkeypatch.setattr(index_body, "SHARD_BYTES", 300_000)
    assert run(small_load(node, articles, processes=1), node).indexed == 30
    return articles


def test_new_indices_have_shards_by_the_bytes_that_are_loaded(
    folder: Path, es: Elasticsearch
) -> None:
    assert count_shards(es) == [3, 2, 4]  # of 22, 16 and 40 kB an article
    for shard in range(3):
        assert es.count(index=CITESPAN.articles, preference=f"_shards:{shard}")["count"] > 0
    found = citespan.articles(client=es)
    assert {entry.article for entry in found} == {f"shard-{number}" for number in range(30)}
    for number in (0, 13, 29):
        [sentence, *_] = citespan.show(f"shard-{number}", client=es)
        assert sentence.text in json.loads(line(f"shard-{number}", 4))["text"]


def test_loading_the_same_again_adds_no_shards_and_a_greater_number_does(
    folder: Path, es: Elasticsearch, node: str
) -> None:
    assert run(small_load(node, folder, processes=1), node).unchanged == 30
    assert count_shards(es) == [3, 2, 4]
    run(small_load(node, folder, processes=1, articles_expected=40), node)
    assert count_shards(es) == [3, 2, 6]


def test_what_is_missing_is_deleted_from_every_shard_and_nothing_that_is_newer(
    folder: Path, es: Elasticsearch, node: str
) -> None:
    catalogue = Catalogue(without_retries(es))
    before = catalogue.last_writes()
    assert len(before) == 3
    write_articles(folder / "a.jsonl", range(3))
    kept = {f"shard-{number}" for number in (*range(3), *range(20, 30))}
    options = {"processes": 1, "delete_missing": True, "delete_many": True}
    report = run(small_load(node, folder, **options), node)
    assert report.missing == 17
    assert {version.entry.article for version in catalogue.scan(["article"])} == kept
    assert es.count(index=CITESPAN.shared("sentences"))["count"] == 13 * 4
    write_articles(folder / "c.jsonl", range(30, 60))
    before = catalogue.last_writes()
    run(small_load(node, folder, processes=1), node)
    es.indices.refresh(index=CITESPAN.articles)
    for shard, last_write in enumerate(before):
        for version in catalogue.scan(["article"], shard=shard):
            is_new = version.entry.article not in kept
            assert is_new == (version.seq_no > last_write), version.entry.article
