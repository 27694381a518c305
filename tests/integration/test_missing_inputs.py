"""`--delete-missing` deletes what the load would have met, and nothing that is somewhere else."""

from pathlib import Path
from typing import Any
from zlib import crc32

import pytest
from elasticsearch import Elasticsearch
from fault_proxy import Request, proxy
from loaded_state import loaded_state
from small_loads import line, run
from small_loads import small_load as make_load

from citespan.pipelines.indexing.load import Load
from citespan.pipelines.indexing.writing.missing import is_absent
from citespan.pipelines.store.catalogue import Catalogue
from citespan.pipelines.store.server import LoadStoppedError

LAYOUTS = pytest.mark.parametrize("layout", ["sentences", "spans"])


@pytest.fixture
def prefix(request: pytest.FixtureRequest) -> str:
    """Different for each test, and not the beginning of another."""
    return f"m{crc32(request.node.name.encode()):x}m"


@pytest.fixture
def folders(tmp_path: Path, prefix: str) -> tuple[Path, Path]:
    """Two folders: the first has articles a and b, the second c."""
    first, second = tmp_path / "first", tmp_path / "second"
    for folder, names in ((first, "ab"), (second, "c")):
        folder.mkdir()
        for name in names:
            (folder / f"{name}.jsonl").write_text(line(f"{prefix}-{name}", 3))
    return first, second


def small_load(*arguments: Any, **options: Any) -> Load:
    """A load that deletes however many are missing."""
    return make_load(*arguments, **{"delete_many": True} | options)


def entries(es: Elasticsearch, prefix: str, layout: str) -> set[str]:
    """The articles that are loaded, with all their documents."""
    state = loaded_state(es, f"{prefix}-")
    names = set(state["entries"])
    assert {name.partition(" ")[0] for name in state[layout]} == names
    return names


@LAYOUTS
def test_a_file_that_was_moved_to_another_folder_stays(
    es: Elasticsearch, node: str, folders: tuple[Path, Path], prefix: str, layout: str
) -> None:
    first, second = folders
    for folder in folders:
        run(small_load(node, folder, layout), node)
    (first / "a.jsonl").rename(second / "a.jsonl")
    moved = run(small_load(node, second, layout, delete_missing=True), node)
    assert (moved.unchanged, moved.missing) == (2, 0)
    left = run(small_load(node, first, layout, delete_missing=True), node)
    assert (left.unchanged, left.missing) == (1, 0)
    assert entries(es, prefix, layout) == {"a", "b", "c"}
    assert [Path(source).parent for source in source_list(es, f"{prefix}-a")] == [second]
    (second / "a.jsonl").unlink()
    assert run(small_load(node, second, layout, delete_missing=True), node).missing == 1
    assert entries(es, prefix, layout) == {"b", "c"}


def source_list(es: Elasticsearch, article: str) -> list[str]:
    """Where an article was read from, without the number of the line."""
    [version] = Catalogue(es).look_up([article]).values()
    return [source.unit for source in version.sources]


@LAYOUTS
@pytest.mark.parametrize("gone", [0, 1])
def test_an_article_of_two_folders_stays_until_both_have_lost_it(
    es: Elasticsearch, node: str, folders: tuple[Path, Path], prefix: str, layout: str, gone: int
) -> None:
    for folder in folders:
        (folder / "both.jsonl").write_text(line(f"{prefix}-both", 3))
        run(small_load(node, folder, layout), node)
    for number, folder in enumerate((folders[gone], folders[1 - gone])):
        (folder / "both.jsonl").unlink()
        report = run(small_load(node, folder, layout, delete_missing=True), node)
        assert report.missing == number
    assert entries(es, prefix, layout) == {"a", "b", "c"}


@LAYOUTS
def test_what_another_load_indexes_meanwhile_stays(
    es: Elasticsearch, node: str, folders: tuple[Path, Path], prefix: str, layout: str
) -> None:
    """A file that is added and loaded by another load after a long one has listed its files;
    another is changed."""
    first, _ = folders
    run(small_load(node, first, layout), node)
    (first / "a.jsonl").unlink()
    (first / "z.jsonl").write_text(line(f"{prefix}-z", 2))
    long = small_load(node, first, layout, delete_missing=True)
    once: list[int] = []

    def on_input(_: int) -> None:
        if not once:
            once.append(1)
            (first / "late.jsonl").write_text(line(f"{prefix}-late", 2))
            (first / "a.jsonl").write_text(line(f"{prefix}-a", 4, "again"))
            added = run(small_load(node, first, layout), node)
            assert (added.indexed, added.replaced) == (2, 1)

    report = long.run(es, on_input, lambda: None)
    assert once
    assert report.missing == 0
    assert entries(es, prefix, layout) >= {"a", "b", "late", "z"}


def test_a_source_that_another_load_adds_meanwhile_is_kept(
    es: Elasticsearch, node: str, folders: tuple[Path, Path], prefix: str
) -> None:
    """While a load forgets one of the places that an article was read from, another load reads
    it from a third."""
    first, _ = folders
    third = first.parent / "third"
    third.mkdir()
    for folder in (*folders, third):
        (folder / "a.jsonl").write_text(line(f"{prefix}-a", 3))
    for folder in folders:
        run(small_load(node, folder), node)
    (first / "a.jsonl").unlink()
    scanned: list[Request] = []

    def choose(request: Request) -> None:
        if "/citespan-articles/_search" in request.path and b"seq_no_primary_term" in request.body:
            scanned.append(request)
        elif scanned and request.path.startswith("/_search/scroll") and len(scanned) == 1:
            scanned.append(request)
            run(small_load(node, third), node)

    with proxy(node, choose=choose) as url:
        assert run(small_load(url, first, delete_missing=True), url).missing == 0
    assert len(scanned) == 2
    assert Path(source_list(es, f"{prefix}-a")[0]).parent == third


@pytest.mark.parametrize("same", [True, False])
def test_two_loads_of_one_article_at_once_both_name_their_files(
    es: Elasticsearch, node: str, tmp_path: Path, prefix: str, same: bool
) -> None:
    """One of them finds that the other was faster, when it looks up or when it writes."""
    first, other = tmp_path / "one", tmp_path / "other"
    for folder in (first, other):
        folder.mkdir()
        (folder / "a.jsonl").write_text(line(f"{prefix}-a", 3))
    done: list[int] = []
    path = "/citespan-articles/_bulk" if same else "/citespan-sentences"

    def choose(request: Request) -> None:
        if request.path.startswith(path) and request.actions and not done:
            done.append(1)
            assert run(small_load(node, other), node).indexed == 1

    (tmp_path / "x").mkdir()
    (tmp_path / "x" / "x.jsonl").write_text(line(f"{prefix}x", 1))
    run(small_load(node, tmp_path / "x"), node)  # creates the indices
    with proxy(node, choose=choose) as url:
        assert run(small_load(url, first), url).unchanged == 1
    assert {Path(source).parent for source in source_list(es, f"{prefix}-a")} == {first, other}
    assert entries(es, prefix, "sentences") == {"a"}


def test_a_folder_that_is_not_there_says_nothing_of_its_files(tmp_path: Path) -> None:
    (tmp_path / "there").mkdir()
    (tmp_path / "away").symlink_to(tmp_path / "unmounted")
    (tmp_path / "link").symlink_to(tmp_path / "nowhere")
    assert is_absent(tmp_path / "there" / "a" / "b.jsonl", tmp_path)
    assert is_absent(tmp_path / "a.jsonl", tmp_path)
    assert not is_absent(tmp_path / "there", tmp_path)
    assert not is_absent(tmp_path / "link", tmp_path)
    assert not is_absent(tmp_path / "away" / "a.jsonl", tmp_path)
    assert not is_absent(tmp_path / "gone" / "a.jsonl", tmp_path / "gone")
    assert not is_absent(tmp_path / ("x" * 300), tmp_path), "a name that can't be looked at"


@LAYOUTS
def test_what_a_killed_load_has_read_and_is_gone_when_it_is_resumed(
    es: Elasticsearch, node: str, folders: tuple[Path, Path], prefix: str, layout: str
) -> None:
    """A file is deleted, one is moved, a list loses a line, and one of another corpus stays."""
    first, _ = folders
    checkpoint = first.parent / "checkpoint"
    for name in "cdef":
        (first / f"{name}.jsonl").write_text(line(f"{prefix}-{name}", 3))
    (first / "list.jsonl").write_text(line(f"{prefix}-x", 2) + "\n" + line(f"{prefix}-y", 2))
    (first / "z.jsonl").write_text(line(f"{prefix}-z", 2))

    def stop(done: int) -> None:
        seen.append(done)
        if sum(seen) >= 7:
            raise KeyboardInterrupt

    seen: list[int] = []
    with pytest.raises(LoadStoppedError):
        small_load(node, first, layout, checkpoint, delete_missing=True).run(es, stop, int)
    (first / "a.jsonl").unlink()
    (first / "b.jsonl").rename(first / "moved.jsonl")
    (first / "list.jsonl").write_text(line(f"{prefix}-x", 2))
    report = run(small_load(node, first, layout, checkpoint, delete_missing=True), node)
    assert not report.quarantined
    assert entries(es, prefix, layout) == set("bcdefxz")
