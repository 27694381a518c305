"""A load that is resumed believes the server: what it had stored and is not there any more, it
reads again and says so, and it never reports as indexed what is not stored."""

import json
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from command_line import finish, kill, run, start
from elasticsearch import Elasticsearch
from fault_proxy import LONGEST_WAIT, Request, hold_entries, proxy
from loaded_state import let_leases_lapse
from made_medline import citation, medline, section
from real_node import empty_node
from small_loads import line

_ARTICLES = 300
_ABSTRACTS = 9_000
LAYOUTS = ("sentences", "spans")


@pytest.fixture(autouse=True)
def empty(es: Elasticsearch) -> None:
    empty_node(es)


@pytest.fixture(params=[*LAYOUTS, "abstracts"])
def killed(request: pytest.FixtureRequest, es: Elasticsearch, tmp_path: Path) -> Iterator[Any]:
    """Kills a load in the middle, and gives what resumes it and what counts what is stored."""
    kind: str = request.param
    files = tmp_path / "files"
    files.mkdir()
    total = _ABSTRACTS if kind == "abstracts" else 60 if kind == "spans" else _ARTICLES
    write_all(files, kind, total)
    options = [] if kind == "abstracts" else ["--layout", kind]
    index = f"citespan-{'abstracts' if kind == 'abstracts' else 'articles'}"
    checkpoint = tmp_path / "checkpoint"
    arguments = ("index", files, *options, "--no-zones", "--checkpoint", checkpoint, "--json")

    def resume() -> subprocess.CompletedProcess[str]:
        return run(*arguments)

    yield kind, index, total, arguments, resume
    empty_node(es)


def write_all(files: Path, kind: str, total: int) -> None:
    if kind == "abstracts":
        for at in range(0, total, total // 10):
            made = (made_citation(n) for n in range(at + 1, at + total // 10 + 1))
            (files / f"{at:05}.xml").write_bytes(medline(made))
    else:
        for number in range(total):
            (files / f"{number:04}.jsonl").write_text(line(f"believed-{number}", 5))


def made_citation(pmid: int) -> str:
    text = section(f"The text {pmid} says how mice sleep. Rats sleep less than mice.")
    return citation(pmid, abstract=text, revised="2001-01-01")


def kill_in_the_middle(es: Elasticsearch, arguments: Any, index: str, total: int) -> int:
    """Kill a load as soon as a part of it is committed; return how much is stored."""
    load = start(*arguments)
    while not 0 < count(es, index) < total:
        assert load.poll() is None, load.communicate()
        time.sleep(0.02)
    time.sleep(0.5)
    assert load.poll() is None, "it ended before it was killed"
    kill(load)
    load.communicate()
    stored = count(es, index)
    assert 0 < stored < total
    return stored


def count(es: Elasticsearch, index: str) -> int:
    if not es.indices.exists(index=index):
        return 0
    es.indices.refresh(index=index)
    return int(es.count(index=index)["count"])


def assert_whole(es: Elasticsearch, done: Any, index: str, total: int) -> None:
    assert done.returncode == 0, done.stderr
    report = json.loads(done.stdout)
    assert (report["inputs"], report["quarantined"]) == (total, [])
    assert count(es, index) == total
    if index == "citespan-articles":
        states = json.loads(run("doctor", "--json").stdout)["findings"]
        found = {finding["check"]: finding["state"] for finding in states}
        assert (found["spans"], found["sentences"], found["citations"]) == ("ok", "ok", "ok")


def one_line(done: subprocess.CompletedProcess[str], text: str) -> bool:
    return text in " ".join(done.stderr.split())


def test_of_a_server_that_was_emptied(es: Elasticsearch, killed: Any) -> None:
    _, index, total, arguments, resume = killed
    kill_in_the_middle(es, arguments, index, total)
    empty_node(es)
    done = resume()
    assert_whole(es, done, index, total)
    assert json.loads(done.stdout)["indexed"] == total
    assert one_line(done, "deleted, or restored from a snapshot, since this load wrote to it")


@contextmanager
def snapshot(es: Elasticsearch) -> Iterator[Callable[[bool], None]]:
    """Take a snapshot of all indices; what it gives restores it, in new indices or into those that
    are there."""
    es.snapshot.create_repository(
        name="believed", repository={"type": "fs", "settings": {"location": "believed"}}
    )
    es.snapshot.create(
        repository="believed", snapshot="one", indices="citespan-*", wait_for_completion=True
    )

    def restore(in_place: bool) -> None:
        if in_place:
            taken = es.snapshot.get(repository="believed", snapshot="one")["snapshots"][0]
            kept = [name for name in taken["indices"] if name.startswith("citespan-")]
            for name in set(es.indices.get(index="citespan-*")) - set(kept):
                es.indices.delete(index=name)
            es.indices.close(index=kept)
        else:
            empty_node(es)
        es.snapshot.restore(
            repository="believed",
            snapshot="one",
            indices="citespan-*",
            include_global_state=False,
            wait_for_completion=True,
        )
        es.cluster.health(index="citespan-*", wait_for_status="yellow")

    try:
        yield restore
    finally:
        es.snapshot.delete(repository="believed", snapshot="one")
        es.snapshot.delete_repository(name="believed")


@pytest.mark.parametrize("in_place", [False, True])
def test_of_a_snapshot_that_was_restored(
    es: Elasticsearch, killed: Any, tmp_path: Path, in_place: bool
) -> None:
    kind, index, total, arguments, resume = killed
    before = tmp_path / "before"
    before.mkdir()
    write_all(before, kind, 10)
    options = [] if kind == "abstracts" else ["--layout", kind]
    assert run("index", before, *options, "--no-zones").returncode == 0
    with snapshot(es) as restore:
        load = start(*arguments)
        while count(es, index) <= 10:
            assert load.poll() is None, load.communicate()
            time.sleep(0.02)
        time.sleep(0.5)
        assert load.poll() is None, "it ended before it was killed"
        kill(load)
        load.communicate()
        restore(in_place)
        assert count(es, index) == 10
        done = resume()
    assert_whole(es, done, index, total)
    assert one_line(done, "restored from a snapshot, since this load wrote to it")


def test_of_texts_that_were_deleted(es: Elasticsearch, killed: Any) -> None:
    kind, index, total, arguments, resume = killed
    kill_in_the_middle(es, arguments, index, total)
    first = "1" if kind == "abstracts" else "believed-0"
    if kind == "abstracts":
        es.delete(index=index, id=first, refresh=True)
    else:
        assert run("delete", first, "--yes").returncode == 0
    done = resume()
    assert_whole(es, done, index, total)
    assert one_line(done, "1 text that this load had stored is not there any more; reading 1 file")


@pytest.mark.parametrize("layout", LAYOUTS)
def test_a_load_that_slept_longer_than_its_lease_looks_again(
    es: Elasticsearch, node: str, tmp_path: Path, layout: str
) -> None:
    """While its entries are under way, the doctor takes it for dead, and deletes what it wrote."""
    files = tmp_path / "files"
    files.mkdir()
    write_all(files, layout, 10)
    hold, kept, released = hold_entries()
    with proxy(node, choose=hold) as url:
        load = start("index", files, "--layout", layout, "--json", CITESPAN_ES_URL=url)
        assert kept.wait(LONGEST_WAIT)
        let_leases_lapse(es)
        told = run("doctor", "--repair").stdout
        released.set()
        done = finish(load)
    assert "editions that no article has" in " ".join(told.split())
    assert_whole(es, done, "citespan-articles", 10)
    assert one_line(done, "not there any more; reading")


@pytest.mark.parametrize("layout", LAYOUTS)
def test_a_server_that_is_emptied_during_a_load(
    es: Elasticsearch, node: str, tmp_path: Path, layout: str
) -> None:
    files = tmp_path / "files"
    files.mkdir()
    write_all(files, layout, 40)
    entries: list[str] = []

    def restored(request: Request) -> None:
        """Delete the catalogue, and make another, before its third group of entries."""
        if "/citespan-articles" in request.path and request.actions:
            entries.append(request.path)
            if len(entries) == 2:
                made = es.indices.get(index="citespan-articles")["citespan-articles"]
                es.indices.delete(index="citespan-articles")
                es.indices.create(
                    index="citespan-articles",
                    mappings=made["mappings"],
                    settings={"analysis": made["settings"]["index"]["analysis"]}
                    | {"number_of_replicas": 0},
                )

    with proxy(node, choose=restored) as url:
        done = run("index", files, "--layout", layout, "--json", CITESPAN_ES_URL=url)
    assert len(entries) > 2
    assert done.returncode == 0, done.stderr
    assert count(es, "citespan-articles") == 40
    assert one_line(done, "citespan-articles: deleted, or restored from a snapshot")
