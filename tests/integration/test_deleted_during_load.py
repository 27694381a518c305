"""Indices that are deleted while a load writes to them: what is not there is not said to be
indexed, nothing comes back without its mapping, and loading again repairs."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from elasticsearch import Elasticsearch
from fault_proxy import Choice, Request, proxy
from loaded_state import loaded_state
from made_medline import citation, medline
from real_node import empty_node
from small_loads import abstracts_load, line, run, small_load

from citespan.es_mappings import abstracts
from citespan.es_mappings.articles import INDEX as CATALOGUE
from citespan.es_mappings.sentences import SENTENCES
from citespan.es_mappings.spans import SPANS_PREFIX
from citespan.pipelines.errors import CitespanError
from citespan.pipelines.indexing.report import LoadReport


@pytest.fixture(autouse=True)
def empty(es: Elasticsearch) -> Iterator[None]:
    """Tests that delete shared indices leave no articles of others behind."""
    yield
    empty_node(es)


def deleting(es: Elasticsearch, index: str, number: int = 1) -> Choice:
    """Return a choice that deletes an index before its n-th bulk request, from 1."""
    seen: list[str] = []

    def choose(request: Request) -> None:
        path = request.path.lstrip("/").partition("/")[0]
        if request.actions and path.startswith(index):
            seen.append(path)
            if len(seen) == number:
                es.indices.delete(index=path)

    return choose


@pytest.fixture
def files(tmp_path: Path) -> Path:
    folder = tmp_path / "files"
    folder.mkdir()
    for number in range(3):
        (folder / f"{number}.jsonl").write_text(line(f"vanish-{number}", 4))
    return folder


Loads = Callable[..., LoadReport]


@pytest.fixture
def load(node: str, files: Path, tmp_path: Path) -> Loads:
    def one(layout: str, choose: Choice = lambda _: None, **options: bool) -> LoadReport:
        with proxy(node, choose=choose) as url:
            load = small_load(url, files, layout, tmp_path / "checkpoint", **options)
            return run(load, url)

    return one


def assert_as_of_one_load(es: Elasticsearch, layout: str, documents: int) -> None:
    state = loaded_state(es, "vanish-")
    assert sorted(state["entries"]) == ["0", "1", "2"]
    assert len(state[layout]) == documents


def test_a_span_index(es: Elasticsearch, load: Loads) -> None:
    report = load("spans", deleting(es, f"{SPANS_PREFIX}vanish-1"))
    assert report.indexed == 2
    [rejected] = report.quarantined
    assert "1.jsonl" in rejected.source
    assert "may have been deleted during the load; load it again" in rejected.reason
    assert len(es.indices.get(index=f"{SPANS_PREFIX}vanish-*")) == 2
    again = load("spans")
    assert (again.indexed, again.unchanged) == (1, 2)
    assert_as_of_one_load(es, "spans", 21)


@pytest.mark.parametrize("number", [1, 2])
@pytest.mark.parametrize("index", [SENTENCES, CATALOGUE])
def test_an_index_that_articles_share(
    es: Elasticsearch, load: Loads, index: str, number: int
) -> None:
    with pytest.raises(CitespanError, match=f"{index}.* was deleted .*; load again with `restart`"):
        load("sentences", deleting(es, index, number))
    assert not es.indices.exists(index=index)
    if index == SENTENCES:
        assert load("sentences", restart=True).quarantined == []
        assert_as_of_one_load(es, "sentences", 12)
        return
    assert load("sentences", restart=True).indexed == 3
    es.indices.refresh(index="citespan-*")
    entries = es.search(index=CATALOGUE)["hits"]["hits"]
    named = {"terms": {"edition": [hit["_source"]["edition"] for hit in entries]}}
    assert es.count(index=SENTENCES, query=named)["count"] == 12


def test_the_catalogue_of_the_layout_spans(es: Elasticsearch, load: Loads) -> None:
    with pytest.raises(CitespanError, match="was deleted during the load"):
        load("spans", deleting(es, CATALOGUE))
    assert load("spans", restart=True).indexed == 3
    assert_as_of_one_load(es, "spans", 21)


def test_the_index_of_abstracts(es: Elasticsearch, node: str, tmp_path: Path) -> None:
    file = tmp_path / "m.xml"
    file.write_bytes(medline([citation(n) for n in range(1, 6)]))
    with (
        proxy(node, choose=deleting(es, abstracts.INDEX, 2)) as url,
        pytest.raises(
            CitespanError, match="was deleted during the load; load again with `restart`"
        ),
    ):
        run(abstracts_load(url, file), url)
    assert not es.indices.exists(index=abstracts.INDEX)
    assert run(abstracts_load(node, file), node).indexed == 5


def test_what_a_late_request_has_created_in_place_of_a_sentence_index_is_replaced(
    es: Elasticsearch, load: Loads
) -> None:
    es.index(index=f"{SENTENCES}-000", document={"edition": "late"}, refresh=True)
    assert load("sentences").indexed == 3
    assert_as_of_one_load(es, "sentences", 12)


def test_what_a_late_request_has_created_in_place_of_the_catalogue_is_named(
    es: Elasticsearch, load: Loads
) -> None:
    es.index(index=CATALOGUE, document={"article": "late"}, refresh=True)
    with pytest.raises(
        CitespanError,
        match="is of no mapping version, .*: load again with `citespan index … --rebuild`",
    ):
        load("sentences")


def test_a_sentence_index_that_a_user_takes_from_its_alias_is_never_deleted(
    es: Elasticsearch, load: Loads, files: Path
) -> None:
    load("sentences")
    es.indices.delete_alias(index=f"{SENTENCES}-000", name=SENTENCES)
    (files / "3.jsonl").write_text(json.dumps({"id": "vanish-3", "text": "One sentence more."}))
    with pytest.raises(CitespanError, match="removed from its alias"):
        load("sentences")
    assert es.count(index=f"{SENTENCES}-000")["count"] == 12
