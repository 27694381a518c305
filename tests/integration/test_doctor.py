"""`citespan doctor`: each trouble made for real on a real node, and found."""

import json
import random
import subprocess
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

import loading
import pytest
from elasticsearch import Elasticsearch
from loaded_state import spans_of
from made_articles import random_article
from made_vocabularies import WORDS
from real_node import environment_of, run_citespan

from citespan.deploy.doctor import catalogue, indices, server
from citespan.deploy.doctor.installation import check_machine, check_models
from citespan.es_mappings import articles
from citespan.es_mappings.index_name import CITESPAN, EXPERIMENTS, IndexNames, numbered_id, slug
from citespan.es_mappings.spans import SPANS_PREFIX
from citespan.pipelines.indexing.report import LoadReport
from citespan.pipelines.store.finding import Finding
from citespan.pipelines.store.layout import layouts
from citespan.pipelines.store.lease import hold_lease
from citespan.pipelines.store.retry import RetryPolicy
from citespan.pipelines.store.server import open_server
from citespan.pipelines.vocabulary.builder import build
from citespan.pipelines.vocabulary.terms import VocabularyTerm

Citespan = Callable[..., subprocess.CompletedProcess[str]]


def load(es: Elasticsearch, *names: str, layout: str = "spans") -> None:
    made = (random_article(name, 4, random.Random(name)) for name in names)
    loading.load(es, made, layout=layout)


def unload(es: Elasticsearch, *names: str) -> None:
    """Take articles out again, whatever is left of them."""
    for name in names:
        es.indices.delete(index=spans_of(es, name), ignore_unavailable=True)
        es.delete(index=articles.INDEX, id=slug(name))
    es.indices.refresh(index=articles.INDEX)


def check_layout(es: Elasticsearch, layout: str, names: IndexNames = CITESPAN) -> Iterator[Finding]:
    return catalogue.check_layout(es, layouts[layout], names)


def check_each(es: Elasticsearch) -> Iterator[Finding]:
    return catalogue.check_each(es, layouts["sentences"])


def told(findings: Iterable[Finding], check: str, state: str, text: str) -> Finding:
    """The finding of that state that has the text in it."""
    found = list(findings)
    matching = [f for f in found if (f.check, f.state) == (check, state) and text in f.found]
    assert matching, found
    assert state == "ok" or matching[0].remedy
    return matching[0]


@pytest.fixture
def extra(es: Elasticsearch) -> Iterator[str]:
    """The name of an index that is deleted afterwards."""
    name = f"{SPANS_PREFIX}doctor-extra"
    yield name
    es.indices.delete(index=name, ignore_unavailable=True)


def test_a_sound_node(citespan: Citespan, es: Elasticsearch) -> None:
    load(es, "sound")
    done = citespan("doctor", "--json")
    report = json.loads(done.stdout)
    states = {finding["check"]: finding["state"] for finding in report["findings"]}
    models = ("tagger", "zones", "answers", "facets", "differences", "rankers")
    for check in ("server", "cluster", "disk", "shards", "folders", *models):
        assert states[check] == "ok", report
    assert report["reached"]
    assert done.returncode == int(report["failed"])
    unload(es, "sound")


def test_the_exit_status_of_a_failure(citespan: Citespan, extra: str, es: Elasticsearch) -> None:
    es.indices.create(index=extra)
    done = citespan("doctor")
    assert done.returncode == 1
    assert "delete them, and index their articles again" in done.stdout


def test_without_a_server_this_machine_is_looked_at(tmp_path: Path) -> None:
    env = environment_of(tmp_path, CITESPAN_ES_URL="http://127.0.0.1:9")
    done = run_citespan("doctor", "--json", env=env)
    assert done.returncode == 3
    report = json.loads(done.stdout)
    states = {finding["check"]: finding["state"] for finding in report["findings"]}
    assert states["server"] == "failure"
    assert states["folders"] == states["sentence splitter"] == "ok"
    assert "cluster" not in states


def test_blocks(es: Elasticsearch, extra: str) -> None:
    es.indices.create(index=extra, settings={"index.blocks.read_only_allow_delete": True})
    told(indices.blocked(es), "blocks", "failure", f"read_only_allow_delete: {extra}")
    es.indices.put_settings(index=extra, settings={"index.blocks.read_only_allow_delete": None})
    told(indices.blocked(es), "blocks", "ok", "")


def test_the_shard_limit(es: Elasticsearch, extra: str) -> None:
    es.indices.create(index=extra)
    es.cluster.put_settings(persistent={"cluster.max_shards_per_node": 1})
    try:
        told(server.shards(es), "shards", "failure", "of 1 shards: no index can be made")
    finally:
        es.cluster.put_settings(persistent={"cluster.max_shards_per_node": None})
    told(server.shards(es), "shards", "ok", "")


def test_disk_watermarks(es: Elasticsearch) -> None:
    mark = "cluster.routing.allocation.disk.watermark"
    marks = dict.fromkeys((f"{mark}.low", f"{mark}.high", f"{mark}.flood_stage"), "1kb")
    expected = {f"{mark}.low": "warning", f"{mark}.high": "failure"}
    try:
        for name, state in expected.items():
            marks[name] = "900tb"
            es.cluster.put_settings(persistent=marks)
            told(server.disk(es), "disk", state, "below 9")
    finally:
        es.cluster.put_settings(persistent=dict.fromkeys(marks))
    told(server.disk(es), "disk", "ok", "free")


def test_missing_shards(es: Elasticsearch, extra: str) -> None:
    nowhere = {"index.routing.allocation.require._name": "nowhere"}
    es.indices.create(index=extra, settings=nowhere, wait_for_active_shards=0)
    told(server.health(es), "cluster", "failure", "red")
    told(indices.unhealthy(es), "indices", "failure", extra)


def test_missing_replicas(es: Elasticsearch, extra: str) -> None:
    es.indices.create(index=extra, settings={"number_of_replicas": 1})
    told(server.health(es), "cluster", "warning", "yellow")
    told(indices.unhealthy(es), "indices", "warning", extra)


def test_closed_indices(es: Elasticsearch, extra: str) -> None:
    es.indices.create(index=extra)
    es.indices.close(index=extra)
    told(indices.unhealthy(es), "indices", "warning", f"closed: {extra}")


@pytest.mark.parametrize(
    ("meta", "state", "text"),
    [
        ({"citespan_mapping": 1}, "failure", "earlier citespan"),
        ({"citespan_mapping": 99}, "failure", "later citespan"),
        ({"other": 1}, "failure", "not made by citespan"),
        ({"citespan_mapping": "many"}, "failure", "not made by citespan"),
    ],
)
def test_mapping_versions(
    es: Elasticsearch, extra: str, meta: dict[str, object], state: str, text: str
) -> None:
    es.indices.create(index=extra, mappings={"_meta": meta})
    assert extra in told(indices.versions(es), "mappings", state, text).found


def test_an_article_whose_index_is_gone(es: Elasticsearch) -> None:
    load(es, "lost")
    es.indices.delete(index=spans_of(es, "lost"))
    told(check_layout(es, "spans"), "spans", "failure", "the index is gone of lost")
    unload(es, "lost")


def test_an_article_that_lacks_spans(es: Elasticsearch) -> None:
    load(es, "short")
    es.delete(index=spans_of(es, "short"), id="0-0", refresh=True)
    told(
        check_layout(es, "spans"),
        "spans",
        "failure",
        "not as many spans as the catalogue says: short",
    )
    unload(es, "short")


def test_an_index_without_an_article(es: Elasticsearch, extra: str) -> None:
    es.indices.create(index=extra)
    finding = told(check_layout(es, "spans"), "spans", "warning", extra)
    assert "an interrupted one has left them" in finding.remedy


def test_sentences_that_are_missing_or_left(es: Elasticsearch) -> None:
    load(es, "shared-one", "shared-two", layout="sentences")
    told(check_layout(es, "sentences"), "sentences", "ok", "articles")
    told(check_each(es), "each article", "ok", "articles")
    entry = es.get(index=articles.INDEX, id="shared-one")["_source"]
    routing = slug("shared-one")
    sentence = numbered_id(entry["edition"], 2)
    body = es.get(index=entry["index"], id=sentence, routing=routing)["_source"]

    es.delete(index=entry["index"], id=sentence, routing=routing, refresh=True)
    told(check_layout(es, "sentences"), "sentences", "failure", "1 sentences are missing")
    told(check_each(es), "each article", "failure", "shared-one")

    for left in ("left-0", "left-1"):
        es.index(index=entry["index"], id=left, routing="left", document=body | {"article": "left"})
    es.indices.refresh(index=entry["index"])
    told(check_layout(es, "sentences"), "sentences", "warning", "1 sentences are of no article")
    told(check_each(es), "each article", "warning", "of 1 articles: left")

    es.indices.delete(index=entry["index"])
    told(check_layout(es, "sentences"), "sentences", "failure", "indices are gone")
    unload(es, "shared-one", "shared-two")


def leave(es: Elasticsearch, name: str, names: IndexNames, group: str) -> tuple[str, str]:
    """Leave what a load that was killed leaves of a group: the documents of an edition that no
    entry names, in both layouts. Return the index of spans, and the edition of sentences."""
    index = names.own_index("spans", f"{slug(name)}~{group}")
    settings = {"number_of_replicas": 0}
    es.indices.create(index=index, mappings={"_meta": {"citespan_mapping": 3}}, settings=settings)
    entry = es.get(index=names.articles, id=slug(name))["_source"]
    query = {"term": {"edition": entry["edition"]}}
    edition = f"{slug(name)}~{group}"
    for hit in es.search(index=entry["index"], query=query)["hits"]["hits"]:
        document = hit["_source"] | {"edition": edition}
        place = numbered_id(edition, document["number"])
        es.index(
            index=entry["index"],
            id=place,
            routing=slug(name),
            document=document,
            version=1,
            version_type="external",
        )
    es.indices.refresh(index=entry["index"])
    return index, edition


@pytest.mark.parametrize("names", [CITESPAN, EXPERIMENTS])
def test_repair_deletes_what_no_entry_names_unless_a_load_is_under_way(
    es: Elasticsearch, citespan: Citespan, names: IndexNames
) -> None:
    article = random_article("repaired", 4, random.Random(1))
    loading.load(es, [article], layout="sentences", names=names)
    before = es.get(index=names.articles, id="repaired")["_source"]
    left_index, left_edition = leave(es, "repaired", names, "0123456789abcdef")
    other_index, _ = leave(es, "repaired", names, "of-somebody")

    check = "sentences" if names == CITESPAN else "sentences of experiments"
    told(check_layout(es, "sentences", names), check, "warning", "8 sentences are of no article")
    check = check.replace("sentences", "spans")
    told(
        check_layout(es, "spans", names),
        check,
        "warning",
        "2 indices of no article in the catalogue",
    )
    with open_server(es, RetryPolicy(), LoadReport()) as server, hold_lease(server, "index"):
        told(catalogue.repair(es), "repair", "warning", "nothing was repaired: `citespan index` by")
    assert es.indices.exists(index=left_index)
    report = json.loads(citespan("doctor", "--repair", "--json").stdout)
    check = check.replace("spans", "repair")
    states = {
        finding["state"]: finding["found"]
        for finding in report["findings"]
        if finding["check"] == check
    }
    assert states.keys() == {"ok", "warning"}
    assert "deleted 2 editions" in states["ok"]
    assert left_edition in states["ok"]
    assert other_index in states["warning"]

    assert not es.indices.exists(index=left_index)
    assert es.indices.exists(index=other_index)
    counts = {
        edition: es.count(index=before["index"], query={"term": {"edition": edition}})["count"]
        for edition in (before["edition"], left_edition)
    }
    assert list(counts.values()) == [4, 0]
    assert loading.load(es, [article], layout="sentences", names=names).unchanged == 1
    es.indices.delete(index=other_index)
    query = {"term": {"edition": "repaired~of-somebody"}}
    es.delete_by_query(index=before["index"], query=query, refresh=True)
    told(catalogue.repair(es), check, "ok", "nothing to delete")
    es.delete_by_query(index=before["index"], query={"term": {"article": "repaired"}}, refresh=True)
    es.delete(index=names.articles, id="repaired", refresh=True)


def test_what_the_doctor_says_of_missing_documents_repairs(es: Elasticsearch) -> None:
    """Indexing the articles again."""
    load(es, "remedied")
    load(es, "remedied-too", layout="sentences")
    es.delete(index=spans_of(es, "remedied"), id="0-0", refresh=True)
    entry = es.get(index=articles.INDEX, id="remedied-too")["_source"]
    es.delete(
        index=entry["index"],
        id=numbered_id(entry["edition"], 1),
        routing="remedied-too",
        refresh=True,
    )
    told(check_layout(es, "spans"), "spans", "failure", "remedied")
    told(check_each(es), "each article", "failure", "remedied-too")
    load(es, "remedied")
    load(es, "remedied-too", layout="sentences")
    told(check_layout(es, "spans"), "spans", "ok", "all with their spans")
    told(check_each(es), "each article", "ok", "just their sentences")
    unload(es, "remedied")
    query = {"term": {"article": "remedied-too"}}
    es.delete_by_query(index=entry["index"], query=query, refresh=True)
    es.delete(index=articles.INDEX, id="remedied-too", refresh=True)


def test_folders_that_take_no_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_text("in the way")
    monkeypatch.setenv("CITESPAN_HOME", str(tmp_path / "file" / "home"))
    told(check_machine(), "folders", "failure", "can't write to")


def test_a_damaged_vocabulary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CITESPAN_VOCABULARY", str(tmp_path / "store"))
    told(check_models(False), "vocabulary", "failure", "store")
    terms = [VocabularyTerm(f"C{n:07}", word, "MSH", "PT", True) for n, word in enumerate(WORDS, 1)]
    build(terms, tmp_path / "store", "made up")
    told(check_models(True), "vocabulary", "ok", "every file has its checksum")
    file = tmp_path / "store" / "concepts.txt"
    data = file.read_bytes()
    file.chmod(0o644)
    file.write_bytes(data[:-1] + bytes([data[-1] ^ 1]))
    told(check_models(False), "vocabulary", "ok", "header and sizes are right")
    told(check_models(True), "vocabulary", "failure", "checksum")
