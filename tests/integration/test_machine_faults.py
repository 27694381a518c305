"""Faults of this machine: they end a load with exit status 3, and no input is quarantined."""

import os
import resource
import shutil
import subprocess
import sys
import tarfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from elasticsearch import Elasticsearch
from made_medline import citation, medline
from made_vocabularies import vocabulary
from places import ROOT
from small_loads import line

from citespan.es_mappings import loads
from citespan.pipelines.corpus.readers.jsonl import JsonlReader
from citespan.pipelines.errors import MachineError
from citespan.pipelines.vocabulary.store_format import trie_name
from citespan.pipelines.vocabulary.terms import VocabularyTerm

_SMALL = 2**20


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A folder that takes a megabyte."""
    folder = tmp_path / "small"
    folder.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", f"size={_SMALL}", "none", str(folder)]
    if subprocess.run(mount, capture_output=True, check=False).returncode:
        pytest.skip("file systems can't be mounted here")
    yield folder
    subprocess.run(["umount", str(folder)], check=True)


def index(*arguments: str | Path, status: int = 3, **environment: str) -> str:
    """Load; what it complains of in its one line."""
    done = subprocess.run(
        [sys.executable, "-P", "-m", "citespan.cli.main", "index", *arguments],
        env=os.environ | environment,
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    assert done.returncode == status, done.stdout + done.stderr
    complaint = done.stderr.rstrip().rpartition("\n")[2]
    assert complaint.startswith("citespan: ")
    assert "Traceback" not in done.stderr
    assert not done.stdout
    return complaint


def count_loads(es: Elasticsearch) -> int:
    """How many loads have ended with a report, in which what is quarantined would be."""
    es.indices.refresh(index=loads.INDEX, ignore_unavailable=True)
    return int(es.count(index=loads.INDEX, ignore_unavailable=True)["count"])


@pytest.fixture(autouse=True)
def no_load_ends(es: Elasticsearch) -> Iterator[None]:
    before = count_loads(es)
    yield
    assert count_loads(es) == before


def write_archive(folder: Path) -> Path:
    """An archive of an article of two megabytes."""
    article = folder / "large.jsonl"
    article.write_text(line("large", 3)[:-1] + ', "unused": "' + "x" * 2 * _SMALL + '"}')
    archive = folder / "archive.tar.gz"
    with tarfile.open(archive, "w:gz") as tar:
        tar.add(article, "large.jsonl")
    return archive


@pytest.mark.parametrize("processes", ["0", "2"])
def test_no_room_for_temporary_files(tmp_path: Path, small_disk: Path, processes: str) -> None:
    archive = write_archive(tmp_path)
    complaint = index(archive, "--processes", processes, TMPDIR=str(small_disk))
    assert f"{small_disk}: no temporary file can be written there (No space left" in complaint
    assert "set TMPDIR to another folder" in complaint


def test_no_room_for_the_checkpoint(tmp_path: Path, small_disk: Path) -> None:
    (tmp_path / "articles.jsonl").write_text(line("roomless-0", 3))
    with (
        (small_disk / "full").open("wb", buffering=0) as file,
        pytest.raises(OSError, match="No space left"),
    ):
        while True:
            file.write(bytes(4096))
    checkpoint = small_disk / "checkpoint"
    complaint = index(tmp_path / "articles.jsonl", "--checkpoint", checkpoint)
    assert "make room for it" in complaint


@pytest.fixture(scope="module")
def damaged(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of citespan, for a test to damage."""
    folder = tmp_path_factory.mktemp("copy")
    leave = shutil.ignore_patterns("__pycache__")
    shutil.copytree(ROOT / "citespan", folder / "citespan", ignore=leave)
    return folder


def damage(file: Path) -> bytes:
    """Change one byte in the middle; return what was there."""
    content = file.read_bytes()
    middle = len(content) // 2
    file.write_bytes(content[:middle] + bytes([content[middle] ^ 0xFF]) + content[middle + 1 :])
    return content


@pytest.mark.parametrize("model", ["punkt-craft.json", "zones"])
def test_a_damaged_model(tmp_path: Path, damaged: Path, model: str) -> None:
    file = damaged / "citespan/pipelines/text/models" / model
    if model == "zones":
        file = damaged / "citespan/pipelines/answers/models/zones-pubmedqa/zones.crfsuite"
    if model == "punkt-craft.json":
        source = tmp_path / "articles.jsonl"
        source.write_text(line("unmodelled-0", 3))
    else:
        source = tmp_path / "abstracts.xml"
        source.write_bytes(medline([citation(1)]))
    before = damage(file)
    try:
        complaint = index(source, PYTHONPATH=str(damaged))
    finally:
        file.write_bytes(before)
    assert f"{file}: damaged; install citespan again" in complaint


def test_a_vocabulary_that_cannot_be_opened(tmp_path: Path) -> None:
    vocabulary(tmp_path / "v", [VocabularyTerm("C1", "nuclear receptor", "MSH", "PT", True, ())])
    trie = tmp_path / "v" / trie_name(0)
    trie.write_bytes(trie.read_bytes()[:16] + b"\xff" * (trie.stat().st_size - 16))
    (tmp_path / "articles.jsonl").write_text(line("wordless-0", 30))
    complaint = index(tmp_path / "articles.jsonl", "--vocabulary", tmp_path / "v", status=2)
    assert f"{tmp_path / 'v'}: the vocabulary is broken: {trie.name} can't be read" in complaint


def test_too_many_open_files(tmp_path: Path) -> None:
    files = [tmp_path / f"{number}.jsonl" for number in range(3)]
    for file in files:
        file.write_text(line(file.stem, 2))
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    reader = JsonlReader()
    taken = []
    try:
        resource.setrlimit(resource.RLIMIT_NOFILE, (256, hard))
        with pytest.raises(OSError, match="Too many open files"):
            while True:
                taken.append(files[0].open())
        with pytest.raises(MachineError, match="Too many open files; .*raise its limits"):
            list(reader.read(files[1]))
    finally:
        for file in taken:
            file.close()
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    assert len(list(reader.read(files[1]))) == 1
