"""`citespan background build` on files."""

import json
from pathlib import Path

import pytest
from click.testing import Result
from places import SHARED_DATA
from typer.testing import CliRunner

from citespan.cli.text_models import background as app
from citespan.pipelines.errors import InputError
from citespan.pipelines.reformulation.background import read, read_shipped


def build(*arguments: str | Path) -> Result:
    return CliRunner().invoke(app, ["build", *map(str, arguments)])


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    folder = tmp_path / "corpus"
    folder.mkdir()
    (folder / "a.txt").write_text("Rats eat corn.\n\nMice eat.", encoding="utf-8")
    (folder / "b.txt").write_text("Rats sleep.", encoding="utf-8")
    return folder


def test_a_folder(corpus: Path, tmp_path: Path) -> None:
    made = []
    for name in ("one", "two"):
        to = tmp_path / name
        done = build(corpus, "--format", "text", "--out", to, "--licence", "ours", "--json")
        assert done.exit_code == 0, done.output
        assert json.loads(done.stdout) == {
            "corpus": "corpus",
            "documents": 2,
            "terms": 5,
            "occurrences": 7,
            "out": str(to),
            "skipped": [],
            "quarantined": [],
        }
        made.append(to.read_bytes())
    assert made[0] == made[1]
    table = read(tmp_path / "one")
    assert table.counts["rat"] == (2, 2)
    assert table.licence == "ours"


def test_rare_terms_left_out(corpus: Path, tmp_path: Path) -> None:
    to = tmp_path / "table"
    done = build(corpus, "--format", "text", "--out", to, "--min-documents", "2")
    assert done.exit_code == 0, done.output
    assert done.stdout == f"2 documents: 1 term, 7 occurrences written to {to}\n"
    assert read(to).counts == {"rat": (2, 2)}


def test_a_corpus_too_small_for_keywords_is_reported(corpus: Path, tmp_path: Path) -> None:
    small = build(corpus, "--format", "text", "--out", tmp_path / "small")
    assert "too small for keywords, which needs 13 documents or more" in small.stderr
    for number in range(11):
        (corpus / f"more-{number}.txt").write_text("Rats dream.", encoding="utf-8")
    large = build(corpus, "--format", "text", "--out", tmp_path / "large")
    assert large.stderr == ""


def test_what_cannot_be_read_is_told_and_counted(corpus: Path, tmp_path: Path) -> None:
    (corpus / "c.txt").write_bytes(b"\xff\xfe\xff")
    (corpus / "d.txt").write_text(" ", encoding="utf-8")
    done = build(corpus, "--format", "text", "--out", tmp_path / "table", "--json")
    assert done.exit_code == 1
    told = json.loads(done.stdout)
    assert told["documents"] == 2
    assert [Path(file["path"]).name for file in told["quarantined"]] == ["c.txt"]
    assert [Path(file["path"]).name for file in told["skipped"]] == ["d.txt"]
    assert "quarantined: " in done.stderr
    assert "skipped: " in done.stderr


def test_a_corpus_of_which_nothing_can_be_read_is_told(tmp_path: Path) -> None:
    broken = tmp_path / "broken.txt"
    broken.write_bytes(b"\xff\xfe\xff")
    done = build(broken, "--format", "text", "--out", tmp_path / "table")
    assert isinstance(done.exception, InputError)
    assert str(done.exception).startswith("broken.txt: no document with a word in it")
    assert f"quarantined: {broken}: " in done.stderr
    assert not (tmp_path / "table").exists()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((), "nothing to count; give files or folders, or --from-index"),
        (("gone.txt",), "gone.txt: no such file or folder"),
    ],
)
def test_nothing_given(tmp_path: Path, arguments: tuple[str, ...], message: str) -> None:
    done = build(*arguments, "--out", tmp_path / "table")
    assert isinstance(done.exception, InputError)
    assert message in str(done.exception)


def test_a_place_that_cannot_be_written_is_told_first(corpus: Path, tmp_path: Path) -> None:
    for place in (tmp_path, tmp_path / "gone" / "table"):
        done = build(corpus, "--format", "text", "--out", place)
        assert isinstance(done.exception, InputError)
        assert str(done.exception).startswith(f"{place}: can't be written")


@pytest.mark.skipif(not SHARED_DATA.is_dir(), reason="../shared/data is not here")
def test_the_shipped_biomedical_table_can_be_built_again(tmp_path: Path) -> None:
    to = tmp_path / "table"
    table = read_shipped("biomedical")
    corpora = (SHARED_DATA / "craft/train/nxml", SHARED_DATA / "pubmedqa/train.json")
    done = build(*corpora, "--out", to, "--corpus", table.corpus, "--licence", table.licence)
    assert done.exit_code == 0, done.output
    assert to.read_bytes() == table.to_bytes()
