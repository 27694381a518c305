"""Archives are unpacked only where they should be."""

import hashlib
import stat
import zipfile
from pathlib import Path

import pytest

from citespan.deploy.node.assemble import count_fetched_bytes, require_digest, unpack
from citespan.deploy.node.errors import ArchiveError


def make_archive(file: Path, members: dict[str, int | None]) -> Path:
    """A zip archive of members with those modes, each holding its own name."""
    with zipfile.ZipFile(file, "w") as bundle:
        for name, mode in members.items():
            member = zipfile.ZipInfo(name)
            member.external_attr = (mode or 0) << 16
            bundle.writestr(member, name)
    return file


def as_it_is(name: str) -> str:
    return name


def test_modes_let_every_account_read(tmp_path: Path) -> None:
    archive = make_archive(tmp_path / "a.zip", {"bin/run": 0o100700, "config/x.yml": 0o100600})
    target = tmp_path / "out"
    target.mkdir(mode=0o700)

    unpack(archive, target, as_it_is)

    modes = {f.name: stat.S_IMODE(f.stat().st_mode) for f in (target, *target.rglob("*"))}
    assert modes == {"out": 0o755, "bin": 0o755, "config": 0o755, "run": 0o755, "x.yml": 0o644}
    assert (target / "bin" / "run").read_text() == "bin/run"


def test_only_what_is_wanted_under_its_new_name(tmp_path: Path) -> None:
    archive = make_archive(tmp_path / "a.zip", {"top/a": None, "top/b": None})
    unpack(archive, tmp_path, lambda name: "renamed" if name == "top/a" else None)
    assert (tmp_path / "renamed").read_text() == "top/a"
    assert not (tmp_path / "top").exists()


@pytest.mark.parametrize(
    "name", ["../out", "a/../../out", "/tmp/citespan-out", "..\\out", "a\\..\\..\\out"]
)
def test_nothing_is_written_outside(tmp_path: Path, name: str) -> None:
    target = tmp_path / "target"
    target.mkdir()
    archive = make_archive(tmp_path / "bad.zip", {"good": None, name: None})
    with pytest.raises(ArchiveError, match=r"bad\.zip has an unsafe member"):
        unpack(archive, target, as_it_is)
    assert list(target.iterdir()) == []
    assert {f.name for f in tmp_path.iterdir()} == {"bad.zip", "target"}


def test_symbolic_links_are_refused(tmp_path: Path) -> None:
    archive = make_archive(tmp_path / "bad.zip", {"link": stat.S_IFLNK | 0o777})
    with pytest.raises(ArchiveError, match="unsafe member 'link'"):
        unpack(archive, tmp_path, as_it_is)


def test_no_zip_archive(tmp_path: Path) -> None:
    file = tmp_path / "cut.zip"
    file.write_bytes(b"PK\x03\x04 cut short")
    with pytest.raises(ArchiveError, match=r"cut\.zip is no zip archive"):
        unpack(file, tmp_path, as_it_is)


def test_digest(tmp_path: Path) -> None:
    file = tmp_path / "a.zip"
    file.write_bytes(b"content")
    require_digest(file, hashlib.sha256(b"content").hexdigest())
    with pytest.raises(ArchiveError, match="the download is damaged"):
        require_digest(file, hashlib.sha256(b"other").hexdigest())


def test_progress_counts_the_unfinished_file_and_outlives_its_lock(tmp_path: Path) -> None:
    archive = tmp_path / "a.zip"
    assert count_fetched_bytes(archive) == 0
    (tmp_path / "a.zip.part").write_bytes(b"12345")
    # listed, but gone when it is looked at, as the lock of a file that has just arrived
    (tmp_path / "a.zip.part.lock").symlink_to(tmp_path / "gone")
    assert count_fetched_bytes(archive) == 5
