"""What citespan brings into Kibana, run on Elasticsearch alone.

Kibana can't be run where these tests run. It sends a saved search's Lucene query as
`query_string`, and its console sends requests as they stand, so both are sent here.
"""

import json
import re
from collections.abc import Iterator

import pytest
from elasticsearch import Elasticsearch
from kibana_objects import SavedSearch, read_searches

from citespan.deploy import kibana
from citespan.es_mappings.similarity import Similarity
from citespan.pipelines.evaluation.shipped import sample
from citespan.pipelines.retrieval.model import models
from citespan.pipelines.vocabulary.builder import build
from citespan.pipelines.vocabulary.terms import VocabularyTerm

PAGE = kibana.OBJECTS.parent / "requests.console"


@pytest.fixture(scope="module", autouse=True)
def indexed(node: str, tmp_path_factory: pytest.TempPathFactory) -> None:
    from real_node import run_citespan

    vocabulary = tmp_path_factory.mktemp("vocabulary") / "store"
    names = ("p53", "tumour protein 53", "TP53")
    build([VocabularyTerm("C1", name, "MADE", "SY", False) for name in names], vocabulary, "made")
    done = run_citespan(
        "index",
        str(sample("jats")),
        str(sample("jats").parent / "manuscript"),
        "--models",
        ",".join(models.names()),
        "--vocabulary",
        str(vocabulary),
    )
    assert done.returncode == 0, done.stderr
    linked = run_citespan("link")
    assert linked.returncode == 0, linked.stderr


@pytest.mark.parametrize("search", read_searches(), ids=lambda search: search.id)
def test_every_field_named_is_there_and_of_use(es: Elasticsearch, search: SavedSearch) -> None:
    fields = es.field_caps(index=search.pattern, fields=sorted(search.fields))["fields"]
    assert search.fields <= set(fields)
    for name, _ in search.sort:
        assert all(kind["aggregatable"] for kind in fields[name].values()), name


@pytest.mark.parametrize("search", read_searches(), ids=lambda search: search.id)
def test_every_saved_search_finds_something(es: Elasticsearch, search: SavedSearch) -> None:
    response = es.search(
        index=search.pattern,
        query={"query_string": {"query": search.query}},
        sort=[{name: order} for name, order in search.sort] or ["_score"],
        source=search.columns,
    )
    assert response["hits"]["hits"], search.query


def requests() -> Iterator[tuple[str, str, dict[str, object]]]:
    """The requests of the shipped page: comment, path, body."""
    for block in re.split(r"^# ", PAGE.read_text(encoding="utf-8"), flags=re.MULTILINE)[1:]:
        comment, line, body = block.split("\n", 2)
        method, path = line.split()
        assert method == "GET"
        yield comment, path, json.loads(body)


@pytest.mark.parametrize(
    ("path", "body"), [pytest.param(path, body, id=comment) for comment, path, body in requests()]
)
def test_every_console_request_finds_something(
    es: Elasticsearch, path: str, body: dict[str, object]
) -> None:
    response = es.perform_request(
        "GET",
        f"/{path}",
        headers={"accept": "application/json", "content-type": "application/json"},
        body=body,
    ).body
    assert response["hits"]["total"]["value"] > 0
    for found in response.get("aggregations", {}).values():
        assert found["buckets"]


def test_the_page_has_a_request_for_each_model() -> None:
    page = PAGE.read_text(encoding="utf-8")
    for name in models.names():
        assert f'"{Similarity(name, {}).field}": "' in page
