"""The file that says how far a load has come: what it remembers, and when it is refused."""

import sqlite3
from dataclasses import replace
from pathlib import Path

import pytest

from citespan.pipelines.corpus.article import Rejected
from citespan.pipelines.indexing.census import Census
from citespan.pipelines.indexing.documents.prepared import Place
from citespan.pipelines.indexing.reading.unit import Unit
from citespan.pipelines.indexing.writing.checkpoint import Checkpoint, CheckpointError
from citespan.pipelines.indexing.writing.intent import Intent

IDENTITY = {"paths": ["/articles"], "layout": "sentences"}
UNIT = Unit("0:/articles/a.jsonl", "jsonl", Path("a.jsonl"), size=10, modified=20)
PLACE = Place("a", "sentences", "citespan-sentences-000", "a-0123456789ab", 7)
INTENT = Intent("a", "0" * 64, "replaced", "2020-01-01T00:00:00.000001+00:00", PLACE, None)


def counted(indexed: int, *rejected: Rejected) -> Census:
    census = Census(indexed=indexed, sentences=indexed * 7)
    for one in rejected:
        census.reject(one)
    return census


def test_it_remembers_units_articles_and_intents(tmp_path: Path) -> None:
    file = tmp_path / "folder" / "checkpoint"
    bad, worse = Rejected("a.jsonl:2", "not JSON"), Rejected("a.jsonl:3", "no text", "skipped")
    with Checkpoint(file, IDENTITY) as checkpoint:
        assert not checkpoint.resumed
        checkpoint.intend([INTENT, replace(INTENT, article="b", old=PLACE)])
        checkpoint.commit({UNIT: (2, False, counted(1, bad))}, [("a", "a.jsonl:1", "0")], [INTENT])
        checkpoint.commit({UNIT: (2, True, counted(1, worse))}, [], [])
    with Checkpoint(file, IDENTITY) as checkpoint:
        assert checkpoint.resumed
        assert checkpoint.resume(UNIT) == (4, True)
        census = checkpoint.census(UNIT)
        assert (census.indexed, census.sentences) == (2, 14)
        assert (census.quarantined, census.skipped) == ([bad], [worse])
        assert checkpoint.source_of("a") == "a.jsonl:1"
        assert checkpoint.source_of("b") is None
        assert checkpoint.leftovers == {"b": [replace(INTENT, article="b", old=PLACE)]}
        checkpoint.remove()
    assert list(file.parent.iterdir()) == []


@pytest.mark.parametrize("changed", [{"size": 11}, {"modified": 21}, {"size": -1}])
def test_what_is_known_of_a_changed_unit_is_forgotten(changed: dict[str, int]) -> None:
    with Checkpoint(None, IDENTITY) as checkpoint:
        rejected = counted(1, Rejected("x", "y"))
        checkpoint.commit({UNIT: (2, True, rejected)}, [("a", "a.jsonl:1", UNIT.key)], [])
        now = replace(UNIT, **changed)
        assert checkpoint.resume(now) == (0, False)
        assert checkpoint.source_of("a") is None
        assert checkpoint.census(now).inputs == 0


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
    with pytest.raises(CheckpointError, match=r"of another load \(layout\); .* --restart"):
        Checkpoint(file, IDENTITY | {"layout": "spans"})


def test_another_version_is_told(tmp_path: Path) -> None:
    file = tmp_path / "checkpoint"
    with Checkpoint(file, IDENTITY):
        pass
    database = sqlite3.connect(file)
    database.execute("PRAGMA user_version = 99")
    database.close()
    with pytest.raises(CheckpointError, match="another version of citespan; load with --restart"):
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
            checkpoint.commit({unit: (1, True, counted(1))}, [], [])
    data = bytearray(file.read_bytes())
    data[4096:] = b"\xff" * (len(data) - 4096)
    file.write_bytes(data)
    with pytest.raises(CheckpointError, match=r"damaged .*--restart"), Checkpoint(file, IDENTITY):
        pass


def test_a_folder_that_does_not_take_it_is_told() -> None:
    with pytest.raises(CheckpointError, match="can't be kept there .* --checkpoint"):
        Checkpoint(Path("/proc/nowhere/checkpoint"), IDENTITY)
