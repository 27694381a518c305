"""`--delete-missing` deletes only what the load has looked for in its place and not found.

By the command line and the documents on the server, of this version or of another
(`tests/support/command_line.py`).
"""

import io
import json
import subprocess
import tarfile
from collections.abc import Iterable
from pathlib import Path

import pytest
from command_line import run
from elasticsearch import Elasticsearch
from real_node import empty_node
from small_loads import line

CATALOGUE = "citespan-articles"
LAYOUTS = pytest.mark.parametrize("layout", ["sentences", "spans"])
JATS = (
    "<article><front><article-meta><article-id pub-id-type='pmc'>{0}</article-id></article-meta>"
    "</front><body><sec><p>The kinase binds {0}. It lets go.</p></sec></body></article>"
)


@pytest.fixture(autouse=True)
def empty(es: Elasticsearch) -> None:
    """Each begins on an empty node."""
    empty_node(es)


def index(*arguments: object, status: int = 0) -> subprocess.CompletedProcess[str]:
    done = run("index", *arguments)
    assert done.returncode == status, done.stderr
    return done


def loaded(es: Elasticsearch) -> set[str]:
    es.indices.refresh(index=CATALOGUE)
    hits = es.search(index=CATALOGUE, size=1000)["hits"]["hits"]
    return {hit["_source"]["article"] for hit in hits}


def write_list(file: Path, names: Iterable[str]) -> None:
    file.write_text("\n".join(line(name, 2) for name in names))


def write_archive(file: Path, numbers: Iterable[int]) -> None:
    with tarfile.open(file, "w") as tar:
        for number in numbers:
            text = JATS.format(number).encode()
            header = tarfile.TarInfo(f"PMC{number}.xml")
            header.size = len(text)
            tar.addfile(header, io.BytesIO(text))


@LAYOUTS
@pytest.mark.parametrize("format_", ["jats", "text", "jsonl", "tei"])
def test_lists_and_archives_that_another_format_skips_keep_their_articles(
    es: Elasticsearch, tmp_path: Path, layout: str, format_: str
) -> None:
    write_list(tmp_path / "a.jsonl", [f"l-{number}" for number in range(5)])
    write_archive(tmp_path / "t.tar", range(880_000, 880_003))
    index(tmp_path, "--layout", layout)
    before = loaded(es)
    assert len(before) == 8
    for number in range(3):
        (tmp_path / f"PMC{number}.nxml").write_text(JATS.format(f"PMC77{number}"))
    run("index", tmp_path, "--layout", layout, "--format", format_, "--delete-missing")
    assert loaded(es) >= before


@LAYOUTS
def test_what_is_not_in_an_archive_or_list_any_more_is_deleted(
    es: Elasticsearch, tmp_path: Path, layout: str
) -> None:
    write_list(tmp_path / "a.jsonl", [f"l-{number}" for number in range(10)])
    write_archive(tmp_path / "t.tar", range(880_000, 880_010))
    (tmp_path / "sub").mkdir()
    write_list(tmp_path / "sub" / "b.jsonl", ["sub-0"])
    index(tmp_path, "--layout", layout)
    before = loaded(es)
    assert len(before) == 21
    write_archive(tmp_path / "t.tar", range(880_000, 880_009))
    (tmp_path / "sub" / "b.jsonl").unlink()
    (tmp_path / "sub").rmdir()
    index(tmp_path, "--layout", layout, "--delete-missing")
    assert before - loaded(es) == {"PMC880009", "sub-0"}


@LAYOUTS
def test_two_machines_with_different_files_under_one_path(
    es: Elasticsearch, tmp_path: Path, layout: str
) -> None:
    """Each mounts its own files at the same place, and names them."""
    for name in ("one", "other"):
        (tmp_path / name).mkdir()
        for number in range(5):
            write_list(tmp_path / name / f"{number}.jsonl", [f"{name}-{number}"])
    volume = tmp_path / "volume"
    for name in ("one", "other", "one"):
        (tmp_path / name).rename(volume)
        index(volume, "--layout", layout, "--delete-missing", "--corpus", name)
        volume.rename(tmp_path / name)
    assert loaded(es) == {f"{name}-{number}" for name in ("one", "other") for number in range(5)}
    [source] = es.get(index=CATALOGUE, id="one-3")["_source"]["source"]
    assert (source["corpus"], source["unit"]) == ("one", f"{volume}/3.jsonl")
    (tmp_path / "one").rename(volume)
    (volume / "3.jsonl").unlink()
    index(volume, "--layout", layout, "--delete-missing", "--corpus", "other", status=2)
    index(volume, "--layout", layout, "--delete-missing", "--corpus", "one", "--yes")
    assert "one-3" not in loaded(es)


@LAYOUTS
def test_an_empty_mount_point_deletes_nothing_without_yes(
    es: Elasticsearch, tmp_path: Path, layout: str
) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    for number in range(8):
        write_list(folder / f"{number}.jsonl", [f"mounted-{number}"])
    index(folder, "--layout", layout, "--corpus", "c")
    for number in range(8):
        (folder / f"{number}.jsonl").unlink()
    write_list(folder / "lost+found.jsonl", ["new"])
    arguments = (folder, "--layout", layout, "--delete-missing", "--corpus", "c", "--json")
    refused = index(*arguments, status=2)
    report = json.loads(refused.stdout)
    assert (report["indexed"], report["deleted"]) == (1, 0)
    assert (report["missing"]["articles"], report["missing"]["of"]) == (8, 9)
    [told] = refused.stderr.splitlines()
    assert f"would delete 8 of 9 articles of the corpus 'c' below {folder}" in told
    assert "--yes" in told
    assert len(loaded(es)) == 9
    done = index(*arguments, "--yes")
    assert json.loads(done.stdout)["deleted"] == 8
    assert "8 of 9 articles" in done.stderr
    assert loaded(es) == {"new"}
