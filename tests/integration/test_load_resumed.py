"""Loads that are killed, stopped or run twice at once, and resumed: the index is that of a load
that was left alone, and so is the report, but for what the interrupted group had written."""

import json
import multiprocessing
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import count
from pathlib import Path
from typing import Any

import pytest
import small_loads
from elasticsearch import Elasticsearch
from fault_proxy import Fault, proxy
from loaded_state import loaded_state
from small_loads import assert_resumed, line, run, small_load, told, write_files, write_files_before

from citespan.es_mappings.articles import INDEX as CATALOGUE
from citespan.es_mappings.sentences import SENTENCES
from citespan.pipelines.errors import CitespanError
from citespan.pipelines.indexing.writing.checkpoint import CheckpointError

KILLS = int(os.environ.get("CITESPAN_KILLS", "8"))
COMMAND_KILLS = int(os.environ.get("CITESPAN_COMMAND_KILLS", "2"))
_REQUESTS = 60  # of the load that is killed, about; later kills meet one that has ended
_COMMAND = [sys.executable, "-m", "citespan.cli.main", "index"]
_numbers = count()
_processes = multiprocessing.get_context("forkserver")
_processes.set_forkserver_preload(["small_loads"])


@pytest.fixture
def prefix() -> str:
    return f"resumed{next(_numbers)}"


def prepared(folder: Path, node: str, prefix: str, layout: str) -> Path:
    """The files of a load, with the index as it is before it."""
    write_files_before(folder / "before", prefix)
    run(small_load(node, folder / "before", layout), node)
    write_files(folder / "files", prefix)
    return folder / "files"


@pytest.fixture(scope="module")
def undisturbed(node: str, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What loads that nothing disturbs tell, and leave."""
    found: dict[str, Any] = {}
    layouts: tuple[str, ...] = ("sentences", "spans")
    for layout in layouts:
        prefix = f"undisturbed{layout}"
        files = prepared(tmp_path_factory.mktemp(layout), node, prefix, layout)
        report = run(small_load(node, files, layout), node)
        assert (report.inputs, report.indexed, report.replaced) == (9, 4, 1)
        with small_loads.client(node) as es:
            found[layout] = told(report, files), loaded_state(es, f"{prefix}-")
    return found


def places(number: int) -> list[Any]:
    generator = random.Random(7)
    layouts: list[str] = ["sentences", "spans"]
    return [
        pytest.param(layouts[n % 2], int((n + generator.random()) * _REQUESTS / number), id=str(n))
        for n in range(number)
    ]


@pytest.mark.parametrize(("layout", "request_number"), places(KILLS))
def test_killed_at_any_request(
    es: Elasticsearch,
    node: str,
    tmp_path: Path,
    prefix: str,
    undisturbed: dict[str, Any],
    layout: str,
    request_number: int,
) -> None:
    files = prepared(tmp_path, node, prefix, layout)
    pid = tmp_path / "pid"
    arrived = random.Random(request_number).random() < 0.5

    def kill(number: int) -> Fault:
        if number < request_number or not pid.exists():
            return Fault.NONE
        if number == request_number:
            os.kill(int(pid.read_text()), signal.SIGKILL)
        return Fault.NONE if number == request_number and arrived else Fault.RESET_BEFORE

    arguments = (files, layout, tmp_path / "checkpoint", pid)
    with proxy(node, kill) as url:
        load = _processes.Process(target=small_loads.run_until_killed, args=(url, *arguments))
        load.start()
        load.join()
    assert load.exitcode in (-signal.SIGKILL, 0)
    report = run(small_load(node, files, layout, tmp_path / "checkpoint"), node)
    left = loaded_state(es, f"{prefix}-")
    if load.exitcode == 0:
        assert (report.unchanged, left) == (6, undisturbed[layout][1])
    else:
        assert left == undisturbed[layout][1]
        assert_resumed(told(report, files), undisturbed[layout][0])
    assert not (tmp_path / "checkpoint").exists()


def count_entries(es: Elasticsearch, prefix: str) -> int:
    """Count what the catalogue names once the server has carried out what a load that was killed
    had sent; 0 if it was killed before it made the catalogue."""
    before = -1
    while True:
        es.indices.refresh(index=CATALOGUE, ignore_unavailable=True)
        query = {"prefix": {"article": prefix}}
        count = es.count(index=CATALOGUE, query=query, ignore_unavailable=True)["count"]
        if count == before:
            return int(count)
        before = count
        time.sleep(0.3)


@pytest.mark.parametrize("seed", range(COMMAND_KILLS))
def test_the_command_killed_at_any_time(
    es: Elasticsearch, node: str, tmp_path: Path, prefix: str, seed: int
) -> None:
    write_files(tmp_path / "files", prefix)
    more = "\n".join(line(f"{prefix}-{n}", 15) for n in range(10, 400))
    (tmp_path / "files" / "e.jsonl").write_text(more)
    arguments = [str(tmp_path / "files"), "--layout", "sentences", "--json"]
    command = [*_COMMAND, *arguments]
    environment = os.environ | {"CITESPAN_HOME": str(tmp_path / "home")}
    generator = random.Random(seed)

    def start() -> subprocess.Popen[bytes]:
        pipe = subprocess.PIPE
        return subprocess.Popen(command, env=environment, stdout=pipe, stderr=pipe)

    before, had_ended = 0, False
    for _ in range(2):
        process = start()
        try:
            process.wait(generator.uniform(1.0, 4.0))
        except subprocess.TimeoutExpired:
            process.kill()
        process.communicate()
        before = count_entries(es, prefix)
        had_ended = before == 396 and not list((tmp_path / "home").rglob("*.checkpoint"))
    process = start()
    out, err = process.communicate(timeout=120)
    assert process.returncode == 1, err  # since there are broken inputs
    report = json.loads(out)
    assert (report["inputs"], report["indexed"] + report["unchanged"]) == (399, 396)
    # a killed load has written at most one group that its checkpoint does not name
    assert report["unchanged"] == 396 if had_ended else report["unchanged"] <= before
    state = loaded_state(es, f"{prefix}-")
    assert len(state["entries"]) == 396
    assert len(state["sentences"]) == 24 + 390 * 15
    assert not list((tmp_path / "home").rglob("*.checkpoint"))


def test_stopped_by_the_keyboard_is_one_line_and_goes_on(
    node: str, tmp_path: Path, prefix: str, undisturbed: dict[str, Any]
) -> None:
    files = prepared(tmp_path, node, prefix, "sentences")

    def interrupt(inputs: int) -> None:
        raise KeyboardInterrupt

    checkpoint = tmp_path / "checkpoint"
    with small_loads.client(node) as es:
        load = small_load(node, files, checkpoint=checkpoint)
        with pytest.raises(CitespanError, match="stopped after [12] inputs; repeat the command"):
            load.run(es, interrupt, lambda: None)
        load = small_load(node, files, checkpoint=checkpoint)
        resumed: list[bool] = []
        report = load.run(es, lambda _: None, lambda: resumed.append(True))
        assert resumed
        assert (told(report, files), loaded_state(es, f"{prefix}-")) == undisturbed["sentences"]


def test_the_command_stopped_by_the_keyboard(tmp_path: Path, node: str, prefix: str) -> None:
    articles = (line(f"{prefix}-{n}", 30) for n in range(3000))
    (tmp_path / "a.jsonl").write_text("\n".join(articles))
    process = subprocess.Popen(
        [*_COMMAND, str(tmp_path / "a.jsonl"), "--layout", "sentences"],
        env=os.environ | {"CITESPAN_HOME": str(tmp_path / "home")},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )
    with small_loads.client(node) as es:
        while not es.count(index=CATALOGUE, query={"prefix": {"article": prefix}})["count"]:
            assert process.poll() is None
            time.sleep(0.05)
    os.killpg(process.pid, signal.SIGINT)  # as a terminal does, to all processes of the command
    out, err = process.communicate(timeout=60)
    assert process.returncode == 130
    assert out == ""
    [told] = err.splitlines()
    assert "inputs; repeat the command to resume" in told


def stopped(node: str, files: Path, checkpoint: Path, after: int) -> None:
    """Run a load, and stop it after so many inputs."""
    seen = 0

    def interrupt(inputs: int) -> None:
        nonlocal seen
        seen += inputs
        if seen >= after:
            raise KeyboardInterrupt

    with small_loads.client(node) as es, pytest.raises(CitespanError, match="stopped"):
        small_load(node, files, checkpoint=checkpoint).run(es, interrupt, lambda: None)


def test_a_file_that_has_changed_since_is_read_again(
    es: Elasticsearch, node: str, tmp_path: Path, prefix: str
) -> None:
    write_files(tmp_path / "files", prefix)
    checkpoint = tmp_path / "checkpoint"
    stopped(node, tmp_path / "files", checkpoint, after=4)
    (tmp_path / "files" / "a.jsonl").write_text(line(f"{prefix}-0", 9, "other"))
    report = run(small_load(node, tmp_path / "files", checkpoint=checkpoint), node)
    assert (report.inputs, report.indexed, report.replaced, report.unchanged) == (7, 4, 1, 0)
    sentences = loaded_state(es, f"{prefix}-")["sentences"]
    assert sum(name.startswith("0 ") for name in sentences) == 9


def test_what_was_written_of_a_file_that_is_gone_is_deleted(
    es: Elasticsearch, node: str, tmp_path: Path, prefix: str
) -> None:
    """Killed between the documents and the catalogue; then the input goes away."""
    files = tmp_path / "files"
    files.mkdir()
    (files / "a.jsonl").write_text(line(f"{prefix}-0", 4))
    (files / "b.jsonl").write_text(line(f"{prefix}-1", 4))
    pid = tmp_path / "pid"

    def kill(_: int) -> Fault:
        if pid.exists() and es.count(index=SENTENCES, q=f'article:"{prefix}-1"')["count"]:
            os.kill(int(pid.read_text()), signal.SIGKILL)
            return Fault.RESET_BEFORE
        return Fault.NONE

    run(small_load(node, files), node)  # makes the indices
    (files / "b.jsonl").write_text(line(f"{prefix}-1", 5, "other"))
    with proxy(node, kill) as url:
        arguments = (url, files, "sentences", tmp_path / "checkpoint", pid)
        load = _processes.Process(target=small_loads.run_until_killed, args=arguments)
        load.start()
        load.join()
    assert load.exitcode == -signal.SIGKILL
    (files / "b.jsonl").write_text(line(f"{prefix}-1", 6, "a third"))
    report = run(small_load(node, files, checkpoint=tmp_path / "checkpoint"), node)
    assert report.replaced == 1
    assert len(loaded_state(es, f"{prefix}-")["sentences"]) == 10  # no stray one


def test_a_checkpoint_in_use_is_refused(node: str, tmp_path: Path, prefix: str) -> None:
    write_files(tmp_path / "files", prefix)
    checkpoint = tmp_path / "checkpoint"

    def second(_: int) -> None:
        with pytest.raises(CheckpointError, match="another load is using this checkpoint"):
            run(small_load(node, tmp_path / "files", checkpoint=checkpoint), node)

    with small_loads.client(node) as es:
        small_load(node, tmp_path / "files", checkpoint=checkpoint).run(es, second, lambda: None)


def test_restart_begins_anew(node: str, tmp_path: Path, prefix: str) -> None:
    write_files(tmp_path / "files", prefix)
    checkpoint = tmp_path / "checkpoint"
    stopped(node, tmp_path / "files", checkpoint, after=4)
    report = run(small_load(node, tmp_path / "files", checkpoint=checkpoint, restart=True), node)
    assert (report.inputs, report.unchanged, report.indexed) == (9, 3, 3)


@pytest.mark.parametrize("layout", ["sentences", "spans"])
def test_two_loads_at_once_lose_and_double_nothing(
    es: Elasticsearch, node: str, tmp_path: Path, prefix: str, layout: str
) -> None:
    write_files(tmp_path / "files", prefix)
    alone = tmp_path / "alone"
    write_files(alone, f"{prefix}alone")
    run(small_load(node, alone, layout), node)
    loads = [small_load(node, tmp_path / "files", layout) for _ in range(3)]
    with ThreadPoolExecutor(3) as threads:
        reports = list(threads.map(lambda load: run(load, node), loads))
    assert sum(report.indexed for report in reports) == 6
    assert sum(report.unchanged for report in reports) == 12
    assert loaded_state(es, f"{prefix}-") == loaded_state(es, f"{prefix}alone-")


@pytest.mark.parametrize(("layout", "documents"), [("sentences", 12 * 5), ("spans", 12 * 9)])
@pytest.mark.parametrize("attempt", range(3))
def test_two_loads_of_different_contents_at_once_leave_one_of_them(
    es: Elasticsearch,
    node: str,
    tmp_path: Path,
    prefix: str,
    layout: str,
    documents: int,
    attempt: int,
) -> None:
    folders = [tmp_path / name for name in ("one", "other")]
    for folder, seed in zip(folders, ("", "other"), strict=True):
        folder.mkdir()
        lines = (line(f"{prefix}-{n}", 5, seed) for n in range(12))
        (folder / "a.jsonl").write_text("\n".join(lines))
    with ThreadPoolExecutor(2) as threads:
        loads = [small_load(node, folder, layout) for folder in folders]
        reports = list(threads.map(lambda load: run(load, node), loads))
    assert all(report.articles == 12 for report in reports)
    state = loaded_state(es, f"{prefix}-")  # nothing of another edition or index than the entry's
    assert len(state[layout]) == documents
    assert sum(report.replaced for report in reports) == 12


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A folder with room for hardly anything."""
    folder = tmp_path / "small"
    folder.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=128k", "none", str(folder)],
        capture_output=True,
        check=False,
    )
    if mounted.returncode:
        pytest.skip("file systems can't be mounted here")
    yield folder
    subprocess.run(["umount", str(folder)], check=True)


def test_a_full_disk_is_told_and_the_load_goes_on_when_there_is_room(
    es: Elasticsearch, node: str, tmp_path: Path, prefix: str, small_disk: Path
) -> None:
    files = tmp_path / "files"
    files.mkdir()
    (files / "a.jsonl").write_text("\n".join(line(f"{prefix}-{n}", 1) for n in range(150)))
    filler = small_disk / "filler"
    filler.write_bytes(b"x" * 40 * 1024)
    checkpoint = small_disk / "checkpoint"
    with pytest.raises(CitespanError, match="checkpoint can't be written .*make room"):
        run(small_load(node, files, checkpoint=checkpoint), node)
    filler.unlink()
    (small_disk / "filler").unlink(missing_ok=True)
    larger = subprocess.run(["mount", "-o", "remount,size=8m", str(small_disk)], check=False)
    assert larger.returncode == 0
    report = run(small_load(node, files, checkpoint=checkpoint), node)
    assert report.indexed + report.unchanged == 150
    assert report.unchanged <= 2  # what the interrupted group had written
    assert len(loaded_state(es, f"{prefix}-")["entries"]) == 150


def test_the_node_stopped_and_started_during_a_load(tmp_path: Path) -> None:
    """A node of its own, since others are using the session's."""
    import shutil

    from real_node import address_of, as_user_of, new_home

    from citespan.deploy.node.lifecycle import down, up

    home = new_home()
    files = tmp_path / "files"
    files.mkdir()
    (files / "a.jsonl").write_text("\n".join(line(f"away-{n}", 30) for n in range(40)))
    try:
        with as_user_of(home):
            url = address_of(up(port=0))
            port = int(url.rpartition(":")[2])
            once: list[float] = []

            def restart(_: int) -> None:
                if not once:
                    once.append(time.monotonic())
                    down()
                    starting.submit(up, port=port)

            with ThreadPoolExecutor(1) as starting, small_loads.client(url) as es:
                report = small_load(url, files).run(es, restart, lambda: None)
                state = loaded_state(es, "away-")
        assert report.indexed == 40
        assert (len(state["entries"]), len(state["sentences"])) == (40, 1200)
    finally:
        with as_user_of(home):
            down()
        shutil.rmtree(home)
