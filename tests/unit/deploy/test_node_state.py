"""The state file and the process it speaks of."""

import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import psutil
import pytest

from citespan.deploy.node import process, state
from citespan.deploy.node.state import NodeState
from citespan.pipelines.errors import CitespanError

SLEEP = [sys.executable, "-c", "import time; time.sleep(60)"]


def test_what_is_written_is_read(tmp_path: Path) -> None:
    secrets = {"api_key": "secret", "password": "secret"}
    written = NodeState("compose", "http://127.0.0.1:9200", "9.4.3", **secrets)
    state.write(tmp_path, replace(written, url="http://127.0.0.1:1"))
    state.write(tmp_path, written)
    assert state.read(tmp_path) == written
    assert [f.name for f in tmp_path.iterdir()] == [state.FILE_NAME]
    assert (tmp_path / state.FILE_NAME).stat().st_mode & 0o777 == 0o600


def test_the_secret_is_never_shown() -> None:
    node = NodeState("compose", "http://127.0.0.1:9200", api_key="secret", password="secret")
    assert "secret" not in repr(node) + str(node.to_json())


def test_none_and_forgotten(tmp_path: Path) -> None:
    assert state.read(tmp_path) is None
    state.forget(tmp_path)
    state.write(tmp_path, NodeState("url", "http://127.0.0.1:9200"))
    state.forget(tmp_path)
    assert state.read(tmp_path) is None


@pytest.mark.parametrize("text", ["", "{", "[]", '{"unknown": 1}', "null", '"text"'])
def test_a_spoilt_file_is_named(tmp_path: Path, text: str) -> None:
    (tmp_path / state.FILE_NAME).write_text(text)
    with pytest.raises(CitespanError, match=r"node\.json can't be understood .*; remove it"):
        state.read(tmp_path)


def test_only_the_same_process_counts() -> None:
    with subprocess.Popen(SLEEP) as running:
        started = psutil.Process(running.pid).create_time()
        node = NodeState("assembled", "http://127.0.0.1:1", pid=running.pid, started=started)
        assert node.process() is not None
        assert replace(node, started=started - 60).process() is None
        process.end(psutil.Process(running.pid))
        assert node.process() is None
    assert node.process() is None


def test_ending_takes_the_children_along() -> None:
    program = f"import subprocess; subprocess.run({SLEEP!r})"
    with subprocess.Popen([sys.executable, "-c", program]) as running:
        parent = psutil.Process(running.pid)
        while not (children := parent.children()):
            pass
        process.end(parent)
        assert not any(child.is_running() for child in children)


def test_a_process_id_file_is_believed_only_of_an_older_process(tmp_path: Path) -> None:
    file = tmp_path / "pid"
    assert process.find_server_process(file, None) is None
    file.write_text("no number")
    assert process.find_server_process(file, None) is None
    with subprocess.Popen(SLEEP) as running:
        file.write_text(f"{running.pid}\n")
        server = process.find_server_process(file, None)
        assert server is not None
        assert server.pid == running.pid
        # written long before that process began: the id was used again
        os.utime(file, (server.create_time() - 60,) * 2)
        assert process.find_server_process(file, None) is None
        running.kill()
