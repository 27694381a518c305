"""Archives as they come: whole, cut off anywhere, damaged, with names that mean harm."""

import gzip
import io
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from citespan.pipelines.corpus.article import Article, Rejected
from citespan.pipelines.corpus.files import source_of
from citespan.pipelines.corpus.reader import read_all, read_in_turn
from citespan.pipelines.corpus.readers.text import TextReader
from citespan.pipelines.errors import MachineError
from citespan.pipelines.indexing.reading import archive
from citespan.pipelines.indexing.reading.archive import count_members, find_in_archive

_MEMBER = 512 + 2560  # header and content, in blocks
FILES = {f"PMC00/PMC{n}.xml": f"text {n} ".encode() * 300 for n in range(8)}


def read(path: Path) -> Iterator[Article | Rejected]:
    """An article of a file's text; the path is known only for as long as it is read."""
    yield Article(path.stem, "", path.read_text(), str(path))


def read_archive(
    file: Path, read: Callable[[Path], Iterator[Article | Rejected]]
) -> Iterator[Article | Rejected]:
    return read_all(find_in_archive(file, lambda path, _: read_in_turn(str(path), read(path))))


def packed(folder: Path, files: dict[str, bytes], name: str = "some.tar.gz") -> Path:
    file = folder / name
    with tarfile.open(file, "w:gz" if name.endswith("gz") else "w") as tar:
        for member, data in files.items():
            header = tarfile.TarInfo(member)
            header.size = len(data)
            tar.addfile(header, io.BytesIO(data))
    return file


def peak_of_reading(file: Path) -> int:
    """The most bytes of Python that reading the members of an archive needs: in a process of its
    own, since the threads that other tests have left in this one allocate too."""
    script = (
        "import sys, tracemalloc\n"
        "from pathlib import Path\n"
        "from citespan.pipelines.indexing.reading.archive import BROKEN, members_of\n"
        "tracemalloc.start()\n"
        "try:\n"
        "    for member in members_of(Path(sys.argv[1])):\n"
        "        pass\n"
        "except BROKEN:\n"
        "    pass\n"
        "print(tracemalloc.get_traced_memory()[1])\n"
    )
    command = [sys.executable, "-c", script, str(file)]
    return int(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


@pytest.mark.parametrize("name", ["some.tar.gz", "some.tgz", "some.TAR"])
def test_members_are_read_in_order_by_their_names(tmp_path: Path, name: str) -> None:
    file = packed(tmp_path, FILES, name)
    found = list(read_archive(file, read))
    assert [reading.source for reading in found] == [f"{file}!{member}" for member in FILES]
    assert [reading.text for reading in found if isinstance(reading, Article)] == [
        data.decode() for data in FILES.values()
    ]
    assert [reading.id for reading in found if isinstance(reading, Article)][:2] == ["PMC0", "PMC1"]


def test_names_lead_nowhere_and_links_are_not_followed(tmp_path: Path) -> None:
    file = tmp_path / "harm.tar"
    with tarfile.open(file, "w") as tar:
        for name in ("../../outside.xml", "/etc/passwd", "..", "x" * 300, "a/.hidden"):
            header = tarfile.TarInfo(name)
            header.size = 4
            tar.addfile(header, io.BytesIO(b"text"))
        for kind in (tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.FIFOTYPE, tarfile.DIRTYPE):
            header = tarfile.TarInfo("link")
            header.type, header.linkname = kind, "/etc/passwd"
            tar.addfile(header)
    found = list(read_archive(file, read))
    assert [reading.text for reading in found if isinstance(reading, Article)] == ["text"] * 3
    assert not (tmp_path.parent / "outside.xml").exists()


@settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(part=st.floats(0, 0.999), zipped=st.booleans())
def test_cut_off_anywhere_what_came_before_stays_and_the_end_is_told(
    tmp_path: Path, part: float, zipped: bool
) -> None:
    whole = packed(tmp_path, FILES, "whole.tar.gz" if zipped else "whole.tar")
    data = whole.read_bytes()
    # an uncompressed archive ends in empty blocks, of which none is needed
    used = len(data) if zipped else 8 * _MEMBER
    file = tmp_path / f"cut{whole.suffix if zipped else '.tar'}".replace("cut.gz", "cut.tar.gz")
    file.write_bytes(data[: int(part * used)])
    *before, last = read_archive(file, read)
    assert isinstance(last, Rejected)
    assert "can be read to its end" in last.reason
    assert [reading.text.encode() for reading in before if isinstance(reading, Article)] == list(
        FILES.values()
    )[: len(before)]


def test_a_damaged_header_is_told(tmp_path: Path) -> None:
    data = bytearray(packed(tmp_path, FILES, "whole.tar").read_bytes())
    data[3 * _MEMBER + 150] ^= 0xFF  # in the checksum of the fourth header
    (tmp_path / "damaged.tar").write_bytes(data)
    *before, last = read_archive(tmp_path / "damaged.tar", read)
    assert len(before) == 3
    assert isinstance(last, Rejected)
    assert last.reason.endswith("the 3 files before that are read")


def test_damaged_contents_are_told(tmp_path: Path) -> None:
    data = bytearray(packed(tmp_path, FILES).read_bytes())
    data[-6] ^= 0xFF  # in gzip's checksum
    (tmp_path / "damaged.tar.gz").write_bytes(data)
    *before, last = read_archive(tmp_path / "damaged.tar.gz", read)
    assert len(before) == 8
    assert isinstance(last, Rejected)


@pytest.mark.parametrize(
    "content",
    [b"", gzip.compress(b"", mtime=0), b"no archive at all" * 100],
    ids=["empty", "empty-inside", "no-archive"],
)
def test_what_is_no_archive_is_one_line(tmp_path: Path, content: bytes) -> None:
    file = tmp_path / "no.tar.gz"
    file.write_bytes(content)
    [only] = read_archive(file, read)
    assert isinstance(only, Rejected)
    assert "\n" not in only.reason


def test_an_archive_without_files_is_told(tmp_path: Path) -> None:
    [only] = read_archive(packed(tmp_path, {}), read)
    assert only == Rejected(str(tmp_path / "some.tar.gz"), "an archive without files")


@pytest.mark.parametrize("name", ["some.tar", "some.tar.gz"])
def test_members_are_counted_up_to_a_number_or_a_size(tmp_path: Path, name: str) -> None:
    file = packed(tmp_path, {f"{n}.txt": b"x" * 2_000 for n in range(9)} | {".no": b""}, name)
    assert count_members(file, 100, 10**6) == 9
    assert count_members(file, 9, 10**6) == count_members(file, 5, 10**6) + 4 == 9
    assert count_members(file, 100, 10_000) == 100
    file.write_bytes(file.read_bytes()[:-60])
    assert count_members(file, 100, 10**6) <= 9
    file.write_bytes(b"no archive")
    assert count_members(file, 100, 10**6) == 0


def test_a_member_that_is_too_large_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(archive, "MAX_BYTES", 2**20)
    file = packed(tmp_path, {"large.xml": b"x" * (2**20 + 1), "small.xml": b"y"})
    large, small = read_archive(file, read)
    assert isinstance(large, Rejected)
    assert (large.source, large.reason) == (f"{file}!large.xml", "larger than 1 MB; split it")
    assert isinstance(small, Article)


def headers(*members: tuple[bytes, str, bytes]) -> bytes:
    """The blocks of members of any type, each with its content."""
    blocks = b""
    for kind, name, data in members:
        header = tarfile.TarInfo(name)
        header.type, header.size = kind, len(data)
        blocks += header.tobuf() + data + bytes(-len(data) % 512)
    return blocks


def pax(*records: str) -> bytes:
    """The content of a PAX header."""
    written = b""
    for record in records:
        length = len(record) + 2
        length += len(str(length + len(str(length))))
        written += f"{length} {record}\n".encode()
    return written


FILE = (tarfile.REGTYPE, "file.xml", b"text")


@pytest.mark.parametrize("kind", [tarfile.XHDTYPE, tarfile.XGLTYPE, tarfile.GNUTYPE_LONGNAME])
def test_a_header_without_end_is_not_read_into_memory(tmp_path: Path, kind: bytes) -> None:
    header = tarfile.TarInfo("header")
    header.type, header.size = kind, 2**30
    data = headers(FILE) + header.tobuf() + bytes(8 * 2**20)
    file = tmp_path / "bomb.tar.gz"
    file.write_bytes(gzip.compress(data, 1))
    first, last = read_archive(file, read)
    assert isinstance(first, Article)
    assert isinstance(last, Rejected)
    assert "a header of 1,073,741,824 bytes; the 1 files before that are read" in last.reason
    assert peak_of_reading(file) < 4 * 2**20


def test_headers_without_end_before_one_file_are_told(tmp_path: Path) -> None:
    header = (tarfile.XHDTYPE, "header", pax(f"comment={'x' * 1000}"))
    (tmp_path / "many.tar").write_bytes(headers(FILE, *[header] * 2000, FILE))
    first, last = read_archive(tmp_path / "many.tar", read)
    assert isinstance(first, Article)
    assert isinstance(last, Rejected)
    assert "hundreds of headers before one file" in last.reason


def test_headers_for_all_files_do_not_add_up(tmp_path: Path) -> None:
    members = []
    for number in range(500):
        members.append((tarfile.XGLTYPE, "header", pax(f"key{number}={'x' * 30_000}")))
        members.append((tarfile.REGTYPE, f"{number}.xml", b"text"))
    (tmp_path / "many.tar").write_bytes(headers(*members) + bytes(1024))
    readings = read_archive(tmp_path / "many.tar", read)
    assert [isinstance(reading, Article) for reading in readings] == [True] * 500
    assert peak_of_reading(tmp_path / "many.tar") < 4 * 2**20


@pytest.mark.parametrize(
    "members",
    [
        [(tarfile.GNUTYPE_SPARSE, "sparse.xml", b"")],
        [
            (tarfile.XHDTYPE, "header", pax("GNU.sparse.major=1", "GNU.sparse.minor=0")),
            (tarfile.REGTYPE, "sparse.xml", b"9999999\n" + b"1\n" * 5000),
        ],
    ],
    ids=["gnu", "pax"],
)
def test_the_map_of_a_sparse_file_is_not_read(
    tmp_path: Path, members: list[tuple[bytes, str, bytes]]
) -> None:
    (tmp_path / "sparse.tar").write_bytes(headers(FILE, *members))
    first, last = read_archive(tmp_path / "sparse.tar", read)
    assert isinstance(first, Article)
    assert isinstance(last, Rejected)
    assert "a sparse file, whose map may be of any length; pack it as a plain one" in last.reason


def test_a_temporary_folder_that_takes_nothing_is_no_fault_of_the_archive(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "nowhere"))
    with pytest.raises(MachineError, match="no temporary file can be written there .*set TMPDIR"):
        list(read_archive(packed(tmp_path, FILES), read))


def test_of_files_of_one_name_the_last_counts_as_tar_means_it(tmp_path: Path) -> None:
    file = packed(tmp_path, {"a.txt": b"old", "b.txt": b"other"}, "some.tar")
    with tarfile.open(file, "a") as tar:  # as `tar --append` does
        for text in (b"newer", b"newest"):
            header = tarfile.TarInfo("a.txt")
            header.size = len(text)
            tar.addfile(header, io.BytesIO(text))
    found = list(read_archive(file, read))
    assert [reading.text for reading in found if isinstance(reading, Article)] == [
        "other",
        "newest",
    ]


def test_a_file_whose_name_is_not_utf8_is_named_by_its_archive(tmp_path: Path) -> None:
    name = b"caf\xe9.txt".decode("utf-8", "surrogateescape")
    file = packed(tmp_path, {name: b"text", "b.txt": b"text"}, "some.tar")
    first, second = read_all(
        find_in_archive(
            file, lambda path, _: read_in_turn(source_of(path), TextReader().read(path))
        )
    )
    assert isinstance(first, Rejected)
    assert (first.source, second.source) == (f"{file}!caf\\xe9.txt", f"{file}!b.txt")
    assert "not UTF-8" in first.reason
