"""A server whose disk fills up during a load: a real one, of a size that can be changed."""

import os
import shutil
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import small_loads
from elasticsearch import ApiError, Elasticsearch
from loaded_state import loaded_state
from real_node import address_of, as_user_of, new_home
from small_loads import line, small_load

from citespan.deploy.node.lifecycle import down, up
from citespan.es_mappings import leases
from citespan.es_mappings.sentences import SENTENCES
from citespan.pipelines.errors import ElasticsearchUnreachableError
from citespan.pipelines.store.retry import ServerFullError

_MEGABYTE = 2**20
_ENOUGH = 3_000 * _MEGABYTE  # more than the server wants free
_SECONDS = 90
_TRIES = 20
_ARTICLES, _SENTENCES = 30, 30


class SmallDisk:
    """A folder in memory that takes as much as it is let."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def leave(self, free: int) -> None:
        """Have so many bytes free. The server may write while they are counted, and a disk that is
        smaller than its files is refused, so it is tried again."""
        for _ in range(_TRIES):
            now = os.statvfs(self._folder)
            size = (now.f_blocks - now.f_bfree) * now.f_frsize + free
            mount = ["mount", "-o", f"remount,size={size}", str(self._folder)]
            done = subprocess.run(mount, capture_output=True, text=True, check=False)
            if done.returncode == 0:
                return
        raise AssertionError(done.stderr)


@pytest.fixture(scope="module")
def server() -> Iterator[tuple[str, SmallDisk]]:
    """The address of a node of its own, and the disk that its data are on."""
    home = new_home()
    folder = home / "data"
    folder.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", f"size={_ENOUGH},mode=755", "none", str(folder)]
    if subprocess.run(mount, capture_output=True, check=False).returncode:
        shutil.rmtree(home)
        pytest.skip("file systems can't be mounted here")
    try:
        with as_user_of(home):
            url = address_of(up(port=0))
        with small_loads.client(url) as es:
            # how often the server looks at its disk
            es.cluster.put_settings(persistent={"cluster.info.update.interval": "10s"})
        yield url, SmallDisk(folder)
    finally:
        with as_user_of(home):
            down()
        subprocess.run(["umount", str(folder)], check=True)
        shutil.rmtree(home)


def written(folder: Path, prefix: str) -> Path:
    """A folder with a file of articles."""
    folder.mkdir()
    articles = (line(f"{prefix}-{n}", _SENTENCES) for n in range(_ARTICLES))
    (folder / "a.jsonl").write_text("\n".join(articles))
    return folder


def test_a_load_stops_and_goes_on_when_there_is_room(
    server: tuple[str, SmallDisk], tmp_path: Path
) -> None:
    url, disk = server
    files, checkpoint = written(tmp_path / "files", "blocked"), tmp_path / "checkpoint"
    with small_loads.client(url) as es:
        filled = []

        def fill(inputs: int) -> None:
            if not filled:
                filled.append(inputs)
                disk.leave(300 * _MEGABYTE)
                wait_until(lambda: is_blocked(es))

        with pytest.raises(ElasticsearchUnreachableError, match="is full.*flood.*room"):
            small_load(url, files, checkpoint=checkpoint).run(es, fill, lambda: None)
        disk.leave(_ENOUGH)
        wait_until(lambda: not is_blocked(es))
        all_is_loaded(es, url, files, checkpoint, "blocked-")


def test_a_load_survives_a_disk_without_a_byte_left(
    server: tuple[str, SmallDisk], tmp_path: Path
) -> None:
    url, disk = server
    files, checkpoint = written(tmp_path / "files", "full"), tmp_path / "checkpoint"
    with small_loads.client(url) as es:
        filled = []

        def fill(inputs: int) -> None:
            if not filled:
                filled.append(inputs)
                disk.leave(0)

        # A shard that has failed for want of room is told as missing, without this cause.
        told = "(No space left|make room where a disk is full).*repeat"
        with pytest.raises(ElasticsearchUnreachableError, match=told):
            small_load(url, files, checkpoint=checkpoint, retry_seconds=5.0).run(
                es, fill, lambda: None
            )
        disk.leave(_ENOUGH)
        wait_until(lambda: is_whole(es))
        all_is_loaded(es, url, files, checkpoint, "full-")


def test_a_flush_that_fails_for_want_of_room_locks_nobody_out(
    server: tuple[str, SmallDisk], tmp_path: Path
) -> None:
    url, disk = server
    with small_loads.client(url) as es:
        for name in ("before", "after"):
            small_loads.run(small_load(url, written(tmp_path / name, name)), url)
            if name == "before":
                for _ in range(_TRIES):  # the server may delete a file before it flushes
                    disk.leave(0)
                    flushed = es.indices.flush(index=leases.INDEX, force=True)
                    if flushed["_shards"]["failed"]:
                        break
                disk.leave(_ENOUGH)
                assert "No space left on device" in str(flushed["_shards"]["failures"])
        assert len(loaded_state(es, "after-")["entries"]) == _ARTICLES


def all_is_loaded(es: Elasticsearch, url: str, files: Path, checkpoint: Path, prefix: str) -> None:
    """Repeat the load until the server has seen its room; nothing is lost and nothing doubled."""
    resumed: list[bool] = []
    until = time.monotonic() + _SECONDS
    while True:
        load = small_load(url, files, checkpoint=checkpoint)
        try:
            report = load.run(es, lambda _: None, lambda: resumed.append(True))
            break
        except ServerFullError:  # it blocks an index by a measurement that is seconds old
            assert time.monotonic() < until, "the server does not lift its blocks"
            time.sleep(0.5)
    assert resumed
    assert (report.inputs, report.indexed, report.unchanged) == (_ARTICLES, _ARTICLES, 0)
    state = loaded_state(es, prefix)
    assert len(state["entries"]) == _ARTICLES
    assert len(state["sentences"]) == _ARTICLES * _SENTENCES
    assert not checkpoint.exists()


def is_blocked(es: Elasticsearch) -> bool:
    """Whether the server writes nothing more for want of room."""
    settings = es.indices.get_settings(index=SENTENCES, flat_settings=True)
    return any(
        "index.blocks.read_only_allow_delete" in index["settings"] for index in settings.values()
    )


def is_whole(es: Elasticsearch) -> bool:
    """Whether a copy of every shard is there, after the server has been asked to try again."""
    es.cluster.reroute(retry_failed=True)
    try:
        return es.cluster.health(index="citespan-*")["status"] != "red"
    except ApiError:
        return False


def wait_until(happened: Callable[[], bool]) -> None:
    """Wait, though not for ever."""
    until = time.monotonic() + _SECONDS
    while not happened():
        assert time.monotonic() < until, "the server does not do it"
        time.sleep(0.5)
