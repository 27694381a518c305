"""A load passes over inputs whose bytes are those that were loaded, and over no other.

What a load passes over is seen by hashes of contents that are made wrong in the catalogue: an
article that is read differs from its hash and is replaced, one that is passed over is unchanged.
"""

import io
import json
import tarfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from command_line import run
from elasticsearch import Elasticsearch
from real_node import empty_node

CATALOGUE = "citespan-articles"
JATS = (
    "<article><front><article-meta><article-id pub-id-type='pmc'>{0}</article-id></article-meta>"
    "</front><body><sec><p>The kinase binds {0}. It lets go{1}.</p></sec></body></article>"
)
MEMBERS = {f"PMC{number}.xml": JATS.format(number, "") for number in range(880_000, 880_006)}


@pytest.fixture(autouse=True)
def empty(es: Elasticsearch) -> None:
    """Each begins on an empty node."""
    empty_node(es)


def index(*arguments: object, status: int = 0) -> dict[str, Any]:
    options = () if "--layout" in arguments else ("--layout", "sentences")
    done = run("index", *arguments, *options, "--json")
    assert done.returncode == status, done.stderr
    report: dict[str, Any] = json.loads(done.stdout)
    counted = (report[name] for name in ("indexed", "unchanged", "replaced"))
    rejected = len(report["skipped"]) + len(report["quarantined"])
    assert report["inputs"] == sum(counted) + rejected
    return report


def write_archive(file: Path, members: Mapping[str, str]) -> Path:
    with tarfile.open(file, "w:gz") as tar:
        for name, text in members.items():
            header = tarfile.TarInfo(name)
            header.size = len(text.encode())
            tar.addfile(header, io.BytesIO(text.encode()))
    return file


def forge_contents(es: Elasticsearch) -> None:
    script = {"source": "ctx._source.content = 'another'"}
    es.update_by_query(index=CATALOGUE, script=script, refresh=True)


@pytest.fixture
def loaded(es: Elasticsearch, tmp_path: Path) -> Path:
    """An archive whose members would be replaced if they were read."""
    file = write_archive(tmp_path / "pmc.tar.gz", MEMBERS)
    assert index(file)["indexed"] == len(MEMBERS)
    forge_contents(es)
    return file


def test_nothing_is_read_again(loaded: Path) -> None:
    report = index(loaded, "--processes", "2")
    assert (report["unchanged"], report["replaced"]) == (6, 0)
    assert index(loaded.parent, "--delete-missing")["deleted"] == 0


def test_members_that_have_changed_or_are_new_are_read(loaded: Path) -> None:
    changed = {
        **MEMBERS,
        "PMC880002.xml": JATS.format(880_002, " again"),
        "PMC880009.xml": JATS.format(880_009, ""),
    }
    report = index(write_archive(loaded, changed))
    assert (report["unchanged"], report["replaced"], report["indexed"]) == (5, 1, 1)
    found = json.loads(run("show", "PMC880002", "--json").stdout)
    assert "It lets go again." in json.dumps(found)


@pytest.mark.parametrize(
    "options",
    [("--longest", "2"), ("--layout", "spans"), ("--corpus", "other"), ("--format", "jats")],
)
def test_other_settings_read_all(loaded: Path, options: tuple[str, ...]) -> None:
    assert index(loaded, *options)["replaced"] == 6
    assert index(loaded, *options)["unchanged"] == 6


def test_a_rebuild_reads_all(loaded: Path) -> None:
    assert index(loaded, "--rebuild")["indexed"] == 6


def test_what_is_deleted_is_loaded_again(es: Elasticsearch, loaded: Path) -> None:
    assert run("delete", "PMC880001", "--yes").returncode == 0
    query = {"term": {"article": "PMC880003"}}
    es.delete_by_query(index="citespan-sentences", query=query, max_docs=1, refresh=True)
    report = index(loaded)
    assert (report["unchanged"], report["indexed"], report["replaced"]) == (4, 1, 1)
    assert index(loaded)["unchanged"] == 6


def test_an_article_in_two_archives(loaded: Path) -> None:
    double = write_archive(
        loaded.with_name("q.tar.gz"), {"PMC880002.xml": JATS.format(880_002, "")}
    )
    for _ in range(2):
        report = index(loaded, double, status=1)
        assert report["unchanged"] == 6
        [rejected] = report["quarantined"]
        assert rejected["path"] == f"{double}!PMC880002.xml"
    assert index(double)["replaced"] == 1  # it was read, and the forged hash is gone
    report = index(loaded, double, status=1)
    assert (report["unchanged"], report["replaced"]) == (6, 0)


def test_a_content_that_another_archive_has_replaced_comes_back(loaded: Path) -> None:
    changed = {"PMC880002.xml": JATS.format(880_002, " again")}
    other = write_archive(loaded.with_name("q.tar.gz"), changed)
    for archive, unchanged in ((other, 0), (loaded, 5), (other, 0)):
        report = index(archive)
        assert (report["unchanged"], report["replaced"]) == (unchanged, 1)


def test_a_member_with_several_articles_is_always_read(es: Elasticsearch, tmp_path: Path) -> None:
    articles = "".join(JATS.format(number, "") for number in range(880_000, 880_003))
    several = {"set.xml": f"<pmc-articleset>{articles}</pmc-articleset>"}
    file = write_archive(tmp_path / "pmc.tar.gz", several)
    assert index(file)["indexed"] == 3
    assert index(file)["unchanged"] == 3
    forge_contents(es)
    assert index(file)["replaced"] == 3


def test_files_are_passed_over_unless_they_name_others(es: Elasticsearch, tmp_path: Path) -> None:
    for name, text in MEMBERS.items():
        (tmp_path / name).write_text(text)
    written = tmp_path / "paper.md"
    written.write_text("---\ntitle: A\nbibliography: a.bib\n---\n\nThe kinase binds [@a].\n")
    (tmp_path / "a.bib").write_text("@article{a, title={First}, year={2001}}")
    index(tmp_path, "--format", "jats")
    index(written)
    forge_contents(es)
    (tmp_path / "PMC880004.xml").write_text(JATS.format(880_004, " again"))
    report = index(tmp_path, "--format", "jats")
    assert (report["unchanged"], report["replaced"]) == (5, 1)
    assert index(written)["replaced"] == 1


def test_more_members_than_are_looked_up_together(es: Elasticsearch, loaded: Path) -> None:
    more = {f"PMC{number}.xml": JATS.format(number, "") for number in range(881_000, 881_600)}
    write_archive(loaded, MEMBERS | more)
    first = index(loaded)
    assert (first["unchanged"], first["indexed"]) == (6, 600)
    forge_contents(es)
    assert index(loaded)["unchanged"] == 606
