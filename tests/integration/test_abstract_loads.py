"""Loads of abstracts through faults, and killed ones resumed: the index and the report are those
of a load that was left alone."""

import multiprocessing
import os
import random
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import loading
import pytest
import small_loads
from elasticsearch import Elasticsearch
from fault_proxy import STALLED_SECONDS, Fault, proxy, scheduled
from made_medline import PROSE, citation, medline, section
from small_loads import abstracts_load, assert_resumed, run, told

from citespan.es_mappings.abstracts import INDEX
from citespan.pipelines.corpus.readers.medline import MedlineReader
from citespan.pipelines.indexing.report import LoadReport
from citespan.pipelines.indexing.writing.checkpoint import CheckpointError
from citespan.pipelines.store.retry import RetryPolicy

SCHEDULES = int(os.environ.get("CITESPAN_FAULT_SCHEDULES", "80")) // 10
KILLS = int(os.environ.get("CITESPAN_KILLS", "8"))
_REQUESTS = 20  # of the load that is killed, about
_processes = multiprocessing.get_context("forkserver")
_processes.set_forkserver_preload(["small_loads"])

BEFORE = [citation(pmid) for pmid in (1, 2, 20, 21)]
CITATIONS = [
    citation(1),  # unchanged
    citation(2, abstract=section(f"{PROSE} That was new.")),  # replaced
    citation(3, abstract=""),  # nothing to be indexed
    *(citation(pmid, f"Sleep of {pmid} mice") for pmid in range(4, 10)),
    citation(5, "Sleep of mice, revised"),  # a PMID twice
    citation(10),
]
DELETED = [20, 9, 99]


@pytest.fixture
def file(es: Elasticsearch, node: str, tmp_path: Path) -> Iterator[Path]:
    """A Medline file, with the index as it is before it is loaded."""
    es.indices.delete(index=INDEX, ignore_unavailable=True)
    before = tmp_path / "before.xml"
    before.write_bytes(medline(BEFORE))
    run(abstracts_load(node, before), node)
    file = tmp_path / "m.xml"
    file.write_bytes(medline(CITATIONS, DELETED))
    yield file
    es.indices.delete(index=INDEX, ignore_unavailable=True)


@pytest.fixture(scope="module")
def undisturbed(node: str, tmp_path_factory: pytest.TempPathFactory) -> tuple[Any, Any]:
    """What a load that nothing disturbs tells, and leaves."""
    folder = tmp_path_factory.mktemp("undisturbed")
    with small_loads.client(node) as es:
        es.indices.delete(index=INDEX, ignore_unavailable=True)
        for name, data in (("b.xml", medline(BEFORE)), ("m.xml", medline(CITATIONS, DELETED))):
            (folder / name).write_bytes(data)
            report = run(abstracts_load(node, folder / name), node)
        assert (report.inputs, report.indexed, report.replaced) == (11, 7, 2)
        assert (report.unchanged, len(report.skipped)) == (1, 1)
        assert (report.deletions, report.deleted) == (3, 2)
        return told(report, folder), left(es)


def left(es: Elasticsearch) -> dict[str, Any]:
    """The abstracts in the index, less what differs from load to load."""
    es.indices.refresh(index=INDEX)
    hits = es.search(index=INDEX, query={"match_all": {}}, size=1000)["hits"]["hits"]
    return {
        hit["_id"]: {
            k: v for k, v in hit["_source"].items() if k not in ("loaded", "source", "unit")
        }
        for hit in hits
    }


def counts(report: LoadReport) -> dict[str, Any]:
    names = ("indexed", "unchanged", "replaced", "sentences", "deletions", "deleted")
    return {name: getattr(report, name) for name in names}


@pytest.mark.parametrize("seed", range(SCHEDULES))
def test_abstracts_are_the_same_whatever_happens(
    es: Elasticsearch, node: str, file: Path, undisturbed: tuple[Any, Any], seed: int
) -> None:
    schedule = scheduled(seed, 0.3, stalls=seed % 10 == 0)
    with (
        proxy(node, schedule) as url,
        Elasticsearch(url, request_timeout=STALLED_SECONDS - 1) as client,
    ):
        report = loading.load_abstracts(
            client,
            MedlineReader().abstracts(file),
            retry=RetryPolicy(60, first=0.001, longest=0.01),
            group_readings=2,
        )
    expected = {name: undisturbed[0][name] for name in ("indexed", "replaced", "deletions")}
    assert {name: counts(report)[name] for name in expected} == expected
    assert (report.inputs, report.deleted) == (11, 2)
    assert left(es) == undisturbed[1]


@pytest.mark.parametrize("place", range(KILLS))
def test_killed_at_any_request(
    es: Elasticsearch,
    node: str,
    file: Path,
    tmp_path: Path,
    undisturbed: tuple[Any, Any],
    place: int,
) -> None:
    generator = random.Random(place)
    request_number = int((place + generator.random()) * _REQUESTS / KILLS)
    arrived = generator.random() < 0.5
    pid = tmp_path / "pid"

    def kill(number: int) -> Fault:
        if number < request_number or not pid.exists():
            return Fault.NONE
        if number == request_number:
            os.kill(int(pid.read_text()), signal.SIGKILL)
        return Fault.NONE if number == request_number and arrived else Fault.RESET_BEFORE

    checkpoint = tmp_path / "checkpoint"
    with proxy(node, kill) as url:
        load = _processes.Process(
            target=small_loads.run_abstracts_until_killed, args=(url, file, checkpoint, pid)
        )
        load.start()
        load.join()
    assert load.exitcode in (-signal.SIGKILL, 0)
    report = run(abstracts_load(node, file, checkpoint), node)
    assert left(es) == undisturbed[1]
    if load.exitcode != 0:  # else it had ended
        assert_resumed(told(report, tmp_path), undisturbed[0])
    assert not checkpoint.exists()


def test_the_checkpoint_of_another_load_is_told(node: str, file: Path, tmp_path: Path) -> None:
    pid = tmp_path / "pid"

    def kill(number: int) -> Fault:
        if number == _REQUESTS // 2:
            os.kill(int(pid.read_text()), signal.SIGKILL)
        return Fault.NONE

    checkpoint = tmp_path / "checkpoint"
    with proxy(node, kill) as url:
        load = _processes.Process(
            target=small_loads.run_abstracts_until_killed, args=(url, file, checkpoint, pid)
        )
        load.start()
        load.join()
    other = tmp_path / "other.xml"
    other.write_bytes(medline([citation(1)]))
    with pytest.raises(CheckpointError, match="the checkpoint of another load"):
        run(abstracts_load(node, other, checkpoint), node)
