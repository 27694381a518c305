"""The panels of Kibana's dashboards, each as its request to a real node with data in it.

Kibana can't be run where these tests run. It puts the dashboard's query and filters where a request
has the names of its context, and sends it as it stands.
"""

import json
import re
import shutil
from pathlib import Path
from typing import Any

import pytest
from elasticsearch import Elasticsearch
from kibana_objects import Panel, read_panels
from made_outcomes import write_run
from real_node import run_citespan

from citespan.es_mappings import evaluations
from citespan.pipelines.evaluation.evaluation_index import write_evaluation
from citespan.pipelines.evaluation.outcome import Outcome
from citespan.pipelines.evaluation.read_collection import read_collection, split_articles
from citespan.pipelines.evaluation.run_folder import read_run_folder, replay_run
from citespan.pipelines.evaluation.sentence_bm25 import SentenceBM25
from citespan.pipelines.evaluation.shipped import sample

SAMPLE = f"tac2014:{sample('tac2014')}"
PANELS = {panel.id: panel for panel in read_panels()}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of BM25 over the sample's sentences, the best one or the best three."""
    collection = read_collection(SAMPLE)
    articles = split_articles(collection)
    outcomes = {
        f"top-{top}": [
            Outcome(citance, articles[citance.article_id],
                    SentenceBM25(articles[citance.article_id]).retrieve(citance.text, top))
            for citance in collection.citances
        ]
        for top in (1, 3)
    }  # fmt: skip
    return write_run(tmp_path_factory.mktemp("runs") / "run", outcomes, path=SAMPLE)


@pytest.fixture(scope="module", autouse=True)
def loaded(node: str, folder: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    """Articles in both layouts, one of them broken, their links, and an evaluation."""
    broken = tmp_path_factory.mktemp("broken") / "broken.xml"
    broken.write_text("<article>")
    citing = tmp_path_factory.mktemp("citing")
    shutil.copytree(sample("jats").parent / "manuscript", citing, dirs_exist_ok=True)
    (citing / "mine.md").write_text(
        "---\nbibliography: mine.bib\n---\n\n# Introduction\n\nYeast eats sugar [@a].\n"
    )
    (citing / "mine.bib").write_text("@article{a, title = {Sugar}, doi = {10.1000/sugar}}\n")
    for arguments, status in (
        ((str(sample("jats")),), 0),
        ((str(sample("tac2014")), str(broken), "--layout", "sentences"), 1),
        ((str(citing),), 0),
    ):
        done = run_citespan("index", *arguments)
        assert done.returncode == status, done.stderr
    done = run_citespan("link")
    assert done.returncode == 0, done.stderr
    done = run_citespan(
        *("evaluate", "report", str(folder), "--out", str(folder / "report.html"), "--index")
    )
    assert done.returncode == 0, done.stderr
    assert f"22 documents written to {evaluations.INDEX}" in done.stdout
    assert (folder / "plots" / "systems.svg").is_file()


def make_body(panel: Panel, query: dict[str, Any] | None = None) -> dict[str, Any]:
    """The request of a panel as Kibana fills it, for a dashboard with a query or none."""
    filled = query or {"match_all": {}}
    text = json.dumps(panel.body)
    text = text.replace('"%dashboard_context-must_clause%"', json.dumps(filled))
    text = re.sub(r'"%dashboard_context-filter_clause%"', json.dumps({"match_all": {}}), text)
    text = re.sub(r'"%dashboard_context-must_not_clause%"', "", text)
    assert "%" not in text
    body: dict[str, Any] = json.loads(text)
    return body


def find(row: Any, path: str) -> Any:
    for part in path.split("."):
        row = row[part]
    return row


def ask(es: Elasticsearch, panel: Panel, body: dict[str, Any], index: str = "") -> list[Any]:
    """The rows that the panel shows."""
    answer = es.search(index=index or panel.pattern, body=body).body
    assert answer["_shards"]["failed"] == 0
    rows: list[Any] = find(answer, panel.rows)
    return rows


@pytest.mark.parametrize("panel", PANELS.values(), ids=PANELS)
def test_every_panel_has_rows_with_all_that_it_shows(es: Elasticsearch, panel: Panel) -> None:
    rows = ask(es, panel, make_body(panel))
    assert rows
    made = {
        name
        for step in panel.spec["transform"]
        for name in ([step["as"]] if isinstance(step["as"], str) else step["as"])
    }
    shown = {channel["field"] for channel in panel.spec["encoding"].values()} - made
    shown |= {name for step in panel.spec["transform"] for name in step.get("fold", ())}
    for field in shown:
        assert find(rows[0], field) is not None, field


def test_panels_follow_the_dashboard_s_query(es: Elasticsearch) -> None:
    panel = PANELS["citespan-corpus-years"]
    nothing = {"query_string": {"query": "year:1066"}}
    assert ask(es, panel, make_body(panel, nothing)) == []


@pytest.mark.parametrize("panel", PANELS.values(), ids=PANELS)
def test_fields_that_no_index_has_are_an_empty_panel(es: Elasticsearch, panel: Panel) -> None:
    es.indices.create(
        index="nothing-of-ours", mappings={"properties": {"length": {"type": "long"}}}
    )
    try:
        es.index(index="nothing-of-ours", document={"length": 1}, refresh=True)
        assert ask(es, panel, make_body(panel), "nothing-of-ours") == []
    finally:
        es.indices.delete(index="nothing-of-ours")


def test_f1_by_system_is_what_the_run_says(es: Elasticsearch, folder: Path) -> None:
    panel = PANELS["citespan-evaluation-f1"]
    shown = {row["key"]: row["f1"]["value"] for row in ask(es, panel, make_body(panel))}
    results = read_run_folder(folder).results
    assert shown == {
        f"{system.system} (made, made:set)": pytest.approx(system.measures["f1"], abs=1e-6)
        for system in results.systems
    }


def test_a_run_that_is_indexed_again_replaces_itself(es: Elasticsearch, folder: Path) -> None:
    replayed = replay_run(read_run_folder(folder), read_collection(SAMPLE))
    for _ in range(2):
        assert write_evaluation(es, replayed) == 22
    assert es.count(index=evaluations.INDEX)["count"] == 22


def test_the_index_of_another_version_is_made_anew(es: Elasticsearch, folder: Path) -> None:
    es.indices.delete(index=evaluations.INDEX)
    es.indices.create(index=evaluations.INDEX, mappings={"_meta": {"citespan_mapping": 0}})
    write_evaluation(es, replay_run(read_run_folder(folder), read_collection(SAMPLE)))
    assert es.count(index=evaluations.INDEX)["count"] == 22
