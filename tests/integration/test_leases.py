"""Leases: commands that write see each other, by the server's clock, and nobody takes from another
what it is about to name."""

import json
import shutil
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path

import pytest
from command_line import finish, kill, run, start
from elasticsearch import Elasticsearch
from fault_proxy import LONGEST_WAIT, Fault, Request, hold_entries, proxy, record, resend
from loaded_state import let_leases_lapse
from real_node import empty_node
from small_loads import line

import citespan
from citespan.es_mappings import leases
from citespan.pipelines.indexing.report import LoadReport
from citespan.pipelines.store.lease import LeaseHeldError, find_writers, hold_lease
from citespan.pipelines.store.retry import RetryPolicy
from citespan.pipelines.store.server import Server, open_server

LAYOUTS = ("sentences", "spans")
_TWO_HOURS = 7200


@pytest.fixture(autouse=True)
def empty(es: Elasticsearch) -> None:
    empty_node(es)


@pytest.fixture
def server(es: Elasticsearch) -> Iterator[Server]:
    with open_server(es, RetryPolicy(20), LoadReport()) as opened:
        yield opened


def write(folder: Path, number: int, seed: str = "", sentences: int = 5) -> Path:
    """Write articles, each in a file of its own, with contents that the seed says."""
    folder.mkdir(exist_ok=True)
    for n in range(number):
        (folder / f"{n}.jsonl").write_text(line(f"leased-{n}", sentences, seed))
    return folder


def write_clock(folder: Path, body: str) -> str:
    """A folder which, as PYTHONPATH, gives commands another clock."""
    folder.mkdir()
    lines = ("import time", "_now = time.time", f"time.time = lambda: {body}")
    (folder / "sitecustomize.py").write_text("\n".join(lines))
    return str(folder)


def assert_whole(es: Elasticsearch, number: int, words: int = 5) -> None:
    """Every article is in the catalogue, and shown with all of its sentences."""
    es.indices.refresh(index="citespan-*")
    assert es.count(index="citespan-articles")["count"] == number
    for n in range(number):
        assert len(citespan.show(f"leased-{n}", client=es)) == words


def test_who_writes_is_seen_until_it_has_ended(es: Elasticsearch, server: Server) -> None:
    assert find_writers(es) == []
    with hold_lease(server, "index"), hold_lease(server, "link"):
        assert [writer.command for writer in find_writers(es)] == ["index", "link"]
    assert find_writers(es) == []


def test_who_must_be_alone_is(server: Server) -> None:
    alone = "`citespan index --rebuild` by .*, process .*, is under way since .* UTC"
    with hold_lease(server, "index --rebuild", exclusive=True):
        for exclusive in (False, True):
            with (
                pytest.raises(LeaseHeldError, match=alone),
                hold_lease(server, "index", exclusive=exclusive),
            ):
                pass
    with hold_lease(server, "index"), hold_lease(server, "index"):
        others = "`citespan index` by .*, and 1 more, and `citespan index --rebuild` can't run"
        with (
            pytest.raises(LeaseHeldError, match=others),
            hold_lease(server, "index --rebuild", exclusive=True),
        ):
            pass
    with hold_lease(server, "index --rebuild", exclusive=True):
        pass


def test_of_many_at_once_that_must_be_alone_one_is(es: Elasticsearch) -> None:
    def hold(_: int) -> bool:
        try:
            with (
                open_server(es, RetryPolicy(20), LoadReport()) as own,
                hold_lease(own, "index --rebuild", exclusive=True),
            ):
                time.sleep(3)
        except LeaseHeldError:
            return False
        return True

    with ThreadPoolExecutor(6) as threads:
        assert sum(threads.map(hold, range(6))) == 1


def test_many_at_once_take_leases(es: Elasticsearch, server: Server) -> None:
    with ThreadPoolExecutor(8) as threads, ExitStack() as held:
        asked = [hold_lease(server, "index") for _ in range(8)]
        for _ in threads.map(held.enter_context, asked):
            pass
        assert len(find_writers(es)) == 8
    assert find_writers(es) == []


def test_a_lease_that_nobody_renews_lapses_and_its_holder_learns_of_it(
    es: Elasticsearch, server: Server
) -> None:
    with hold_lease(server, "index") as lease:
        assert lease.check()
        let_leases_lapse(es, seconds=170)
        assert len(find_writers(es)) == 1
        assert lease.check()
        let_leases_lapse(es)
        assert find_writers(es) == []
        with hold_lease(server, "index --rebuild", exclusive=True), pytest.raises(LeaseHeldError):
            lease.check()
        assert not lease.check()
        assert lease.check()
        es.indices.delete(index=leases.INDEX)
        assert not lease.check()
        assert len(find_writers(es)) == 1


def test_a_lease_is_renewed_while_nothing_else_happens(
    es: Elasticsearch, server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("citespan.pipelines.store.lease._RENEWAL_SECONDS", 0.2)
    with hold_lease(server, "index"):
        let_leases_lapse(es, seconds=170)
        time.sleep(2)
        let_leases_lapse(es, seconds=170)
        assert len(find_writers(es)) == 1


def test_requests_that_come_late_change_nothing(es: Elasticsearch, node: str) -> None:
    requests, choose = record(lambda request: f"/{leases.INDEX}/" in request.path)
    with (
        proxy(node, choose=choose) as url,
        Elasticsearch(url) as through,
        open_server(through, RetryPolicy(20), LoadReport()) as server,
        hold_lease(server, "index") as lease,
    ):
        assert lease.check()
    assert {request.method for request in requests} == {"GET", "PUT", "POST"}
    for request in requests:
        resend(node, request)
    assert find_writers(es) == []


def test_a_lease_is_taken_whatever_the_network_does(es: Elasticsearch, node: str) -> None:
    faults = [fault for fault in Fault if fault not in (Fault.STALLED, Fault.OUTAGE)]
    with proxy(node, lambda number: faults[number % len(faults)]) as url:
        client = Elasticsearch(url)
        with (
            client,
            open_server(client, RetryPolicy(60, 0.001, 0.01), LoadReport()) as server,
            hold_lease(server, "index") as lease,
        ):
            assert [writer.command for writer in find_writers(es)] == ["index"]
            assert lease.check()
    let_leases_lapse(es)  # if giving it up was lost
    assert find_writers(es) == []


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("seed", ["", "other"])
def test_the_doctor_never_touches_a_load_under_way(
    es: Elasticsearch, node: str, tmp_path: Path, layout: str, seed: str
) -> None:
    """Its clock is two hours ahead, and the load's entries come late; the load is the first, or
    replaces all."""
    if seed:
        assert run("index", write(tmp_path / "files", 8), "--layout", layout).returncode == 0
    files = write(tmp_path / "files", 8, seed)
    ahead = write_clock(tmp_path / "clock", f"_now() + {_TWO_HOURS}")
    hold, kept, released = hold_entries()
    with proxy(node, choose=hold) as url:
        load = start("index", files, "--layout", layout, "--json", CITESPAN_ES_URL=url)
        assert kept.wait(LONGEST_WAIT)
        seen = run("doctor", "--json", PYTHONPATH=ahead)
        told = run("doctor", "--repair", PYTHONPATH=ahead).stdout
        released.set()
        done = finish(load)
    assert done.returncode == 0, done.stderr
    assert_whole(es, 8)
    assert "nothing was repaired" in " ".join(told.split())
    writing = {
        finding["check"]: finding["found"] for finding in json.loads(seen.stdout)["findings"]
    }
    assert "`citespan index` by " in writing["writing"]
    after = run("doctor", "--repair", "--json", PYTHONPATH=ahead)
    states = {
        finding["check"]: finding["state"] for finding in json.loads(after.stdout)["findings"]
    }
    assert (states["repair"], states["spans"], states["sentences"]) == ("ok", "ok", "ok")


def test_what_a_killed_load_has_left_is_repaired_once_its_lease_has_lapsed(
    es: Elasticsearch, node: str, tmp_path: Path
) -> None:
    files = write(tmp_path / "files", 20)

    def is_entries(request: Request) -> bool:
        return "/citespan-articles" in request.path and bool(request.actions)

    choose = lambda request: Fault.RESET_BEFORE if is_entries(request) else None  # noqa: E731
    requests, watch = record(is_entries)
    with proxy(node, choose=lambda request: watch(request) or choose(request)) as url:
        load = start("index", files, "--layout", "sentences", CITESPAN_ES_URL=url)
        while not requests:
            assert load.poll() is None
            time.sleep(0.02)
        kill(load)
        load.communicate()
    repaired = run("doctor", "--repair")
    assert "nothing was repaired" in " ".join(repaired.stdout.split())
    let_leases_lapse(es)
    repaired = run("doctor", "--repair")
    assert "editions that no article has" in " ".join(repaired.stdout.split())
    es.indices.refresh(index="citespan-sentences")
    assert es.count(index="citespan-sentences")["count"] == 0


@pytest.mark.parametrize("layout", LAYOUTS)
def test_a_copied_checkpoint_shares_no_editions(
    es: Elasticsearch, tmp_path: Path, layout: str
) -> None:
    """The copy goes on in the same second, where the files have other contents."""
    files, checkpoint = write(tmp_path / "files", 40), tmp_path / "checkpoint"
    arguments = ("index", files, "--layout", layout, "--checkpoint", checkpoint)
    load = start(*arguments)
    while not (es.indices.exists(index="citespan-articles") and count_entries(es)):
        assert load.poll() is None
        time.sleep(0.02)
    kill(load)
    load.communicate()
    stopped = write_clock(tmp_path / "clock", str(time.time()))
    kept = tmp_path / "kept"
    kept.mkdir()
    for part in tmp_path.glob("checkpoint*"):
        shutil.copy(part, kept)
    assert run(*arguments, PYTHONPATH=stopped).returncode == 0
    for part in kept.iterdir():
        shutil.copy(part, tmp_path)
    write(files, 40, "other", 6)
    assert run(*arguments, PYTHONPATH=stopped).returncode == 0
    assert_whole(es, 40, 6)


def count_entries(es: Elasticsearch) -> int:
    es.indices.refresh(index="citespan-articles")
    return int(es.count(index="citespan-articles")["count"])
