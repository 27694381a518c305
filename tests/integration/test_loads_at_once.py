"""Several loads at once into an empty server: nothing is lost, and nothing is there twice."""

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from elasticsearch import Elasticsearch
from loaded_state import loaded_state
from real_node import empty_node
from small_loads import line

from citespan.deploy.client import connect
from citespan.es_mappings.articles import INDEX as CATALOGUE

Citespan = Callable[..., subprocess.CompletedProcess[str]]

FILES, ARTICLES = 12, 4


def write_folder(folder: Path, prefix: str) -> Path:
    folder.mkdir()
    for file in range(FILES):
        numbers = range(file * ARTICLES, (file + 1) * ARTICLES)
        lines = [line(f"{prefix}-{number}", 2 + number % 5) for number in numbers]
        (folder / f"{file}.jsonl").write_text("\n".join(lines))
    return folder


def load_at_once(folder: Path, shards: list[str], *options: str) -> list[dict[str, Any]]:
    """Load parts of a folder by as many commands, which all end well; return their reports."""
    load = ("index", str(folder), "--layout", "sentences", "--processes", "1", "--json")
    command = [sys.executable, "-m", "citespan.cli.main", *load, *options]
    started = [
        subprocess.Popen(
            [*command, "--shard", shard], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
        for shard in shards
    ]
    reports = []
    for process in started:
        printed, complained = process.communicate(timeout=300)
        assert process.returncode == 0, complained
        reports.append(json.loads(printed))
    return reports


@pytest.fixture(scope="module")
def undisturbed(node: str, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What one load of the same articles leaves."""
    load_at_once(write_folder(tmp_path_factory.mktemp("files") / "alone", "alone"), ["1/1"])
    with connect() as es:
        state = loaded_state(es, "alone-")
    assert len(state["entries"]) == FILES * ARTICLES
    return state


@pytest.fixture(autouse=True)
def empty(undisturbed: dict[str, Any], es: Elasticsearch) -> None:
    empty_node(es)


def test_loads_that_share_a_folder_store_what_one_load_stores(
    undisturbed: dict[str, Any], es: Elasticsearch, citespan: Citespan, tmp_path: Path
) -> None:
    folder = write_folder(tmp_path / "shared", "shared")
    reports = load_at_once(folder, ["1/3", "2/3", "3/3"], "--finish")
    assert sum(report["indexed"] for report in reports) == FILES * ARTICLES
    assert all(report["indexed"] == report["inputs"] > 0 for report in reports)
    assert loaded_state(es, "shared-") == undisturbed
    assert any(report["merged"] is not None for report in reports)  # the last to end
    found = citespan("doctor", "--thorough", "--json")
    assert found.returncode == 0, found.stdout


def test_loads_of_the_same_articles_store_each_once(
    undisturbed: dict[str, Any], es: Elasticsearch, tmp_path: Path
) -> None:
    folder = write_folder(tmp_path / "same", "same")
    reports = load_at_once(folder, ["1/1", "1/2", "2/2"])
    for report in reports:
        taken = report["indexed"] + report["unchanged"] + report["replaced"]
        assert taken == report["inputs"] and not report["quarantined"]
    assert loaded_state(es, "same-") == undisturbed
    assert es.count(index=CATALOGUE)["count"] == FILES * ARTICLES
    [again] = load_at_once(folder, ["1/1"])
    assert again["unchanged"] == FILES * ARTICLES
