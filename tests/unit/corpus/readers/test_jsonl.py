"""JSON Lines: the documented schema, line by line."""

import gzip
import io
import sys
from pathlib import Path
from typing import Any

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from citespan.pipelines.corpus.article import Article, Rejected, Sentence
from citespan.pipelines.corpus.reader import recognise
from citespan.pipelines.corpus.readers import jsonl
from citespan.pipelines.corpus.readers.jsonl import JsonlReader

STDIN = Path("-")


def read(path: Path) -> list[Article | Rejected]:
    return list(JsonlReader().read(path))


def one(tmp_path: Path, line: Any) -> Article | Rejected:
    (tmp_path / "a.jsonl").write_bytes(orjson.dumps(line) + b"\n")
    (result,) = read(tmp_path / "a.jsonl")
    assert result.source == f"{tmp_path / 'a.jsonl'}:1"
    return result


def test_a_bad_line_is_told_and_the_rest_goes_on(tmp_path: Path) -> None:
    file = tmp_path / "a.jsonl"
    file.write_bytes(
        b'\xef\xbb\xbf{"id": "a", "text": "A."}\n'
        b'\n{"id": "b", "text": }\r\n'
        b'["no object"]\n'
        b'{"id": "caf\xe9", "text": "x"}\n'
        b'{"id": "c", "text": " "}\n'
        b'{"id": "d", "text": "D."}'
    )
    got = read(file)
    assert [a.id for a in got if isinstance(a, Article)] == ["a", "d"]
    told = {r.source.rpartition(":")[2]: r for r in got if isinstance(r, Rejected)}
    assert sorted(told) == ["3", "4", "5", "6"]
    assert told["3"].reason.startswith("not JSON")
    assert told["4"].reason == "not a JSON object"
    assert told["5"].reason.startswith("not JSON")
    assert (told["6"].reason, told["6"].outcome) == ("no text", "skipped")


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ({"text": "x"}, '"id"'),
        ({"id": " ", "text": "x"}, '"id"'),
        ({"id": True, "text": "x"}, '"id"'),
        ({"id": "a", "text": 3}, '"text" is not a string'),
        ({"id": "a", "title": [], "text": "x"}, '"title" is not a string'),
        ({"id": "a", "text": "x", "paragraphs": ["y"]}, '"text" and "paragraphs"'),
        ({"id": "a", "paragraphs": "y"}, '"paragraphs" is not a list of strings'),
        ({"id": "a", "sections": {}}, '"sections" is not a list'),
        ({"id": "a", "sections": ["x"]}, "something else than objects"),
        ({"id": "a", "sections": [{"kind": "odd", "text": "x"}]}, '"kind"'),
        ({"id": "a", "text": "x", "also_known_as": [1]}, '"also_known_as"'),
        ({"id": "a", "paragraphs": ["x"], "sentences": [[0, 1]]}, '"text", which is missing'),
        ({"id": "a", "text": "x", "sentences": "0-1"}, '"sentences" is not a list'),
        ({"id": "a", "text": "x y", "sentences": [[0, 4]]}, "number 1"),
        ({"id": "a", "text": "x y", "sentences": [[2, 3], [0, 1]]}, "number 2"),
        ({"id": "a", "text": "x y", "sentences": [[0, "1"]]}, "number 1"),
        ({"id": "a", "text": "x y", "sentences": [[1, 2]]}, "blank"),
        ({"id": "a", "text": "x\n\ny", "sentences": [[0, 4]]}, "spans paragraphs"),
    ],
)
def test_what_does_not_fit_the_schema_is_named(
    line: dict[str, Any], reason: str, tmp_path: Path
) -> None:
    result = one(tmp_path, line)
    assert isinstance(result, Rejected)
    assert reason in result.reason
    assert result.outcome == "quarantined"


def test_white_space_at_the_ends_of_sentences_is_cut(tmp_path: Path) -> None:
    result = one(tmp_path, {"id": "a", "text": "One. Two. ", "sentences": [[0, 5], [5, 10]]})
    assert isinstance(result, Article)
    assert result.sentences == (Sentence(0, 4), Sentence(5, 9))


@given(text=st.text(min_size=1).filter(str.strip), title=st.text(), extra=st.text())
def test_text_comes_back_as_it_was(
    tmp_path_factory: pytest.TempPathFactory, text: str, title: str, extra: str
) -> None:
    line = {"id": "a", "title": title, "text": text, "unknown key": extra}
    result = one(tmp_path_factory.mktemp("jsonl"), line)
    assert isinstance(result, Article)
    assert result.text == text


def test_gzipped_lines_and_what_a_cut_leaves_of_them(tmp_path: Path) -> None:
    lines = b"".join(b'{"id": "%d", "text": "Text %d."}\n' % (n, n * n) for n in range(2000))
    packed = gzip.compress(lines)
    whole = tmp_path / "a.jsonl.gz"
    whole.write_bytes(packed)
    assert recognise(whole).name == "jsonl"
    assert len(read(whole)) == 2000
    cut = tmp_path / "b.jsonl.gz"
    cut.write_bytes(packed[: len(packed) // 2])
    got = read(cut)
    assert all(isinstance(a, Article) for a in got[:-1])
    assert isinstance(got[-1], Rejected)
    assert got[-1].source == f"{cut}:{len(got)}"
    assert got[-1].reason.startswith("can't be read")


def test_standard_input_is_told_apart_and_left_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    data = b'{"id": "a", "text": "A."}\n{"id": \n'
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))
    assert recognise(STDIN).name == "jsonl"
    got = read(STDIN)
    assert [a.id for a in got if isinstance(a, Article)] == ["a"]
    assert [r.source for r in got if isinstance(r, Rejected)] == ["standard input:2"]


def test_one_json_document_over_many_lines_is_not_json_lines(tmp_path: Path) -> None:
    file = tmp_path / "a.json"
    file.write_text('{\n"id": "a"\n}\n')
    assert not JsonlReader().recognises(file)
    (told,) = read(file)
    assert isinstance(told, Rejected)
    assert told.outcome == "skipped"


@pytest.mark.parametrize("name", ["a.jsonl", "a.jsonl.gz"])
def test_after_a_line_that_is_too_long_the_rest_is_read(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(jsonl, "MAX_TEXT_BYTES", 40)
    lines = [
        orjson.dumps({"id": n, "text": t}) for n, t in enumerate(("A.", "B" * 500, "C.", "D" * 99))
    ]
    data = b"\n".join(lines)
    file = tmp_path / name
    file.write_bytes(gzip.compress(data) if name.endswith(".gz") else data)
    first, second, third, fourth = read(file)
    assert isinstance(first, Article)
    assert isinstance(third, Article)
    assert (first.id, third.id) == ("0", "2")
    for number, line in ((2, second), (4, fourth)):
        assert isinstance(line, Rejected)
        assert line.source == f"{file}:{number}"
        assert "longer than" in line.reason
    assert JsonlReader().count(file) == 4
