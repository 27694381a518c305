"""Small files that expand or unpack without end are refused early, in one line."""

import gzip
import hashlib
import json
import resource
import shutil
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from citespan.pipelines.corpus.article import Article, Rejected
from citespan.pipelines.corpus.bibliographies.bibtex import parse_bibtex
from citespan.pipelines.corpus.reader import readers
from citespan.pipelines.corpus.references import ReferenceList
from citespan.pipelines.errors import InputError
from citespan.pipelines.ranking.model import load_model
from citespan.pipelines.ranking.ranker import SHIPPED
from citespan.pipelines.reformulation.background import read
from citespan.pipelines.text.splitter import split_article, splitters
from citespan.pipelines.vocabulary.reader import vocabulary_readers

WORD = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"


@pytest.fixture(autouse=True)
def _bounded() -> Iterator[None]:
    """End a test by MemoryError where it takes 2 GB more than there are."""
    before = resource.getrlimit(resource.RLIMIT_AS)
    pages = int(Path("/proc/self/statm").read_text().split()[0])
    resource.setrlimit(resource.RLIMIT_AS, (pages * resource.getpagesize() + 2 * 2**30, before[1]))
    yield
    resource.setrlimit(resource.RLIMIT_AS, before)


def test_bibtex_abbreviations_that_double() -> None:
    doubled = "".join(f"@string{{a{n} = a{n - 1} # a{n - 1}}}\n" for n in range(1, 40))
    found = ReferenceList.of(
        parse_bibtex('@string{a0 = "abcdefghij"}\n' + doubled + "@a{x, title = a39}", "a.bib")
    )
    assert [reference.key for reference in found.references] == ["x"]
    assert any("a value of more than 100,000 characters" in problem for problem in found.problems)


def test_bibtex_abbreviations_that_are_used_often() -> None:
    entries = "".join(f"@a{{x{n}, title = long}}\n" for n in range(1_000))
    found = ReferenceList.of(
        parse_bibtex(f'@string{{long = "{"a" * 99_000}"}}\n{entries}', "a.bib")
    )
    assert len(found.references) < 300
    assert any("uses abbreviations that are too long" in problem for problem in found.problems)


def test_docx_of_paragraphs_alone(tmp_path: Path) -> None:
    file = tmp_path / "a.docx"
    body = "<w:p/>" * 2_500_001
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(
            "word/document.xml",
            f'<w:document xmlns:w="{WORD}"><w:body>{body}</w:body></w:document>',
        )
    [rejected] = readers["docx"].read(file)
    assert isinstance(rejected, Rejected)
    assert "more than 2,500,000 tags and attributes" in rejected.reason


@pytest.mark.parametrize(("name", "before"), [("a.txt", ""), ("a.jsonl", '{"id":"a","text":"')])
def test_text_larger_than_any(name: str, before: str, tmp_path: Path) -> None:
    file = tmp_path / name
    file.write_text(before + "A b. " * 5_000_000)
    [rejected] = readers["text" if name == "a.txt" else "jsonl"].read(file)
    assert isinstance(rejected, Rejected)
    assert "20 MB; split it" in rejected.reason


def test_more_full_stops_than_any_article_has() -> None:
    with pytest.raises(InputError, match="400,000 full stops and lines"):
        split_article(Article("a", "", "A b. " * 400_000, "a"), splitters["punkt"])


def test_references_without_end(tmp_path: Path) -> None:
    file = tmp_path / "a.jsonl"
    file.write_text(json.dumps({"id": "a", "text": "A b.", "references": ["a"] * 60_000}))
    [article] = readers["jsonl"].read(file)
    assert isinstance(article, Article)
    assert len(article.references) == 50_000
    assert article.reference_list.problems == ("more than 50,000 references; the rest is left out",)


def _gzip_large(file: Path, before: bytes) -> None:
    with gzip.open(file, "wb", 1) as packed:
        packed.write(before)
        for _ in range(600):
            packed.write(b"a" * 10**6)


def test_a_line_of_a_vocabulary(tmp_path: Path) -> None:
    file = tmp_path / "a.obo.gz"
    _gzip_large(file, b"format-version: 1.2\n\n[Term]\nid: A:1\nname: ")
    with pytest.raises(InputError, match=r"a\.obo\.gz: a line of more than 1,000,000 bytes"):
        list(vocabulary_readers["obo"].terms(file))


def test_a_table_of_document_frequencies(tmp_path: Path) -> None:
    file = tmp_path / "a.json.gz"
    _gzip_large(file, b'{"a":"')
    with pytest.raises(InputError, match=r"a\.json\.gz: larger than 30 MB when unpacked"):
        read(file)


def test_counts_of_a_ranker(tmp_path: Path) -> None:
    folder = tmp_path / "ranker"
    shutil.copytree(SHIPPED / "evidence", folder)
    _gzip_large(folder / "terms.json.gz", b'{"a":"')
    head = json.loads((folder / "ranker.json").read_bytes())
    data = (folder / "terms.json.gz").read_bytes()
    head["sha256"]["terms.json.gz"] = hashlib.sha256(data).hexdigest()
    (folder / "ranker.json").write_text(json.dumps(head))
    with pytest.raises(InputError, match=r"terms\.json\.gz: larger than 30 MB when unpacked"):
        load_model(folder)


def test_a_ranker_whose_file_is_a_device(tmp_path: Path) -> None:
    folder = tmp_path / "ranker"
    shutil.copytree(SHIPPED / "evidence", folder)
    (folder / "terms.json.gz").unlink()
    (folder / "terms.json.gz").symlink_to("/dev/zero")
    with pytest.raises(InputError, match="not a file in the folder of a ranker"):
        load_model(folder)


def test_a_ranker_reads_only_files_that_it_knows(tmp_path: Path) -> None:
    folder = tmp_path / "ranker"
    shutil.copytree(SHIPPED / "evidence", folder)
    head = json.loads((folder / "ranker.json").read_bytes())
    head["sha256"]["/dev/zero"] = "0"
    (folder / "ranker.json").write_text(json.dumps(head))
    assert load_model(folder).name
