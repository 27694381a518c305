"""What a load reads: patterns, lists, archives, shards."""

import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citespan.pipelines.errors import InputError, UnknownNameError
from citespan.pipelines.indexing.reading.sources import Shard, Sources


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name in ("a/one.jsonl", "a/two.jsonl", "b/three.jsonl", "b/deep/four.jsonl"):
        file = tmp_path / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text('{"id": "x", "text": "y"}\n')
    (tmp_path / "b" / "five.tar.gz").write_bytes(b"")
    return tmp_path


def names(sources: Sources) -> list[str]:
    return [unit.path.name for unit in sources]


def test_a_folder_in_order_with_its_archives(folder: Path) -> None:
    sources = Sources([str(folder)], "jsonl")
    assert names(sources) == ["one.jsonl", "two.jsonl", "four.jsonl", "five.tar.gz", "three.jsonl"]
    assert [unit.archive for unit in sources] == [False, False, False, True, False]
    assert names(sources) == names(sources)
    assert sources.complete


def test_a_file_of_the_same_size_and_time_has_changed(folder: Path) -> None:
    file = folder / "a" / "two.jsonl"
    times = (file.stat().st_atime_ns, file.stat().st_mtime_ns)
    [before] = Sources([str(file)], "jsonl")
    file.write_bytes(file.read_bytes()[::-1])
    os.utime(file, ns=times)
    [after] = Sources([str(file)], "jsonl")
    assert (before.size, before.modified) != (after.size, after.modified)


def test_units_know_when_they_have_changed(folder: Path) -> None:
    before = list(Sources([str(folder)], "jsonl"))
    (folder / "a" / "one.jsonl").write_text("another size")
    os.utime(folder / "a" / "two.jsonl", (1, 1))
    after = list(Sources([str(folder)], "jsonl"))
    assert [unit == other for unit, other in zip(before, after, strict=True)] == [
        False,
        False,
        True,
        True,
        True,
    ]
    assert [unit.key for unit in before] == [unit.key for unit in after]


@pytest.mark.parametrize(
    ("pattern", "expected"),
    [
        ("a/*.jsonl", ["one.jsonl", "two.jsonl"]),
        ("**/t*.jsonl", ["two.jsonl", "three.jsonl"]),
        ("[b]/deep", ["four.jsonl"]),
    ],
)
def test_patterns(folder: Path, pattern: str, expected: list[str]) -> None:
    sources = Sources([f"{folder}/{pattern}"], "jsonl")
    assert names(sources) == expected
    assert not sources.complete


def test_a_list_of_files(folder: Path) -> None:
    listed = folder / "list"
    listed.write_text(f"{folder}/a/two.jsonl\r\n\n{folder}/nowhere.jsonl\n{folder}/b\n")
    sources = Sources([], "jsonl", listed)
    expected = ["two.jsonl", "nowhere.jsonl", "four.jsonl", "five.tar.gz", "three.jsonl"]
    assert names(sources) == expected
    assert len({unit.key for unit in sources}) == 5
    digest = sources.list_digest()
    listed.write_text(f"{folder}/a/two.jsonl\n")
    assert Sources([], "jsonl", listed).list_digest() != digest


@pytest.mark.parametrize(
    ("path", "format_", "error", "said"),
    [
        ("nowhere", "jsonl", InputError, "no such file or folder"),
        ("*.xml", "jsonl", InputError, "nothing matches this pattern"),
        ("a", "odt", UnknownNameError, "unknown format 'odt'"),
    ],
)
def test_what_is_not_there_is_told(
    folder: Path, path: str, format_: str, error: type[Exception], said: str
) -> None:
    with pytest.raises(error, match=said):
        Sources([str(folder / path)], format_)


def test_a_list_that_is_not_there_is_told(folder: Path) -> None:
    with pytest.raises(InputError, match="no such file; it should have a path a line"):
        Sources([], "jsonl", folder / "nolist")


@given(st.integers(1, 9), st.lists(st.text(st.characters(exclude_categories=["Cs"])), max_size=20))
def test_each_unit_is_in_one_shard(of: int, paths: list[str]) -> None:
    for path in paths:
        assert sum(Shard(number, of).has(path) for number in range(1, of + 1)) == 1


def test_shards_share_a_folder_wherever_it_is(
    folder: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    elsewhere = tmp_path_factory.mktemp("elsewhere") / "moved"
    elsewhere.symlink_to(folder)
    parts = [names(Sources([str(folder)], "jsonl", None, Shard(n, 3))) for n in (1, 2, 3)]
    assert sorted(name for part in parts for name in part) == sorted(
        names(Sources([str(folder)], "jsonl"))
    )
    assert parts == [
        names(Sources([str(elsewhere)], "jsonl", None, Shard(n, 3))) for n in (1, 2, 3)
    ]


@pytest.mark.parametrize(("number", "of"), [(0, 2), (3, 2), (1, 0)])
def test_impossible_shards_are_told(number: int, of: int) -> None:
    with pytest.raises(InputError, match="is not possible"):
        Shard(number, of)


def test_a_folder_of_archives_is_recognised_file_by_file(tmp_path: Path) -> None:
    (tmp_path / "some.tar.gz").write_bytes(b"")
    [unit] = Sources([str(tmp_path)], "auto")
    assert (unit.reader, unit.archive) == ("auto", True)
