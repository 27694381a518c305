"""`citespan demo`: from nothing to the page, and one line where something is missing."""

import json
import os
import shutil
import signal
import socket
import subprocess
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from command_line import COMMAND
from real_node import new_home


@contextmanager
def demo(**environment: str) -> Iterator[subprocess.Popen[str]]:
    """A running `citespan demo`, which is ended at the end."""
    command = [*COMMAND, "demo", "--no-browser", "--port", "0"]
    kept = os.environ | environment
    with subprocess.Popen(command, env=kept, stderr=subprocess.PIPE, text=True) as process:
        try:
            yield process
        finally:
            process.kill()


def test_it_loads_the_sample_and_serves_the_page_until_ctrl_c(node: str) -> None:
    with demo(CITESPAN_ES_URL=node) as process:
        assert process.stderr is not None
        said = [process.stderr.readline() for _ in range(3)]
        assert said[0].startswith("Elasticsearch 9.")
        assert said[1] == "the sample is loaded: 3 articles\n"
        assert said[2].startswith("citespan serves http://127.0.0.1:")
        with urllib.request.urlopen(f"{said[2].split()[2]}api/articles", timeout=30) as answer:
            assert json.load(answer)["count"] == 3
        process.send_signal(signal.SIGINT)
        assert process.wait(30) in (0, 130)


def refuse(*options: str, **environment: str) -> tuple[int, str]:
    """Run it where it can't work; return its status and what it says."""
    kept = {k: v for k, v in os.environ.items() if k not in ("CITESPAN_ES_URL", "ES_HOME")}
    command = [*COMMAND, "demo", "--no-browser", *options]
    done = subprocess.run(
        command, env=kept | environment, capture_output=True, text=True, check=False, timeout=60
    )
    assert done.stdout == ""
    return done.returncode, done.stderr


def test_a_port_in_use_is_one_line_before_anything_is_started(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        status, said = refuse("--port", port, CITESPAN_HOME=str(tmp_path / "home"))
    assert status == 2
    assert said.startswith(f"citespan: can't listen at 127.0.0.1, port {port} (")
    assert said.endswith("; choose another with --port\n")
    assert not (tmp_path / "home").exists()


def test_without_docker_and_maven_one_line_says_what_to_install(tmp_path: Path) -> None:
    home = new_home()  # the account of a node can enter it
    try:
        status, said = refuse("--port", "0", PATH=str(tmp_path), CITESPAN_HOME=str(home),
                              CITESPAN_CACHE=str(home / "cache"))  # fmt: skip
    finally:
        shutil.rmtree(home)
    assert status == 3
    assert said.count("\n") == 1
    assert "install" in said
    assert "Docker, or point CITESPAN_ES_URL at a running server" in said


@pytest.mark.parametrize("home", ["/proc/nowhere", "/dev/null/home"])
def test_a_home_that_cannot_be_written_is_one_line(home: str) -> None:
    status, said = refuse("--port", "0", CITESPAN_HOME=home)
    assert status == 2
    assert said.count("\n") == 1
    assert "set CITESPAN_HOME to a folder that you can write to" in said
