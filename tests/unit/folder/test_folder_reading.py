"""What is read of a folder of articles, and kept: each file is read once, until it changes."""

import json
import os
import sqlite3
import subprocess
import sys
import zlib
from pathlib import Path

import misbehaving_reader
import pytest
from made_medline import citation, medline

from citespan.library import articles, open_folder
from citespan.pipelines.errors import CitespanError, InputError
from citespan.pipelines.folder import reading
from citespan.pipelines.folder.kept import KeptArticles
from citespan.pipelines.folder.reading import open_kept, read_folder, select_entries
from citespan.pipelines.indexing.report import LoadReport

YEAST = "Yeast grows on sugar. Nobody fed it bread."


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "articles"
    folder.mkdir()
    return folder


def write(folder: Path, name: str, *texts: str) -> Path:
    """Write a file of JSON Lines with an article for each text."""
    stem = name.partition(".")[0]
    numbers = [""] if len(texts) == 1 else map(str, range(len(texts)))
    rows = [{"id": f"{stem}{n}", "text": text} for n, text in zip(numbers, texts, strict=True)]
    file = folder / name
    file.write_text("\n".join(map(json.dumps, rows)))
    return file


def read(folder: Path) -> tuple[LoadReport, list[str]]:
    """Read a folder; return the report, and the ids of its articles. All inputs are counted."""
    kept = open_kept(folder, folder.parent / "cache")
    try:
        report = read_folder(folder, kept, 1)
        entries, _ = select_entries(kept)
        articles = [str(entry.source["article"]) for entry in entries]
    finally:
        kept.close()
    rejected = len(report.skipped) + len(report.quarantined)
    assert report.inputs == report.articles + report.unchanged + rejected
    assert len(articles) == report.articles + report.unchanged
    return report, articles


def test_only_what_is_new_or_has_changed_is_read_again(folder: Path) -> None:
    write(folder, "a.jsonl", YEAST)
    write(folder, "b.jsonl", YEAST, YEAST)
    report, articles = read(folder)
    assert (report.indexed, articles) == (3, ["a", "b0", "b1"])

    report, _ = read(folder)
    assert (report.indexed, report.replaced, report.unchanged) == (0, 0, 3)

    write(folder, "a.jsonl", "Bread rises slowly.")
    write(folder, "c.jsonl", YEAST)
    (folder / "b.jsonl").unlink()
    report, articles = read(folder)
    assert (report.indexed, report.replaced, report.unchanged, report.missing) == (1, 1, 0, 2)
    assert articles == ["a", "c"]

    kept = open_kept(folder, folder)
    [number] = [entry.number for entry in select_entries(kept)[0] if entry.source["article"] == "a"]
    assert [document["text"] for document in kept.read_documents(number)] == ["Bread rises slowly."]
    assert kept.read_occurrences("bread") == [(number, 1), (number + 1, 1)]
    kept.close()


def test_files_that_are_no_articles_are_told_each_time_and_cost_no_other(folder: Path) -> None:
    write(folder, "a.jsonl", YEAST)
    (folder / "b.xml").write_text("<article><front>")
    (folder / "c.jpg").write_bytes(b"\xff\xd8\xff")
    (folder / "d.bib").write_text("@article{a, title = {Yeast}}")
    (folder / "e.xml").write_bytes(medline([citation(7)]))
    for _ in range(2):
        report, articles = read(folder)
        assert articles == ["a"]
        [broken] = report.quarantined
        assert broken.source == f"{folder}/b.xml"
        assert broken.reason
        told = {Path(skipped.source).name[:5]: skipped.reason for skipped in report.skipped}
        assert "of no known format" in told.pop("c.jpg")
        assert told.pop("d.bib").startswith("a library; ")
        assert told.pop("e.xml").startswith("an abstract; ")
        assert not told


def test_an_article_is_found_in_its_other_file_once_the_first_is_gone(folder: Path) -> None:
    write(folder, "a.jsonl", YEAST)
    (folder / "b.jsonl").write_bytes((folder / "a.jsonl").read_bytes())
    report, articles = read(folder)
    assert articles == ["a"]
    [second] = report.quarantined
    assert second.reason == f"has the id 'a' of {folder}/a.jsonl:1; give it another"

    (folder / "a.jsonl").unlink()
    report, articles = read(folder)
    assert (report.unchanged, report.quarantined, articles) == (1, [], ["a"])


def test_a_file_that_takes_too_long_costs_no_other(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTHONPATH", misbehaving_reader.install(tmp_path))
    code = (
        "import sys; from pathlib import Path; from citespan.pipelines.limits import Limits\n"
        "from citespan.pipelines.folder.reading import open_kept, read_folder\n"
        "folder = Path(sys.argv[1]); kept = open_kept(folder, folder)\n"
        "report = read_folder(folder, kept, 1, Limits(seconds=2))\n"
        "print(report.indexed, *(one.reason for one in report.quarantined), sep='\\n')"
    )
    for number, text in enumerate(["A sentence.", "hang", "A sentence."]):
        (folder / f"file-{number}.badfile").write_text(text)
    command = [sys.executable, "-c", code, str(folder)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout.splitlines() == ["2", "took longer than 2 s"]


def test_what_another_version_has_kept_is_read_again(folder: Path) -> None:
    write(folder, "a.jsonl", YEAST)
    read(folder)
    with sqlite3.connect(folder.with_name("articles.citespan")) as other:
        other.execute("UPDATE made_by SET version = 'another'")
        other.execute("ALTER TABLE units RENAME TO entities")
    report, articles = read(folder)
    assert (report.indexed, articles) == (1, ["a"])


def test_a_damaged_file_is_made_anew(folder: Path) -> None:
    write(folder, "a.jsonl", YEAST)
    read(folder)
    kept = folder.with_name("articles.citespan")
    head = kept.read_bytes()[:100]
    kept.write_bytes(head + b"damaged" * 1000)
    report, articles = read(folder)
    assert (report.indexed, articles) == (1, ["a"])


def test_damage_that_is_met_later_is_one_line_with_the_remedy(folder: Path) -> None:
    write(folder, "a.jsonl", YEAST)
    read(folder)
    kept = KeptArticles(folder.with_name("articles.citespan"))
    with sqlite3.connect(kept.file) as other:
        other.execute("UPDATE articles SET documents = x'00'")
    [entry], _ = select_entries(kept)
    with pytest.raises(CitespanError, match=r"articles\.citespan: damaged .* delete it"):
        kept.read_documents(entry.number)
    with sqlite3.connect(kept.file) as other:
        bomb = zlib.compress(b'["' + b" " * 10**8)
        other.execute("UPDATE articles SET documents = ?", (bomb,))
    with pytest.raises(CitespanError, match="damaged"):
        kept.read_documents(entry.number)
    kept.close()


def test_a_file_of_somebody_else_is_left_alone(folder: Path) -> None:
    other = folder.with_name("articles.citespan")
    other.write_text("notes of mine")
    with pytest.raises(InputError, match="is something else; rename it"):
        open_kept(folder, folder)
    assert other.read_text() == "notes of mine"


def test_what_can_not_be_kept_beside_is_kept_in_the_cache_or_not_at_all(folder: Path) -> None:
    write(folder, "a.jsonl", YEAST)
    folder.with_name("articles.citespan").mkdir()  # so that no file can be there
    report, _ = read(folder)
    assert report.indexed == 1
    report, _ = read(folder)
    assert report.unchanged == 1
    [in_cache] = (folder.parent / "cache" / "folders").iterdir()
    assert in_cache.name.endswith(".citespan")

    in_cache.unlink()
    in_cache.mkdir()
    for _ in range(2):
        report, articles = read(folder)
        assert (report.indexed, articles) == (1, ["a"])
    kept = open_kept(folder, folder.parent / "cache")
    assert kept.description.startswith("not kept, since")
    kept.close()
    assert not kept.file.exists()


def test_a_folder_without_articles_or_with_too_many_is_one_line(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(InputError, match="no article in it"):
        open_folder(folder)
    with pytest.raises(InputError, match="no folder of articles"):
        read(folder / "gone")
    monkeypatch.setattr(reading, "MOST_ARTICLES", 2)
    write(folder, "a.jsonl", YEAST, YEAST)
    (folder / "b.jpg").write_bytes(b"\xff\xd8\xff")
    read(folder)
    write(folder, "a.jsonl", YEAST, "Bread rises slowly.")
    assert read(folder)[1] == ["a0", "a1"]
    for name, texts in (("a.jsonl", [YEAST] * 3), ("c.jsonl", [YEAST])):
        write(folder, name, *texts)
        with pytest.raises(InputError, match=r"more than 2 articles.*citespan node up"):
            read(folder)
        write(folder, "a.jsonl", YEAST, YEAST)


def test_a_client_sees_what_is_added_to_its_folder(folder: Path) -> None:
    write(folder, "a.jsonl", YEAST)
    client, _ = open_folder(folder)
    assert [article.article for article in articles(client=client)] == ["a"]
    write(folder, "b.jsonl", YEAST)
    assert open_folder(folder)[0] is client
    assert [article.article for article in articles(client=client)] == ["a", "b"]
    other = open_kept(folder, folder)
    other.forget("a.jsonl")
    other.close()
    assert [article.article for article in articles(client=client)] == ["b"]


def test_two_processes_at_once_keep_the_same(folder: Path) -> None:
    for number in range(12):
        write(folder, f"file-{number:02}.jsonl", *[f"{YEAST} It is number {number}."] * 3)
    code = (
        "import sys; from pathlib import Path\n"
        "from citespan.pipelines.folder.reading import open_kept, read_folder\n"
        "folder = Path(sys.argv[1]); report = read_folder(folder, open_kept(folder, folder), 1)\n"
        "print(report.articles + report.unchanged, report.quarantined)"
    )
    command = [sys.executable, "-c", code, str(folder)]
    both = [
        subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=os.environ)
        for _ in range(2)
    ]
    assert [process.communicate()[0] for process in both] == ["36 []\n"] * 2
    report, articles = read(folder)
    assert (report.unchanged, len(set(articles))) == (36, 36)
