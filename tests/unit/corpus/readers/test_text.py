"""Plain text: offsets in the file's own text, a title where there is one."""

import io
import sys
from pathlib import Path

import pytest

from citespan.pipelines.corpus.article import Article, Rejected, Section
from citespan.pipelines.corpus.readers.text import TextReader

STDIN = Path("-")


def read(path: Path) -> Article | Rejected:
    (reading,) = TextReader().read(path)
    return reading


def written(tmp_path: Path, data: bytes, name: str = "a.txt") -> Path:
    (tmp_path / name).write_bytes(data)
    return tmp_path / name


def test_line_ends_stay_and_the_byte_order_mark_goes(tmp_path: Path) -> None:
    reading = read(written(tmp_path, b"\xef\xbb\xbfTitle\r\n\r\nSome\r\ntext.\r\n"))
    assert isinstance(reading, Article)
    assert reading.text == "Title\r\n\r\nSome\r\ntext.\r\n"
    assert (reading.id, reading.title) == ("a", "Title")
    assert reading.sections == (Section("", 0, 5, "title"), Section("", 9, 20))


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("A title\n\nText.", "A title"),
        ("\n  A title \n \n\nText.", "A title"),
        ("A sentence.\n\nText.", ""),
        ("First line\nsecond line\n\nText.", ""),
        ("Only a line", ""),
        ("Only a line\n", ""),
        ("long " * 70 + "\n\nText.", ""),
        ("A title\n\n", "A title"),
        ("\x1d\n\n+", ""),
    ],
)
def test_the_first_line_is_a_title_if_it_looks_like_one(
    text: str, title: str, tmp_path: Path
) -> None:
    reading = read(written(tmp_path, text.encode()))
    assert isinstance(reading, Article)
    assert reading.title == title
    titles = [text[s.start : s.end] for s in reading.sections if s.kind == "title"]
    assert titles == [title] * bool(title)


@pytest.mark.parametrize(
    ("data", "outcome", "reason"),
    [
        (b"", "skipped", "no text"),
        (b"\xef\xbb\xbf \n", "skipped", "no text"),
        (b"\xef\xbb\xbf\xef\xbb\xbf", "skipped", "no text"),
        (b"fine\ncaf\xe9", "quarantined", "not UTF-8 at line 2, byte 8; convert it to UTF-8"),
        (b"a\nb\0", "quarantined", "not plain text: a NUL character at line 2"),
    ],
)
def test_bad_text_is_told_with_its_place(
    data: bytes, outcome: str, reason: str, tmp_path: Path
) -> None:
    reading = read(written(tmp_path, data))
    assert isinstance(reading, Rejected)
    assert (reading.outcome, reading.reason) == (outcome, reason)


def test_standard_input_is_one_article(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"Some text.")))
    assert TextReader().recognises(STDIN)
    assert list(TextReader().find(STDIN)) == [STDIN]
    reading = read(STDIN)
    assert isinstance(reading, Article)
    assert (reading.id, reading.source, reading.text) == ("stdin", "standard input", "Some text.")


def test_a_folder_of_other_things_is_not_recognised(tmp_path: Path) -> None:
    written(tmp_path, b"x")
    assert TextReader().recognises(tmp_path)
    written(tmp_path, b"x", "a.csv")
    assert not TextReader().recognises(tmp_path)
