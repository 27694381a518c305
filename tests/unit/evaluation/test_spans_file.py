"""spans.jsonl: read as it was written, refused with file and line where it is broken."""

from pathlib import Path

import orjson
import pytest
from made_outcomes import make_outcome, tens

from citespan.pipelines.errors import InputError
from citespan.pipelines.evaluation.spans_file import (
    RetrievedSpan,
    RetrievedSpans,
    read_spans,
    write_spans,
)

GOOD = {
    "system": "s",
    "citance": "c",
    "article": "a",
    "spans": [{"first_sentence": 0, "last_sentence": 1, "start": 0, "end": 19, "score": 1}],
}


def test_what_is_written_is_read(tmp_path: Path) -> None:
    found = make_outcome(tens(4), [[]], [(2, 3), (0, 0)], name="one")
    none = make_outcome(tens(4), [[]], [], name="none")
    path = tmp_path / "spans.jsonl"
    write_spans(path, {"a": [found, none], "b": [none]})
    assert list(read_spans(path)) == [
        RetrievedSpans(
            "a",
            "one",
            "article",
            (RetrievedSpan(2, 3, 20, 39, 2.0), RetrievedSpan(0, 0, 0, 9, 1.0)),
        ),
        RetrievedSpans("a", "none", "article", ()),
        RetrievedSpans("b", "none", "article", ()),
    ]


def test_a_line_is_an_object_of_the_documented_keys(tmp_path: Path) -> None:
    path = tmp_path / "spans.jsonl"
    write_spans(path, {"s": [make_outcome(tens(2), [[]], [(0, 1)], name="c")]})
    expected = GOOD | {"article": "article"}
    assert orjson.loads(path.read_bytes()) == expected


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        (b"{", "not JSON"),
        (b"\xff", "not JSON"),
        (b"[]", "not a line of spans"),
        (orjson.dumps({"system": "s"}), "citance"),
        (orjson.dumps(GOOD | {"citance": 7}), "an id is not a string"),
        (orjson.dumps(GOOD | {"spans": 7}), "not a line of spans"),
        (orjson.dumps(GOOD | {"spans": [{}]}), "first_sentence"),
        (orjson.dumps(GOOD | {"spans": [GOOD["spans"][0] | {"start": 1.5}]}), "whole numbers"),
        (orjson.dumps(GOOD | {"spans": [GOOD["spans"][0] | {"start": 19}]}), "before it starts"),
        (orjson.dumps(GOOD | {"spans": [GOOD["spans"][0] | {"score": None}]}), "score"),
    ],
)
def test_a_broken_line_is_named(tmp_path: Path, line: bytes, reason: str) -> None:
    path = tmp_path / "spans.jsonl"
    path.write_bytes(orjson.dumps(GOOD) + b"\n" + line + b"\n")
    lines = read_spans(path)
    assert next(lines).citance == "c"
    with pytest.raises(InputError, match=rf"spans\.jsonl:2: .*{reason}.*run the experiment again"):
        next(lines)


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"spans\.jsonl: can't be read"):
        next(read_spans(tmp_path / "spans.jsonl"))
