"""`citespan node` on real servers: found, started, crashed, killed, stopped."""

import base64
import json
import os
import pwd
import shutil
import signal
import socket
import subprocess
import sys
import sysconfig
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import psutil
import pytest
from elasticsearch import AuthenticationException, Elasticsearch
from places import ROOT
from real_node import address_of, as_user_of, environment_of, new_home, run_citespan

from citespan.deploy.node import silent, state
from citespan.deploy.node.assemble import assemble
from citespan.deploy.node.jdk import find_jdk
from citespan.deploy.node.lifecycle import up
from citespan.deploy.node.paths import folders

SAMPLE = ROOT / "pipelines" / "corpus" / "sample" / "jats"
SMALL = {"CITESPAN_ES_HEAP": "512m", "ES_JAVA_OPTS": "-XX:TieredStopAtLevel=1"}
"""Starts sooner, for tests that ask little of the server."""

OFFLINE = """<settings><mirrors><mirror><id>nowhere</id><mirrorOf>*</mirrorOf>
<url>http://127.0.0.1:1/</url></mirror></mirrors></settings>"""


def answer(done: subprocess.CompletedProcess[str], status: int = 0) -> dict[str, Any]:
    """The JSON object on stdout of a command that ended as it should."""
    assert done.returncode == status, done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def complaint(done: subprocess.CompletedProcess[str], status: int) -> str:
    """The one line that a failed command ends with."""
    assert done.returncode == status, done.stdout + done.stderr
    assert not done.stdout
    line = done.stderr.rstrip("\n").rpartition("\n")[2]
    assert line.startswith("citespan: ")
    return line


@pytest.fixture
def home() -> Iterator[Path]:
    """A CITESPAN_HOME for one test; what was left running there is stopped."""
    folder = new_home()
    yield folder
    run_citespan("node", "down", env=environment_of(folder))
    shutil.rmtree(folder)


def test_a_second_up_finds_the_first(node_home: Path) -> None:
    env = environment_of(node_home)
    first = json.loads((node_home / "state" / "node.json").read_text())

    second = answer(run_citespan("node", "up", "--json", env=env))

    assert second["found"] is True
    assert (second["pid"], second["url"]) == (first["pid"], first["url"])
    assert "runs already" in run_citespan("node", "up", env=env).stdout


def test_status_says_what_runs(node_home: Path) -> None:
    found = answer(run_citespan("node", "status", "--json", env=environment_of(node_home)))

    assert found["running"] is True
    assert found["version"].startswith("9.")
    assert psutil.Process(found["pid"]).name() == "java"
    assert found["data"] == str(node_home / "data" / "node")
    assert "api_key" not in found


def test_logs_are_the_last_lines(node_home: Path) -> None:
    lines = answer(
        run_citespan("node", "logs", "--lines", "5", "--json", env=environment_of(node_home))
    )["lines"]

    assert len(lines) == 5
    log = (node_home / "state" / "node" / "logs" / "citespan.log").read_text()
    assert lines[0] in log


def test_it_never_runs_as_root(node_home: Path) -> None:
    state = json.loads((node_home / "state" / "node.json").read_text())
    assert psutil.Process(state["pid"]).uids().effective != 0


def test_it_listens_on_loopback_alone(es: Elasticsearch) -> None:
    [info] = es.nodes.info(metric="http,transport")["nodes"].values()
    for layer in ("http", "transport"):
        assert {a.rpartition(":")[0] for a in info[layer]["bound_address"]} == {"127.0.0.1"}


def test_the_state_is_for_its_owner_alone(node_home: Path) -> None:
    assert (node_home / "state" / "node.json").stat().st_mode & 0o777 == 0o600


def _read_state(home: Path) -> state.NodeState:
    found = state.read(home / "state")
    assert found is not None
    return found


def test_nobody_else_can_read_or_delete_what_is_indexed(node: str, node_home: Path) -> None:
    """As every user and every web page of a machine could, which need only know the port."""
    mine = _read_state(node_home)
    env = environment_of(node_home)
    assert run_citespan("index", str(SAMPLE), env=env).returncode == 0
    with Elasticsearch(mine.url) as stranger:
        for attempt in (
            lambda: stranger.search(index="citespan-*"),
            lambda: stranger.delete_by_query(index="citespan-*", query={"match_all": {}}),
            lambda: stranger.indices.delete(index="citespan-*"),
            lambda: stranger.options(basic_auth=(state.USER, "a guess")).info(),
        ):
            with pytest.raises(AuthenticationException):
                attempt()
    found = run_citespan("search", "p53 stops the cell cycle", "--json", env=env)
    assert json.loads(found.stdout)["results"]
    for command in ("up", "status"):
        for form in ((), ("--json",)):
            shown = run_citespan("node", command, *form, env=env)
            assert mine.password and mine.password not in shown.stdout + shown.stderr
    config = node_home / "state" / "node" / "config"
    assert config.stat().st_mode & 0o077 == 0
    assert mine.password not in (config / "users").read_text(encoding="ascii")


def test_a_named_server_is_used_and_left_alone(node: str, node_home: Path) -> None:
    env = environment_of(node_home, CITESPAN_ES_URL=node)

    assert answer(run_citespan("node", "up", "--json", env=env))["source"] == "url"
    with as_user_of(node_home):
        shown = f"{up().url} isn't citespan's to stop"
    assert shown in complaint(run_citespan("node", "down", env=env), 2)
    assert "isn't citespan's" in complaint(run_citespan("node", "logs", env=env), 2)
    assert answer(run_citespan("node", "status", "--json", env=env))["running"] is True


def test_a_named_server_that_is_away(home: Path) -> None:
    env = environment_of(home, CITESPAN_ES_URL="http://127.0.0.1:1")

    assert "check CITESPAN_ES_URL" in complaint(run_citespan("node", "up", env=env), 3)
    found = answer(run_citespan("node", "status", "--json", env=env), status=3)
    assert found["running"] is False
    assert "Connection refused" in found["problem"]


def test_nothing_was_started(home: Path) -> None:
    env = environment_of(home)

    assert "citespan node up" in complaint(run_citespan("node", "status", env=env), 3)
    assert "citespan node up" in complaint(run_citespan("node", "logs", env=env), 2)
    assert answer(run_citespan("node", "down", "--json", env=env)) == {
        "stopped": None,
        "deleted": None,
    }


def test_a_port_in_use(node: str, home: Path) -> None:
    port = node.rpartition(":")[2]
    done = run_citespan("node", "up", "--port", port, env=environment_of(home))
    assert f"port {port} of 127.0.0.1 is in use; choose another with --port" in complaint(done, 2)


def test_a_crash_shows_the_end_of_the_log(home: Path) -> None:
    env = environment_of(home, ES_JAVA_OPTS="-XX:+NoSuchOption")

    done = run_citespan("node", "up", "--port", "0", env=env)

    assert "console.log" in complaint(done, 3)
    assert "Unrecognized VM option 'NoSuchOption'" in done.stderr
    assert "\n  \tat " not in done.stderr
    assert run_citespan("node", "status", env=env).returncode == 3


def test_no_maven(home: Path) -> None:
    env = environment_of(home, CITESPAN_CACHE=str(home / "cache"), PATH="/nowhere")
    env["ES_JAVA_HOME"] = str(find_jdk().home)
    line = complaint(run_citespan("node", "up", "--port", "0", env=env), 3)
    assert "Maven isn't installed" in line
    assert "set ES_HOME" in line


def test_no_network(home: Path) -> None:
    settings = home / ".m2" / "settings.xml"
    settings.parent.mkdir()
    settings.write_text(OFFLINE)
    env = environment_of(home, CITESPAN_CACHE=str(home / "cache"), MAVEN_OPTS=f"-Duser.home={home}")
    line = complaint(run_citespan("node", "up", "--port", "0", env=env), 3)
    assert "Maven could not fetch org.elasticsearch.distribution" in line
    assert "Connection refused" in line
    assert "check the network" in line
    assert [f.name for f in (home / "cache").iterdir()] == ["assemble.lock"]


@pytest.mark.skipif(os.geteuid() != 0, reason="only root has to become someone else")
def test_a_folder_that_the_account_cannot_enter(home: Path) -> None:
    closed = home / "closed"
    closed.mkdir(mode=0o700)
    line = complaint(
        run_citespan("node", "up", "--port", "0", env=environment_of(closed / "home")), 3
    )
    assert f"can't enter {closed} " in line
    assert "CITESPAN_HOME" in line


def test_a_broken_es_home(home: Path) -> None:
    env = environment_of(home, ES_HOME=str(home))
    line = complaint(run_citespan("node", "up", "--port", "0", env=env), 2)
    assert f"ES_HOME={home} is no unpacked Elasticsearch distribution" in line


def test_a_plain_user_with_a_distribution_of_their_own(home: Path) -> None:
    """From an `up` cut short to the end of the data, on an unpacked distribution at ES_HOME."""
    with as_user_of(home):
        distribution = assemble(folders().cache, silent)
    before = _contents(distribution)
    with _plain_user(home) as citespan:
        env = environment_of(home, ES_HOME=str(distribution), HOME=str(home), **SMALL)

        started = citespan.popen("node", "up", env=env)
        _wait_for(home / "state" / "node.json")
        started.send_signal(signal.SIGKILL)
        started.wait()
        found = answer(citespan("node", "up", "--json", env=env))
        assert found["found"] is True
        assert found["source"] == "distribution"
        assert _contents(distribution) == before

        address = address_of(_read_state(home))
        with Elasticsearch(address) as es:
            es.index(index="kept", id="1", document={"text": "kept"}, refresh=True)
        with _half_a_request(address):  # which a server would wait for
            assert answer(citespan("node", "down", "--json", env=env))["stopped"] == found["url"]
        assert not psutil.pid_exists(found["pid"])
        assert "closed" in (home / "state/node/logs/citespan.log").read_text().splitlines()[-1]

        at_once = citespan.popen("node", "up", "--port", "0", "--json", env=env)
        again = answer(citespan("node", "up", "--port", "0", "--json", env=env))
        other = json.loads(at_once.communicate()[0])
        assert other["pid"] == again["pid"]
        assert {other["found"], again["found"]} == {True, False}
        with Elasticsearch(address_of(_read_state(home))) as es:
            assert es.get(index="kept", id="1")["_source"] == {"text": "kept"}

        server = psutil.Process(again["pid"])
        server.kill()
        server.wait(timeout=10)
        dead = answer(citespan("node", "status", "--json", env=env), status=3)
        assert "has ended by itself" in dead["problem"]
        assert dead["last_lines"]

        data = home / "data" / "node"
        assert data.exists()
        deleted = answer(citespan("node", "down", "--delete-data", "--json", env=env))
        assert deleted == {"stopped": None, "deleted": str(data)}
        assert not data.exists()


class _Runner:
    """The command line as another user of this machine runs it."""

    def __init__(self, command: list[str], identity: dict[str, Any]) -> None:
        self._command = command
        self._identity = identity

    def popen(self, *arguments: str, env: dict[str, str]) -> "subprocess.Popen[str]":
        return subprocess.Popen(
            [*self._command, *arguments],
            env=env,
            cwd="/",
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            **self._identity,
        )

    def __call__(self, *arguments: str, env: dict[str, str]) -> "subprocess.CompletedProcess[str]":
        running = self.popen(*arguments, env=env)
        out, err = running.communicate(timeout=600)
        return subprocess.CompletedProcess(arguments, running.returncode, out, err)


@contextmanager
def _plain_user(home: Path) -> Iterator[_Runner]:
    """For root another account, which gets `home`; else ourselves."""
    if os.geteuid() != 0:
        yield _Runner([sys.executable, "-m", "citespan.cli.main"], {})
        return
    account = pwd.getpwnam("nobody")
    identity = {"user": account.pw_uid, "group": account.pw_gid, "extra_groups": []}
    # root's own interpreter may lie in root's home
    system_python = f"/usr/bin/python3.{sys.version_info.minor}"
    packages = sysconfig.get_path("purelib")
    program = (
        f"import site; site.addsitedir({packages!r}); from citespan.cli.main import main; main()"
    )
    for python in (sys.executable, system_python):
        try:
            subprocess.run([python, "-c", "import json"], check=True, **identity)  # type: ignore[call-overload]
        except (OSError, subprocess.CalledProcessError):
            continue
        os.chown(home, account.pw_uid, account.pw_gid)
        yield _Runner([python, "-c", program], identity)
        return
    pytest.fail(f"neither {sys.executable} nor {system_python} can be run by {account.pw_name}")


def _contents(folder: Path) -> dict[str, tuple[int, int]]:
    """Sizes and times of all files."""
    return {str(f): (f.stat().st_size, f.stat().st_mtime_ns) for f in sorted(folder.rglob("*"))}


@contextmanager
def _half_a_request(url: str) -> Iterator[None]:
    parts = urlsplit(url)
    login = base64.b64encode(f"{parts.username}:{parts.password}".encode())
    with socket.create_connection((parts.hostname, parts.port)) as connection:
        connection.sendall(
            b"POST /kept/_bulk HTTP/1.1\r\nHost: localhost\r\n"
            b"Authorization: Basic " + login + b"\r\n"
            b"Content-Type: application/json\r\nContent-Length: 1000\r\n\r\n{"
        )
        time.sleep(0.5)  # until the server has begun to read it
        yield


def _wait_for(file: Path) -> None:
    until = time.monotonic() + 60
    while not file.exists():
        assert time.monotonic() < until, f"{file} wasn't written"
        time.sleep(0.05)
