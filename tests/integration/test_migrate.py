"""`citespan migrate`: indices as an older citespan would have left them, then the same searches."""

import json
import random
import subprocess
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import Any

import loading
import pytest
from elasticsearch import Elasticsearch
from made_abstracts import made_abstract
from made_articles import random_article
from real_node import empty_node
from spans_of import spans_of

from citespan.es_mappings import abstracts, articles, citations, spans
from citespan.es_mappings.index_name import SENTENCES, SPANS_PREFIX
from citespan.pipelines.indexing.catalogue import Catalogue
from citespan.pipelines.indexing.layouts.layout import layout_of
from citespan.pipelines.indexing.migration.index_versions import copy_name, index_versions, kind_of
from citespan.pipelines.indexing.migration.migration import (
    NewerVersionError,
    Outcome,
    migrate,
    plan,
)
from citespan.pipelines.indexing.report import LoadReport
from citespan.pipelines.reformulation.query import Term
from citespan.pipelines.retrieval import search as retrieval
from citespan.pipelines.retrieval.layouts.layout import SearchRequest
from citespan.pipelines.retrieval.model import models, similarities

QUERY = "p53 kinases bind receptors of repaired cells"
Citespan = Callable[..., subprocess.CompletedProcess[str]]
Change = Callable[[dict[str, Any], dict[str, Any]], None]


@pytest.fixture(autouse=True)
def clean(es: Elasticsearch) -> Iterator[None]:
    """Only what a test has made is migrated in it."""
    empty_node(es)
    yield
    empty_node(es)


def load(es: Elasticsearch, *names: str, layout: str = "spans") -> LoadReport:
    made = (random_article(name, 8, random.Random(name)) for name in names)
    return loading.load(es, made, ["vsm", "bm25"], layout=layout)


def search(es: Elasticsearch, article: str) -> Any:
    terms = tuple(Term(word, 1.0, "word") for word in QUERY.split())
    entry = Catalogue(es).find(article)
    found = [
        [(span.first_sentence, span.last_sentence, span.score) for span in spans]
        for model in ("vsm", "bm25")
        for spans in [retrieval.search(es, SearchRequest(entry, terms, models[model]))]
    ]
    assert all(found)
    return found, layout_of(entry).read_text(es, entry)


def made_old(es: Elasticsearch, index: str, change: Change, alias: str = "") -> None:
    """The same documents in an index of that name of an earlier version, with another mapping."""
    told = es.indices.get(index=index, features="mappings,settings")[index]
    kept = ("number_of_shards", "refresh_interval", "similarity", "analysis")
    settings = {
        key: told["settings"]["index"][key] for key in kept if key in told["settings"]["index"]
    }
    mappings = told["mappings"]
    mappings["_meta"] = {"citespan_mapping": mappings["_meta"]["citespan_mapping"] - 1}
    change(mappings, settings)
    hits = es.search(index=index, size=10_000, query={"match_all": {}})["hits"]["hits"]
    es.indices.delete(index=index)
    es.indices.create(index=index, mappings=mappings, settings=settings)
    if alias:
        es.indices.put_alias(index=index, name=alias)
    operations: list[Mapping[str, Any]] = []
    for hit in hits:
        action = {"_id": hit["_id"]} | ({"routing": hit["_routing"]} if "_routing" in hit else {})
        source = {k: v for k, v in hit["_source"].items() if k in mappings["properties"]}
        operations += [{"index": action}, source]
    done = es.bulk(index=index, operations=operations, refresh=True)
    assert not done["errors"], done
    if kind_of(index) in ("spans", "sentences"):
        es.update_by_query(
            index=articles.INDEX,
            query={"term": {"index": index}},
            script="ctx._source.mapping_version -= 1",
            refresh=True,
        )


def another_analyzer(mappings: dict[str, Any], settings: dict[str, Any]) -> None:
    """Without stemming."""
    filters = settings["analysis"]["analyzer"]["citespan_english"]["filter"]
    filters.remove("plural_stemmer")


def nothing(mappings: dict[str, Any], settings: dict[str, Any]) -> None:
    """Only the version."""


def further_field(mappings: dict[str, Any], settings: dict[str, Any]) -> None:
    mappings["properties"]["given_up"] = {"type": "keyword"}


def without_bm25(mappings: dict[str, Any], settings: dict[str, Any]) -> None:
    del mappings["properties"]["text"]["fields"]


def without_white_space(mappings: dict[str, Any], settings: dict[str, Any]) -> None:
    del mappings["properties"]["white_space"]


def run(es: Elasticsearch) -> list[Outcome]:
    return list(migrate(es, plan(es, similarities)))


@pytest.mark.parametrize(
    ("change", "how"),
    [
        (another_analyzer, "copy"),
        (further_field, "copy"),
        (without_bm25, "copy"),
        (nothing, "in place"),
    ],
)
def test_spans(es: Elasticsearch, change: Change, how: str) -> None:
    load(es, "old", "other")
    before = search(es, "old")
    index = spans_of(es, "old")
    made_old(es, index, change)

    [outcome] = run(es)

    copied = how == "copy"
    assert (outcome.step.how, outcome.problem) == (how, "")
    assert outcome.documents == (30 if copied else 0)
    entry = Catalogue(es).find("old")
    assert entry.mapping_version == spans.VERSION
    assert entry.index == (copy_name(index) if copied else index)
    assert es.indices.exists(index=index) != copied
    assert search(es, "old") == before
    assert not plan(es, similarities)
    census = load(es, "old")
    assert (census.unchanged, census.replaced) == (1, 0)
    changed = replace(random_article("old", 8, random.Random("old")), title="Another title")
    assert loading.load(es, [changed], ["vsm", "bm25"]).replaced == 1
    assert not es.indices.exists(index=copy_name(index))


def test_spans_without_what_stands_between_sentences_are_to_be_loaded_again(
    es: Elasticsearch,
) -> None:
    load(es, "old")
    index = spans_of(es, "old")
    made_old(es, index, without_white_space)
    [outcome] = run(es)
    assert (outcome.step.how, outcome.step.articles) == ("not at all", ("old",))
    assert "old: " in outcome.problem
    assert outcome.problem.endswith("has no white_space; index its articles again")
    assert load(es, "old").replaced == 1
    assert not plan(es, similarities)


def test_a_dry_run_changes_nothing(es: Elasticsearch, citespan: Citespan) -> None:
    load(es, "old")
    index = spans_of(es, "old")
    made_old(es, index, another_analyzer)
    dry = json.loads(citespan("migrate", "--dry-run", "--json").stdout)
    assert [(step["index"], step["how"]) for step in dry["steps"]] == [(index, "copy")]
    assert not es.indices.exists(index=copy_name(index))
    done = json.loads(citespan("migrate", "--json").stdout)
    assert [(step["index"], step["documents"]) for step in done["steps"]] == [(index, 30)]


def test_sentences(es: Elasticsearch) -> None:
    load(es, "one", "two", layout="sentences")
    before = search(es, "two")
    index = Catalogue(es).find("one").index
    made_old(es, index, another_analyzer, alias=SENTENCES)

    [outcome] = run(es)

    assert (outcome.documents, outcome.problem) == (16, "")
    assert list(es.indices.get_alias(name=SENTENCES)) == [copy_name(index)]
    assert not es.indices.exists(index=index)
    assert search(es, "two") == before
    census = load(es, "one", "two", "three", layout="sentences")
    assert (census.unchanged, census.indexed) == (2, 1)


def test_an_interrupted_migration_goes_on(es: Elasticsearch) -> None:
    """Every request that changes something is the last one of a migration in turn."""
    load(es, "one", "two", layout="sentences")
    load(es, "three")
    before = {name: search(es, name) for name in ("one", "three")}
    made_old(es, Catalogue(es).find("one").index, another_analyzer, alias=SENTENCES)
    made_old(es, spans_of(es, "three"), without_bm25)
    for allowed in range(40):
        try:
            for _ in migrate(Ending(es, allowed), plan(es, similarities)):  # type: ignore[arg-type]
                pass
            break
        except EndedError:
            assert plan(es, similarities)
    else:
        pytest.fail("never came to its end")
    assert allowed > 5
    assert not plan(es, similarities)
    assert {name: search(es, name) for name in before} == before
    left = [name for name in es.indices.get(index="citespan-*") if not name.endswith("~1")]
    assert sorted(left) == [articles.INDEX, citations.INDEX]  # this one was not old


class EndedError(Exception):
    """The process was killed."""


class Ending:
    """A real client whose process ends before one of the requests that change something."""

    def __init__(self, client: Any, allowed: int, path: tuple[str, ...] = ()) -> None:
        self._client, self._path = client, path
        self._left = allowed if isinstance(allowed, list) else [allowed]

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._client, name)
        if name in ("indices", "tasks"):
            ending = Ending(found, 0, (name,))
            ending._left = self._left
            return ending
        if name in CHANGING:

            def call(*arguments: Any, **named: Any) -> Any:
                if not self._left[0]:
                    raise EndedError
                self._left[0] -= 1
                return found(*arguments, **named)

            return call
        return found


CHANGING = (
    *("create", "delete", "reindex", "add_block", "put_settings", "put_mapping"),
    *("update_aliases", "update_by_query"),
)


def test_abstracts_and_catalogue_get_new_fields_in_place(es: Elasticsearch) -> None:
    load(es, "any")
    loading.load_abstracts(es, [made_abstract(1), made_abstract(2)])

    def older(mappings: dict[str, Any], settings: dict[str, Any]) -> None:
        mappings["properties"].pop("zoned_by", None)
        mappings["properties"].pop("edition", None)

    made_old(es, abstracts.INDEX, older)
    made_old(es, articles.INDEX, older)
    steps = plan(es, similarities)
    assert [(s.index.kind, s.how) for s in steps] == [
        ("catalogue", "in place"),
        ("abstracts", "in place"),
    ]
    assert not any(outcome.problem for outcome in migrate(es, steps))
    assert not plan(es, similarities)
    assert (
        "zoned_by"
        in es.indices.get_mapping(index=abstracts.INDEX)[abstracts.INDEX]["mappings"]["properties"]
    )


def test_abstracts_and_catalogue_are_copied_behind_an_alias(es: Elasticsearch) -> None:
    load(es, "any")
    before = search(es, "any")
    loading.load_abstracts(es, [made_abstract(1), made_abstract(2)])

    def older(mappings: dict[str, Any], settings: dict[str, Any]) -> None:
        mappings["properties"]["title"] = {"type": "keyword"}

    for _ in range(2):
        for index in (abstracts.INDEX, articles.INDEX):
            [name] = es.indices.get(index=index)
            made_old(es, name, older, alias=index if name != index else "")
        assert [(o.step.how, o.problem) for o in run(es)] == [("copy", "")] * 2
        assert es.count(index=abstracts.INDEX)["count"] == 2
        assert search(es, "any") == before
    again = loading.load_abstracts(es, [made_abstract(1), made_abstract(3)])
    assert (again.unchanged, again.indexed) == (1, 1)
    census = load(es, "any", "new")
    assert (census.unchanged, census.indexed) == (1, 1)


def test_documents_that_lack_what_is_needed(es: Elasticsearch, citespan: Citespan) -> None:
    load(es, "poor")

    def older(mappings: dict[str, Any], settings: dict[str, Any]) -> None:
        del mappings["properties"]["section"]
        another_analyzer(mappings, settings)

    index = spans_of(es, "poor")
    made_old(es, index, older)
    done = citespan("migrate")
    assert done.returncode == 1
    [line] = done.stderr.splitlines()
    assert "poor: " in line and "index its articles again" in line
    assert not es.indices.exists(index=copy_name(index))
    census = load(es, "poor")  # which no block keeps out
    assert census.replaced == 1
    assert not plan(es, similarities)


def test_what_a_later_citespan_has_made_is_left_alone(
    es: Elasticsearch, citespan: Citespan
) -> None:
    load(es, "old", "later")
    made_old(es, spans_of(es, "old"), nothing)
    later = spans_of(es, "later")
    meta = {"citespan_mapping": spans.VERSION + 1}
    es.indices.put_mapping(index=later, meta=meta)
    with pytest.raises(NewerVersionError):
        plan(es, similarities)
    done = citespan("migrate")
    assert done.returncode == 2
    [line] = done.stderr.splitlines()
    assert later in line and "update citespan" in line


def test_indices_of_nobody(es: Elasticsearch) -> None:
    es.indices.create(index=f"{SPANS_PREFIX}left", mappings={"_meta": {"citespan_mapping": 1}})
    es.indices.create(index=f"{SPANS_PREFIX}strange")
    es.indices.create(index="citespan-something-else")
    problems = {outcome.step.index.index: outcome.problem for outcome in run(es)}
    assert "delete it" in problems.pop(f"{SPANS_PREFIX}left")
    assert "says no mapping version" in problems.pop(f"{SPANS_PREFIX}strange")
    assert not problems
    assert len(index_versions(es)) == 2


@pytest.mark.parametrize(
    ("index", "kind", "copied"),
    [
        (articles.INDEX, "catalogue", f"{articles.INDEX}~1"),
        ("citespan-loads", "loads", "citespan-loads~1"),
        (f"{abstracts.INDEX}~1", "abstracts", f"{abstracts.INDEX}~2"),
        (f"{abstracts.INDEX}~2", "abstracts", f"{abstracts.INDEX}~1"),
        (f"{SENTENCES}-000", "sentences", f"{SENTENCES}-000~1"),
        (SENTENCES, None, f"{SENTENCES}~1"),
        ("citespan-spans-p53~1a2b3c4d", "spans", "citespan-spans-p53~1a2b3c4d~1"),
    ],
)
def test_names(index: str, kind: str | None, copied: str) -> None:
    assert kind_of(index) == kind
    assert copy_name(index) == copied
