"""Inputs that take for ever, or all the memory there is: each is quarantined with the reason, what
is beside it is loaded, and no process is left behind."""

import json
import os
import re
import signal
import socket
import subprocess
import tarfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import command_line
import misbehaving_reader
import psutil
import pytest
from elasticsearch import Elasticsearch

from citespan.pipelines.errors import InputError
from citespan.pipelines.limited_call import call_within
from citespan.pipelines.limits import Limits

TOO_LONG = "took longer than 4 s"
TOO_LARGE = "needed more than 300 MB of memory"
LIMITS = ("--unit-seconds", "4", "--unit-memory", "300", "--layout", "sentences", "--json")


@pytest.fixture
def plugin(node: str, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("plugin")
    misbehaving_reader.install(folder)
    return folder


def index(plugin: Path, *arguments: object) -> dict[str, Any]:
    ended = command_line.run("index", *arguments, *LIMITS, PYTHONPATH=str(plugin))
    assert ended.returncode == 1, ended.stderr
    return dict(json.loads(ended.stdout))


def write_list(file: Path, name: str, bad: dict[int, str], lines: int = 6) -> Path:
    """Write lines of which some misbehave, each with what it says there."""
    rows = [
        {"id": f"{name}-{number}", "text": f"A sentence. {bad.get(number, 'Another one.')}"}
        for number in range(1, lines + 1)
    ]
    file.write_text("\n".join(map(json.dumps, rows)))
    return file


def told(report: dict[str, Any]) -> dict[str, str]:
    """The reason of each input that was quarantined, and nothing is missing in the sums."""
    parts = ("indexed", "unchanged", "replaced", "skipped")
    counts = [
        len(report[part]) if isinstance(report[part], list) else report[part] for part in parts
    ]
    assert report["inputs"] == sum(counts) + len(report["quarantined"])
    return {rejection["path"]: rejection["reason"] for rejection in report["quarantined"]}


@pytest.mark.parametrize("processes", [0, 2])
def test_only_the_line_is_lost(plugin: Path, tmp_path: Path, processes: int) -> None:
    bad = {2: "hang", 3: "hang", 5: "grow"}
    file = write_list(tmp_path / "a.badlines", f"line{processes}", bad)
    report = index(plugin, tmp_path, "--format", "badlines", "--processes", processes)
    assert told(report) == {f"{file}:2": TOO_LONG, f"{file}:3": TOO_LONG, f"{file}:5": TOO_LARGE}
    assert report["indexed"] == 3


def test_only_the_file_is_lost(plugin: Path, tmp_path: Path) -> None:
    for number, text in enumerate(["A sentence.", "hang", "A sentence.", "grow", "A sentence."]):
        (tmp_path / f"file-{number}.badfile").write_text(text)
    report = index(plugin, tmp_path, "--format", "badfiles")
    assert told(report) == {
        f"{tmp_path}/file-1.badfile": TOO_LONG,
        f"{tmp_path}/file-3.badfile": TOO_LARGE,
    }
    assert report["indexed"] == 3


def test_only_the_member_of_an_archive_is_lost(plugin: Path, tmp_path: Path) -> None:
    inside = tmp_path / "inside"
    inside.mkdir()
    for number, text in enumerate(["A sentence.", "hang", "A sentence.", "grow", "A sentence."]):
        (inside / f"member-{number}.badfile").write_text(text)
    with tarfile.open(tmp_path / "a.tar.gz", "w:gz") as archive:
        for file in sorted(inside.iterdir()):
            archive.add(file, file.name)
    report = index(plugin, tmp_path / "a.tar.gz", "--format", "badfiles")
    assert told(report) == {
        f"{tmp_path}/a.tar.gz!member-1.badfile": TOO_LONG,
        f"{tmp_path}/a.tar.gz!member-3.badfile": TOO_LARGE,
    }
    assert report["indexed"] == 3


def test_only_the_line_of_standard_input_is_lost(plugin: Path, tmp_path: Path) -> None:
    file = write_list(tmp_path / "given", "stdin", {2: "hang", 4: "grow"})
    with file.open() as given:
        ended = subprocess.run(
            [*command_line.COMMAND, "index", "-", "--format", "badlines", *LIMITS],
            stdin=given,
            env={**os.environ, "PYTHONPATH": str(plugin)},
            capture_output=True,
            text=True,
            check=False,
        )
    report = json.loads(ended.stdout)
    assert told(report) == {"standard input:2": TOO_LONG, "standard input:4": TOO_LARGE}
    assert report["indexed"] == 4


def wait_until(happened: Callable[[], bool], seconds: float) -> bool:
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        if happened():
            return True
        time.sleep(0.05)
    return False


def test_a_load_that_is_killed_between_two_bad_lines_resumes(
    plugin: Path, tmp_path: Path, es: Elasticsearch
) -> None:
    file = write_list(tmp_path / "a.badlines", "resumed", {21: "hang", 61: "hang"}, 80)
    command = ("index", file, "--format", "badlines", *LIMITS)
    process = command_line.start(*command, PYTHONPATH=str(plugin))

    def count() -> int:
        prefix = {"prefix": {"article": "resumed-"}}
        return int(es.count(index="citespan-articles", query=prefix)["count"])

    # the second group ends with line 48, and is committed before the third begins
    assert wait_until(lambda: count() >= 47, 60)
    time.sleep(0.5)
    os.kill(process.pid, signal.SIGKILL)
    process.communicate()
    ended = command_line.run(*command, PYTHONPATH=str(plugin))
    assert "resuming" in ended.stderr
    report = json.loads(ended.stdout)
    assert told(report) == {f"{file}:21": TOO_LONG, f"{file}:61": TOO_LONG}
    assert report["inputs"] == 80
    assert count() == 78


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGINT, signal.SIGTERM])
def test_no_process_is_left_behind(plugin: Path, tmp_path: Path, how: signal.Signals) -> None:
    (tmp_path / "a.badfile").write_text("hang")
    process = command_line.start(
        "index", tmp_path, "--format", "badfiles", "--processes", "2", PYTHONPATH=str(plugin)
    )
    assert wait_until(lambda: misbehaving_reader.hangs(plugin), 60)
    children = psutil.Process(process.pid).children(recursive=True)
    assert children
    try:
        os.kill(process.pid, how)  # the load's own process alone
        process.wait(timeout=10)
        assert command_line.find_alive(children, 3) == []
        process.communicate(timeout=10)
    finally:
        for child in children:
            if child.is_running():
                child.kill()
        command_line.kill(process)


@pytest.mark.parametrize("options", [(), ("--format", "jats")])
def test_what_is_no_file_is_skipped_and_never_opened(
    plugin: Path, tmp_path: Path, options: tuple[str, ...]
) -> None:
    jats = "<article><body><p>A sentence of {0}. One more.</p></body></article>"
    article = tmp_path / f"c{len(options)}.nxml"
    article.write_text(jats.format(article.stem))
    os.mkfifo(tmp_path / "a.nxml")
    os.mkfifo(tmp_path / "a.tar")
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(str(tmp_path / "b.xml"))
        command = [*command_line.COMMAND, "index", str(tmp_path), *options, "--json"]
        ended = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    report = json.loads(ended.stdout)
    assert {
        Path(rejection["path"]).name: rejection["reason"].partition(",")[0]
        for rejection in report["skipped"]
    } == {"a.nxml": "a pipe", "a.tar": "a pipe", "b.xml": "a socket"}
    assert (report["indexed"], ended.returncode) == (1, 0), plugin


@pytest.mark.parametrize("command", ["index", "check"])
def test_a_pipe_by_its_name_is_refused_in_one_line(node: str, tmp_path: Path, command: str) -> None:
    pipe = tmp_path / "a.md"
    os.mkfifo(pipe)
    called = [*command_line.COMMAND, command, str(pipe)]
    ended = subprocess.run(called, capture_output=True, text=True, timeout=60, check=False)
    assert ended.returncode == 2, node
    [line] = ended.stderr.splitlines()
    assert f"{pipe}: a pipe, which is not read" in line


def test_a_manuscript_has_the_same_limits(plugin: Path, tmp_path: Path) -> None:
    manuscript = tmp_path / "a.badfile"
    manuscript.write_text("grow")
    ended = command_line.run("check", manuscript, PYTHONPATH=str(plugin))
    assert ended.returncode == 2
    [line] = ended.stderr.splitlines()
    assert f"{manuscript}: needed more than 900 MB of memory" in line


def test_a_call_that_never_returns_is_ended() -> None:
    with pytest.raises(InputError, match=r"a.md: took longer than 0\.5 s"):
        call_within(Limits(0.5), "a.md", re.match, "(a+)+$", "a" * 64 + "b")
