"""A real cluster of three nodes that loses them, while loads and searches go on.

The elected master is killed; with CITESPAN_NODES_ENDED=3 each node ends in turn, the last as an
administrator ends it.
"""

import json
import os
import re
import shutil
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from threading import Event

import psutil
import pytest
import small_loads
from elasticsearch import Elasticsearch
from loaded_state import loaded_state
from real_node import (
    address_of,
    as_user_of,
    become_user_of,
    environment_of,
    new_home,
    run_citespan,
    using,
)
from small_loads import line, small_load

import citespan
from citespan.deploy.client import connect
from citespan.deploy.node import process
from citespan.deploy.node.lifecycle import down, up
from citespan.deploy.node.state import NodeState
from citespan.pipelines.store.catalogue import Catalogue

_ENDED = int(os.environ.get("CITESPAN_NODES_ENDED", "1"))
_SECONDS = 240
_ARTICLES = 4
_HEAP = "512m"
CITANCE = "damage of the receptor"


@dataclass
class Cluster:
    """A running cluster, and how to take nodes from it."""

    home: Path
    state: NodeState

    def find_master(self, es: Elasticsearch) -> NodeState:
        """The elected master."""
        [row] = es.cat.master(format="json")
        return self.state.nodes[int(row["node"].rpartition("-")[2]) - 1]  # type: ignore[index]

    def restart_ended(self) -> None:
        """Start what has ended again, as users do."""
        with as_user_of(self.home):
            self.state = up()


def kill(node: NodeState) -> None:
    """End a node as `kill -9` does."""
    server = node.process()
    assert server is not None
    server.kill()
    psutil.wait_procs([server], timeout=10)


def stop(node: NodeState) -> None:
    """End a node as an administrator does."""
    server = node.process()
    assert server is not None
    process.end(server)


@pytest.fixture(scope="module")
def cluster() -> Iterator[Cluster]:
    home = new_home()
    try:
        with as_user_of(home), pytest.MonkeyPatch.context() as patch:
            patch.setenv("CITESPAN_ES_HEAP", _HEAP)
            state = up(port=0, nodes=3)
        yield Cluster(home, state)
    finally:
        with as_user_of(home):
            down()
        shutil.rmtree(home)


class Loading:
    """Loads one folder after another, and searches what is loaded, until it is told to stop."""

    def __init__(self, url: str, folder: Path, layout: str) -> None:
        self._url = url
        self._folder = folder
        self._layout = layout
        self._stopped = Event()
        self.loaded = 0
        self.searched = 0

    def load(self) -> None:
        while not self._stopped.is_set():
            folder = self._folder / f"{self._layout}{self.loaded}"
            folder.mkdir()
            prefix = f"{self._layout}{self.loaded}"
            for number in range(_ARTICLES):
                (folder / f"{number}.jsonl").write_text(line(f"{prefix}-{number}", 6))
            report = small_loads.run(small_load(self._url, folder, self._layout), self._url)
            assert (report.indexed, report.quarantined) == (_ARTICLES, [])
            self.loaded += 1

    def search(self, expected: dict[str, list[object]]) -> None:
        """The same passages are found, whichever nodes are there."""
        with Elasticsearch(self._url.split(","), max_retries=3) as client:
            while not self._stopped.is_set():
                for article, passages in expected.items():
                    assert find(client, article) == passages
                    self.searched += 1

    def stop(self) -> None:
        self._stopped.set()


def find(client: Elasticsearch, article: str) -> list[object]:
    return list(citespan.search(CITANCE, article, client=client))


def wait_until(happened: Callable[[], bool]) -> None:
    until = time.monotonic() + _SECONDS
    while not happened():
        assert time.monotonic() < until, "it does not happen"
        time.sleep(0.2)


def is_green(es: Elasticsearch) -> bool:
    return bool(es.cluster.health(wait_for_status="green", timeout="30s")["status"] == "green")


def test_status_lists_every_node(cluster: Cluster) -> None:
    env = environment_of(cluster.home)
    found = json.loads(run_citespan("node", "status", "--json", env=env).stdout)
    assert found["url"] == cluster.state.addresses
    assert found["problem"] is None
    assert [node["url"] for node in found["nodes"]] == found["url"].split(",")
    assert all(psutil.pid_exists(node["pid"]) for node in found["nodes"])
    shown = run_citespan("node", "status", env=env).stdout
    assert all(url in shown for url in found["url"].split(","))
    again = run_citespan("node", "up", "--nodes", "2", env=env)
    assert again.returncode == 2
    assert "a server of 3 nodes runs" in again.stderr


def test_loads_and_searches_go_on_while_nodes_end_and_return(
    cluster: Cluster, tmp_path: Path
) -> None:
    url = address_of(cluster.state)
    with using(url), connect() as es:
        for layout in ("sentences", "spans"):
            folder = tmp_path / layout
            folder.mkdir()
            (folder / "before.jsonl").write_text(line(f"before{layout}-0", 8))
            small_loads.run(small_load(url, folder, layout), url)
        expected = {name: find(es, name) for name in ("beforesentences-0", "beforespans-0")}
        assert all(expected.values())
        loads = [Loading(url, tmp_path, layout) for layout in ("sentences", "spans")]
        with ThreadPoolExecutor(4) as threads:
            work = [threads.submit(load.load) for load in loads]
            work += [threads.submit(load.search, expected) for load in loads]
            try:
                master = cluster.find_master(es)
                others = [node for node in cluster.state.nodes if node.url != master.url]
                ends = zip([master, *others], [kill, kill, stop], strict=True)
                for node, end in list(ends)[:_ENDED]:
                    before = [(load.loaded, load.searched) for load in loads]
                    end(node)
                    wait_until(
                        lambda: (
                            all(
                                load.loaded > loaded + 1 and load.searched > searched
                                for load, (loaded, searched) in zip(loads, before, strict=True)  # noqa: B023
                            )
                            or any(future.done() for future in work)
                        )
                    )
                    cluster.restart_ended()
                    assert is_green(es)
            finally:
                for load in loads:
                    load.stop()
            for future in work:
                future.result()
        reference = loaded_state(es, "sentences0-"), loaded_state(es, "spans0-")
        for loading, whole in zip(loads, reference, strict=True):
            assert len(whole["entries"]) == _ARTICLES
            for number in range(loading.loaded):
                assert loaded_state(es, f"{loading._layout}{number}-") == whole


def test_a_shard_that_is_away_and_a_cluster_that_has_ended_are_reported_and_come_back(
    cluster: Cluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    become_user_of(cluster.home, monkeypatch)
    (tmp_path / "away.jsonl").write_text(line("away-0", 5))
    url = address_of(cluster.state)
    small_loads.run(small_load(url, tmp_path, "spans"), url)
    with connect() as es:
        assert is_green(es)
        entry = Catalogue(es).find("away-0")
        rows = es.cat.shards(index=entry.index, format="json")
        copies = {int(row["node"].rpartition("-")[2]) for row in rows}  # type: ignore[index]
    assert len(copies) == 2
    for number in copies:
        kill(cluster.state.nodes[number - 1])
    (tmp_path / "more.jsonl").write_text(line("away-1", 5))

    status = run_citespan("node", "status")
    assert status.returncode == 0
    assert "2 of 3 nodes have ended by themselves" in status.stderr
    commands = [
        ["search", CITANCE, "--article", "away-0"],
        ["show", "away-0"],
        ["index", str(tmp_path), "--patience", "2"],
    ]
    with ThreadPoolExecutor(len(commands)) as threads:
        ended = list(threads.map(lambda command: run_citespan(*command), commands))
    for command, done in zip(commands, ended, strict=True):
        assert done.returncode == 3, (command, done)
        [complaint] = done.stderr.splitlines()
        assert re.match(
            r"citespan: .*(start the nodes that have its shards again|check that it runs)",
            complaint,
        )
    waited = re.search(r"accepted no request for (\d+) s", ended[-1].stderr)
    assert waited is not None and int(waited[1]) < 30  # the server itself would wait for a minute

    [last] = {1, 2, 3} - copies
    kill(cluster.state.nodes[last - 1])
    assert "has ended by itself" in run_citespan("node", "status").stderr
    again = run_citespan("node", "up", "--json")
    assert again.returncode == 0, again.stderr
    assert json.loads(again.stdout)["url"] == cluster.state.addresses
    found = run_citespan("search", CITANCE, "--article", "away-0", "--json")
    assert json.loads(found.stdout)["results"]
