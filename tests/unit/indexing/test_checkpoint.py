"""The file that says how far a load has come: what it remembers, and when it is refused."""

import random
import sqlite3
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from threading import Event, Thread

import pytest

from citespan.pipelines.corpus.article import Rejected
from citespan.pipelines.errors import CitespanError
from citespan.pipelines.indexing.reading.unit import Unit
from citespan.pipelines.indexing.report import LoadReport
from citespan.pipelines.indexing.writing.checkpoint import Checkpoint, CheckpointError
from citespan.pipelines.store.edition import Place

IDENTITY = {"paths": ["/articles"], "layout": "sentences"}
UNIT = Unit("0:/articles/a.jsonl", "jsonl", Path("a.jsonl"), size=10, modified=20)
PLACE = Place("a", "sentences", "citespan-sentences-000", "a~0123456789ab.1", 7, 25)


def counted(indexed: int, *rejected: Rejected) -> LoadReport:
    report = LoadReport(indexed=indexed, sentences=indexed * 7)
    for reading in rejected:
        report.reject(reading)
    return report


def test_it_remembers_units_articles_and_unfinished_groups(tmp_path: Path) -> None:
    file = tmp_path / "folder" / "checkpoint"
    bad, worse = Rejected("a.jsonl:2", "not JSON"), Rejected("a.jsonl:3", "no text", "skipped")
    with Checkpoint(file, IDENTITY) as checkpoint:
        assert not checkpoint.resumed
        done, begun = checkpoint.begin_group([PLACE]), checkpoint.begin_group([PLACE])
        checkpoint.add_places(begun, [replace(PLACE, article="b")])
        checkpoint.commit({UNIT: (2, False, counted(1, bad))}, [("a", "a.jsonl:1", "0")], done)
        checkpoint.commit({UNIT: (2, True, counted(1, worse))})
    with Checkpoint(file, IDENTITY) as checkpoint:
        assert checkpoint.resumed
        assert checkpoint.resume(UNIT) == (4, True)
        report = checkpoint.report(UNIT)
        assert (report.indexed, report.sentences) == (2, 14)
        assert (report.quarantined, report.skipped) == ([bad], [worse])
        assert checkpoint.source_of("a") == "a.jsonl:1"
        assert checkpoint.source_of("b") is None
        assert checkpoint.unfinished == {begun: [PLACE, replace(PLACE, article="b")]}
        assert checkpoint.begin_group([]) not in (done, begun)
        checkpoint.remove()
    assert list(file.parent.iterdir()) == []


@pytest.mark.parametrize("changed", [{"size": 11}, {"modified": 21}, {"size": -1}])
def test_what_is_known_of_a_changed_unit_is_forgotten(changed: dict[str, int]) -> None:
    with Checkpoint(None, IDENTITY) as checkpoint:
        rejected = counted(1, Rejected("x", "y"))
        checkpoint.commit({UNIT: (2, True, rejected)}, [("a", "a.jsonl:1", UNIT.key)])
        now = replace(UNIT, **changed)
        assert checkpoint.resume(now) == (0, False)
        assert checkpoint.source_of("a") is None
        assert checkpoint.report(now).inputs == 0


def test_a_second_load_is_refused_while_the_first_runs(tmp_path: Path) -> None:
    file = tmp_path / "checkpoint"
    with Checkpoint(file, IDENTITY), pytest.raises(CheckpointError, match="another load is using"):
        Checkpoint(file, IDENTITY)
    with Checkpoint(file, IDENTITY):
        pass


def test_another_load_is_told_by_what_differs(tmp_path: Path) -> None:
    file = tmp_path / "checkpoint"
    with Checkpoint(file, IDENTITY):
        pass
    with pytest.raises(CheckpointError, match=r"of another load \(layout\); .* `restart`"):
        Checkpoint(file, IDENTITY | {"layout": "spans"})


def test_another_version_is_told(tmp_path: Path) -> None:
    file = tmp_path / "checkpoint"
    with Checkpoint(file, IDENTITY):
        pass
    database = sqlite3.connect(file)
    database.execute("PRAGMA user_version = 99")
    database.close()
    with pytest.raises(CheckpointError, match="another version of citespan; load with `restart`"):
        Checkpoint(file, IDENTITY)


def test_what_is_no_checkpoint_is_told_and_left_alone(tmp_path: Path) -> None:
    text = tmp_path / "text"
    text.write_text("something of the user's own " * 100)
    with pytest.raises(CheckpointError, match="not a checkpoint, or damaged"):
        Checkpoint(text, IDENTITY)
    assert text.read_text().startswith("something")
    other = tmp_path / "other.db"
    database = sqlite3.connect(other)
    database.execute("CREATE TABLE t (x)")
    database.close()
    with pytest.raises(CheckpointError, match="not a checkpoint of citespan; name another file"):
        Checkpoint(other, IDENTITY)


def test_a_damaged_one_is_told(tmp_path: Path) -> None:
    file = tmp_path / "checkpoint"
    with Checkpoint(file, IDENTITY) as checkpoint:
        for number in range(300):
            unit = replace(UNIT, key=f"0:{number}" + "x" * 100)
            checkpoint.commit({unit: (1, True, counted(1))})
    data = bytearray(file.read_bytes())
    data[4096:] = b"\xff" * (len(data) - 4096)
    file.write_bytes(data)
    with pytest.raises(CheckpointError, match=r"damaged .*`restart`"), Checkpoint(file, IDENTITY):
        pass


def test_a_folder_that_does_not_take_it_is_told() -> None:
    with pytest.raises(CheckpointError, match="can't be kept there .* `checkpoint`"):
        Checkpoint(Path("/proc/nowhere/checkpoint"), IDENTITY)


def test_restart_forgets_what_was_read_but_not_what_may_be_half_written(tmp_path: Path) -> None:
    file = tmp_path / "checkpoint"
    with Checkpoint(file, IDENTITY) as checkpoint:
        begun = checkpoint.begin_group([])
        checkpoint.commit({UNIT: (2, True, counted(1))}, [("a", "a.jsonl:1", "0")])
    with Checkpoint(file, IDENTITY | {"layout": "spans"}, restart=True) as checkpoint:
        assert not checkpoint.resumed
        assert checkpoint.resume(UNIT) == (0, False)
        assert checkpoint.source_of("a") is None
        assert checkpoint.unfinished == {begun: []}


@pytest.mark.parametrize("restart", [False, True])
def test_restart_deletes_nothing_but_checkpoints(tmp_path: Path, restart: bool) -> None:
    text, other = tmp_path / "text", tmp_path / "other.db"
    text.write_text("something of the user's own " * 100)
    database = sqlite3.connect(other)
    database.execute("CREATE TABLE t (x)")
    database.close()
    for file in (text, other):
        before = file.read_bytes()
        with pytest.raises(CheckpointError, match="name another file"):
            Checkpoint(file, IDENTITY, restart=restart)
        assert file.read_bytes() == before


def test_a_load_killed_while_it_creates_its_checkpoint_can_be_repeated(tmp_path: Path) -> None:
    """Whatever part of the statements has been executed, by either kind of repetition."""
    for statements in range(1, 18, 2):
        file = tmp_path / f"checkpoint-{statements}"
        code = f"""
import os, sqlite3
from pathlib import Path
from threading import Event, Thread
from citespan.pipelines.indexing.writing import checkpoint

class Killed(sqlite3.Connection):
    left = {statements}
    def execute(self, *arguments):
        if not self.left:
            os.kill(os.getpid(), 9)
        self.left -= 1
        return super().execute(*arguments)

connect = sqlite3.connect
sqlite3.connect = lambda *a, **k: connect(*a, factory=Killed, **k)
checkpoint.Checkpoint(Path({str(file)!r}), {IDENTITY!r})
"""
        killed = subprocess.run([sys.executable, "-c", code], check=False)
        assert killed.returncode == -9
        restart = statements % 4 == 1
        with Checkpoint(file, IDENTITY, restart=restart) as checkpoint:
            assert checkpoint.begin_group([])


@pytest.mark.parametrize("damage", [b"", b"\0" * 5000, b"SQLite format 3\0" + b"x" * 5000])
def test_a_damaged_checkpoint_of_citespans_own_folder_is_replaced(
    tmp_path: Path, damage: bytes
) -> None:
    file = tmp_path / "0123.checkpoint"
    file.write_bytes(damage)
    with Checkpoint(file, IDENTITY, restart=True, owned=True) as checkpoint:
        assert checkpoint.begin_group([])


@pytest.mark.parametrize("seed", [*range(21), 230, 392, 468, 472, 566])
def test_any_damage_is_one_line_and_restart_repairs(tmp_path: Path, seed: int) -> None:
    """Bytes overwritten, or the file cut off, at random; with or without its journal."""
    generator = random.Random(seed)
    file = tmp_path / "0123.checkpoint"
    with Checkpoint(file, IDENTITY) as checkpoint:
        for number in range(60):
            unit = replace(UNIT, key=f"0:{number}" + "x" * 100)
            checkpoint.commit({unit: (1, True, counted(1))})
        checkpoint.begin_group([PLACE])
    data = bytearray(file.read_bytes())
    if generator.random() < 0.5:
        del data[generator.randrange(len(data)) :]
    else:
        for _ in range(generator.choice([1, 20, 500])):
            data[generator.randrange(len(data))] = generator.randrange(256)
    file.write_bytes(data)
    if generator.random() < 0.5:
        Path(f"{file}-wal").write_bytes(generator.randbytes(5000))
    try:
        with Checkpoint(file, IDENTITY, owned=True) as checkpoint:
            checkpoint.commit({UNIT: (1, True, counted(1))})
    except CitespanError as error:
        assert "`restart`" in str(error), error
    with Checkpoint(file, IDENTITY, restart=True, owned=True) as checkpoint:
        assert checkpoint.resume(UNIT) == (0, False)
        checkpoint.commit({UNIT: (1, True, counted(1))}, [("a", "a.jsonl:1", "0")])


def test_threads_use_it_together_and_one_that_reads_on_after_its_end_is_refused() -> None:
    errors: list[Exception] = []
    begun, ended = Event(), Event()

    def read(checkpoint: Checkpoint) -> None:
        try:
            while not ended.is_set():
                checkpoint.resume(UNIT)
                checkpoint.source_of("a")
                begun.set()
            checkpoint.resume(UNIT)
        except CitespanError as error:
            errors.append(error)

    for _ in range(20):
        begun.clear()
        ended.clear()
        with Checkpoint(None, IDENTITY) as checkpoint:
            threads = [Thread(target=read, args=(checkpoint,)) for _ in range(3)]
            for thread in threads:
                thread.start()
            begun.wait()
            for number in range(20):
                group = checkpoint.begin_group([PLACE])
                checkpoint.commit({UNIT: (1, False, counted(1))}, [(str(number), "", "")], group)
            assert checkpoint.resume(UNIT) == (20, False)
            assert errors == []
        ended.set()
        for thread in threads:
            thread.join()
        errors.clear()
