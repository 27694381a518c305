"""Manuscripts that take for ever or all memory, in the real `citespan serve`: the pages go on."""

import os
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import command_line
import httpx
import psutil
import pytest
import slow_reader
from served import Served, served

SPINS = b"<slow spins='1'/>"
WAITS = b"<slow waits='1'/>"
GROWS = b"<slow grows='1'/>"


@pytest.fixture
def environment(tmp_path: Path) -> Mapping[str, str]:
    return slow_reader.install(tmp_path)


@pytest.fixture
def scratch(tmp_path: Path) -> Path:
    """The folder for temporary files of the servers of a test."""
    return tmp_path / "scratch"


@pytest.fixture
def running(environment: Mapping[str, str]) -> Iterator[Served]:
    with served(environment, "--check-seconds", "60") as server:
        yield server


def client_of(url: str, address: str = "127.0.0.1") -> httpx.Client:
    """A client at an address of this machine."""
    transport = httpx.HTTPTransport(local_address=address)
    return httpx.Client(base_url=url, timeout=10, transport=transport)


def send(client: httpx.Client, content: bytes, name: str = "slow.xml") -> str:
    answer = client.post("/api/check", files=[("files", (name, content))])
    assert answer.status_code == 202, answer.text
    return str(answer.json()["id"])


def state_of(client: httpx.Client, key: str) -> str:
    return str(client.get(f"/api/check/{key}/progress").json()["state"])


def wait_until(condition: Callable[[], Any], seconds: float = 30) -> None:
    ends = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < ends, "it does not come to that"
        time.sleep(0.05)


def children_of(server: Served) -> list[psutil.Process]:
    return psutil.Process(server.process.pid).children(recursive=True)


def files_below(folder: Path) -> list[Path]:
    """The files of a folder that may lose folders meanwhile, where `rglob` fails."""
    found = (Path(place) / name for place, _, names in os.walk(folder) for name in names)
    return [path for path in found if path.name != "lock"]


def test_a_check_that_never_ends_fails_and_the_pages_go_on(
    environment: Mapping[str, str], scratch: Path
) -> None:
    with served(environment, "--check-seconds", "4") as server, client_of(server.url) as client:
        key = send(client, SPINS)
        wait_until(lambda: state_of(client, key) == "checking")
        waits = []
        while state_of(client, key) == "checking":
            before = time.monotonic()
            assert client.get("/check").status_code == 200
            waits.append(time.monotonic() - before)
        assert len(waits) > 20
        assert sorted(waits)[len(waits) * 95 // 100] < 1
        answer = client.get(f"/api/check/{key}")
        assert answer.status_code == 400
        assert "the check took longer than 4 s" in answer.json()["error"]["message"]
        page = client.get(f"/check/{key}")
        assert "The check took longer than 4 s" in page.text
        wait_until(lambda: not children_of(server))
        assert files_below(scratch) == []
    assert list(scratch.iterdir()) == []


def test_a_check_that_takes_all_memory_fails(running: Served) -> None:
    with client_of(running.url) as client:
        key = send(client, GROWS)
        most = 0
        while state_of(client, key) in ("waiting", "checking"):
            for child in children_of(running):
                try:
                    most = max(most, child.memory_info().rss)
                except psutil.NoSuchProcess:
                    continue
        error = client.get(f"/api/check/{key}").json()["error"]
        assert "needed more than 900 MB of memory" in error["message"]
        assert 300_000_000 < most < 1_000_000_000


@pytest.mark.parametrize("by_form", [True, False])
def test_a_check_is_cancelled(running: Served, scratch: Path, by_form: bool) -> None:
    with client_of(running.url) as client:
        checked, waiting = send(client, SPINS), send(client, WAITS)
        wait_until(lambda: state_of(client, checked) == "checking")
        assert state_of(client, waiting) == "waiting"
        assert len(files_below(scratch)) == 2
        for key in (waiting, checked):
            if by_form:
                assert "Cancel" in client.get(f"/check/{key}").text
                answer = client.post(f"/check/{key}/delete")
                assert (answer.status_code, answer.headers["location"]) == (303, "/check")
            else:
                answer = client.delete(f"/api/check/{key}")
                assert (answer.status_code, answer.content) == (204, b"")
            assert client.get(f"/api/check/{key}/progress").status_code == 404
            assert client.delete(f"/api/check/{key}").status_code == 404
        wait_until(lambda: not children_of(running))
        wait_until(lambda: not files_below(scratch))


def test_nothing_outlives_a_server_that_is_killed(
    environment: Mapping[str, str], scratch: Path
) -> None:
    with served(environment) as server, client_of(server.url) as client:
        key = send(client, SPINS)
        wait_until(lambda: state_of(client, key) == "checking" and children_of(server))
        children = children_of(server)
        server.process.kill()
        server.process.wait()
        assert command_line.find_alive(children, 5) == []
    [left] = scratch.iterdir()
    assert left.stat().st_mode & 0o777 == 0o700
    assert len(files_below(left)) == 1
    with served(environment) as other, client_of(other.url) as client:
        key = send(client, WAITS)
        [folder] = scratch.iterdir()
        assert folder != left
        with served(environment):
            assert folder.exists(), "that of a server that lives"
    assert list(scratch.iterdir()) == []


def test_each_address_has_its_turn(running: Served) -> None:
    with (
        client_of(running.url) as first,
        client_of(running.url, "127.0.0.2") as other,
        client_of(running.url, "127.0.0.3") as third,
    ):
        own = [send(first, WAITS) for _ in range(4)]
        refused = first.post("/api/check", files=[("files", ("slow.xml", WAITS))])
        assert refused.status_code == 503
        assert "4 manuscripts of yours wait" in refused.json()["error"]["message"]
        later = send(other, WAITS)
        last = send(third, WAITS)
        wait_until(lambda: state_of(first, later) == "checking")
        assert [state_of(first, key) for key in own] == ["checking", *["waiting"] * 3]
        first.delete(f"/api/check/{own[0]}")
        wait_until(lambda: state_of(first, last) == "checking")
        assert [state_of(first, key) for key in own[1:]] == ["waiting"] * 3
        other.delete(f"/api/check/{later}")
        wait_until(lambda: state_of(first, own[1]) == "checking")
        assert [state_of(first, key) for key in own[2:]] == ["waiting"] * 2


def test_more_citations_than_can_be_checked(running: Served) -> None:
    text = "---\nbibliography: refs.bib\n---\n# A\n\n" + "So it is [@one].\n\n" * 2001
    with client_of(running.url) as client:
        key = send(client, text.encode(), "long.md")
        wait_until(lambda: state_of(client, key) == "failed", 60)
        error = client.get(f"/api/check/{key}").json()["error"]
        assert error["message"].startswith("long.md has 2,001 citations, and 2,000 can be checked")


def test_a_long_name_is_refused(running: Served) -> None:
    with client_of(running.url) as client:
        files = [("files", ("a" * 300 + ".md", b"# A\n"))]
        answer = client.post("/api/check", files=files)
        assert answer.status_code == 400
        assert "too long" in answer.json()["error"]["message"]
