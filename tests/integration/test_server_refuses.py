"""Faults of the server are the server's: a load ends with exit status 3 and one line, no input is
quarantined, and repeated when the fault is gone it goes on."""

import json
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from command_line import run, start
from elasticsearch import Elasticsearch
from fault_proxy import Choice, Request, proxy
from real_node import empty_node
from small_loads import line

LAYOUTS = ("sentences", "spans")
_BLOCKS = ("write", "read_only", "read_only_allow_delete")


@pytest.fixture(autouse=True)
def empty(es: Elasticsearch) -> Iterator[None]:
    empty_node(es)
    yield
    lift(es)
    empty_node(es)


_WATERMARK = "cluster.routing.allocation.disk.watermark"
_FULL_DISK = {
    f"{_WATERMARK}.low": "0%",
    f"{_WATERMARK}.high": "0%",
    f"{_WATERMARK}.flood_stage": "100%",
}
"""Above the high mark the server lifts no block; below the flood stage it sets none."""


def block(es: Elasticsearch, index: str, name: str) -> None:
    es.cluster.put_settings(persistent=_FULL_DISK)
    es.indices.put_settings(index=index, settings={f"index.blocks.{name}": True})


def lift(es: Elasticsearch) -> None:
    lifted = {f"index.blocks.{name}": None for name in _BLOCKS}
    if es.indices.get(index="citespan-*", filter_path="*.aliases"):
        es.indices.put_settings(index="citespan-*", settings=lifted)
    changed = ("cluster.max_shards_per_node", *_FULL_DISK)
    es.cluster.put_settings(persistent=dict.fromkeys(changed))


def write(folder: Path, number: int, seed: str = "") -> Path:
    folder.mkdir(exist_ok=True)
    for n in range(number):
        (folder / f"{n}.jsonl").write_text(line(f"refused-{n}", 5, seed))
    return folder


def assert_refused(done: Any, text: str) -> None:
    told = " ".join(done.stderr.split())
    assert (done.returncode, done.stdout) == (3, ""), told
    assert text in told
    assert done.stderr.rstrip().rpartition("\n")[2].startswith("citespan: ")


def assert_goes_on(*arguments: object, number: int) -> None:
    done = run(*arguments, "--json")
    assert done.returncode == 0, done.stderr
    report = json.loads(done.stdout)
    assert (report["inputs"], report["quarantined"]) == (number, [])


@pytest.mark.parametrize("name", _BLOCKS)
@pytest.mark.parametrize("index", ["citespan-sentences", "citespan-articles"])
def test_a_blocked_index(es: Elasticsearch, tmp_path: Path, index: str, name: str) -> None:
    arguments = ("index", write(tmp_path / "files", 8), "--layout", "sentences")
    assert run(*arguments).returncode == 0
    write(tmp_path / "files", 8, "other")
    block(es, index, name)
    full = name == "read_only_allow_delete"
    assert_refused(run(*arguments, "--json"), "its disk is full" if full else "index is blocked")
    lift(es)
    assert_goes_on(*arguments, number=8)


@pytest.mark.parametrize("layout", LAYOUTS)
def test_deletion_from_a_blocked_index(es: Elasticsearch, tmp_path: Path, layout: str) -> None:
    assert run("index", write(tmp_path / "files", 2), "--layout", layout).returncode == 0
    index = "citespan-sentences-000" if layout == "sentences" else "citespan-spans-refused-0*"
    block(es, index, "read_only")
    assert_refused(run("delete", "refused-0", "--yes", "--json"), "blocked")
    lift(es)


def test_a_limit_of_shards_that_is_reached_in_the_middle(es: Elasticsearch, tmp_path: Path) -> None:
    arguments = ("index", write(tmp_path / "files", 60), "--layout", "spans", "--processes", "0")
    load = start(*arguments, "--json")
    while not es.indices.get(index="citespan-spans-*"):
        assert load.poll() is None
        time.sleep(0.02)
    es.cluster.put_settings(persistent={"cluster.max_shards_per_node": 10})
    out, err = load.communicate(timeout=120)
    assert (load.returncode, out) == (3, ""), err
    assert "as many shards as it may have" in " ".join(err.split())
    lift(es)
    assert_goes_on(*arguments, number=60)


def page(kind: str, part: int) -> Choice:
    """Return a choice that answers every so many requests, but the first, by a proxy's page."""
    numbers = iter(range(1, 1_000_000))
    headers = {"Content-Type": "text/html"}
    if kind == "headed":
        headers["X-Elastic-Product"] = "Elasticsearch"

    def choose(request: Request) -> Any:
        if next(numbers) % part or request.method == "HEAD":
            return None
        return 200, b"<html>Please log in.</html>", headers

    return choose


@pytest.mark.parametrize("kind", ["headed", "bare"])
def test_pages_of_a_proxy(es: Elasticsearch, node: str, tmp_path: Path, kind: str) -> None:
    arguments = ("index", write(tmp_path / "files", 8), "--layout", "sentences")
    with proxy(node, choose=page(kind, 5)) as url:
        done = run(*arguments, "--json", CITESPAN_ES_URL=url)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["indexed"] == 8
    started: list[bool] = []

    def after_a_while(request: Request) -> Any:
        if request.actions:
            started.append(True)
        return (200, b"<html>Gone.</html>", page_headers(kind)) if started else None

    write(tmp_path / "files", 8, "other")
    with proxy(node, choose=after_a_while) as url:
        refused = run(*arguments, "--json", "--patience", "3", CITESPAN_ES_URL=url)
    assert_refused(refused, "repeat")
    assert_goes_on(*arguments, number=8)


def page_headers(kind: str) -> dict[str, str]:
    product = {"X-Elastic-Product": "Elasticsearch"} if kind == "headed" else {}
    return {"Content-Type": "text/html"} | product


Commands = Callable[[str], tuple[object, ...]]


@pytest.mark.parametrize("kind", ["headed", "bare"])
@pytest.mark.parametrize(
    "arguments",
    [
        ("search", "cells grow", "--article", "refused-0"),
        ("articles",),
        ("answers", "find", "Does walking lower blood pressure?"),
    ],
)
def test_pages_in_place_of_other_answers(
    es: Elasticsearch, node: str, tmp_path: Path, kind: str, arguments: tuple[str, ...]
) -> None:
    assert run("index", write(tmp_path / "files", 1)).returncode == 0

    def after_the_first(request: Request) -> Any:
        if request.path == "/":
            return None
        return 200, b"<html>Gone.</html>", page_headers(kind)

    with proxy(node, choose=after_the_first) as url:
        done = run(*arguments, CITESPAN_ES_URL=url)
    assert done.returncode == 3, done.stderr
    assert "unexpected" not in done.stderr
