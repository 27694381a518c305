"""Citances in JSON Lines: what is read of them, and what is rejected with its place."""

import json
from pathlib import Path

import pytest
from places import TEST_DATA

from citespan.pipelines.corpus.collection import Annotation
from citespan.pipelines.corpus.readers.jsonl import JsonlReader
from citespan.pipelines.errors import InputError
from citespan.pipelines.evaluation.read_collection import read_collection

FIXTURE = TEST_DATA / "readers" / "jsonl"


def test_annotators_of_one_number_are_one_citance() -> None:
    collection = read_collection(f"jsonl:{FIXTURE}")
    first, second = collection.citances
    assert (first.id, first.topic, first.article_id) == ("one/7", "one", "one")
    assert (first.text, first.marker) == ("Yeast is known to grow [1].", "[1]")
    assert first.annotations == (Annotation("A", ((0, 21),)), Annotation("B", ((13, 21),)))
    assert (second.id, second.annotations) == ("one/3", (Annotation("", ((23, 40),)),))
    assert (collection.records, len(collection.rejected)) == (4, 1)
    [outside] = collection.rejected
    assert outside.source.endswith("articles.jsonl:1, record 4")
    assert outside.reason == '"spans": 30-99 is not within the 40 characters'
    assert [rejected.reason for rejected in collection.unusable] == ["no annotation records"] * 2


@pytest.mark.parametrize(
    ("citances", "reason"),
    [
        (7, "citances is not a list"),
        ([7], "not a JSON object"),
        ([{"spans": [[0, 1]]}], '"text" is missing'),
        ([{"text": 7, "spans": [[0, 1]]}], '"text" is not a string'),
        ([{"text": "a"}], '"spans" is not a list of pairs of offsets'),
        ([{"text": "a", "spans": [[0]]}], r'"spans": [0] is not a pair of offsets'),
        ([{"text": "a", "spans": [[0, True]]}], r'"spans": [0, True] is not a pair of offsets'),
        ([{"text": "a", "spans": [[1, 0]]}], '"spans": 1-0 is not within the 9 characters'),
    ],
)
def test_what_cannot_be_used_is_rejected(tmp_path: Path, citances: object, reason: str) -> None:
    file = tmp_path / "mine.jsonl"
    good = {"text": "a", "spans": [[0, 8]]}
    lines = [
        {"id": "bad", "text": "It works.", "citances": citances},
        {"id": "good", "text": "It works.", "citances": [good]},
    ]
    file.write_text("\n".join(map(json.dumps, lines)))
    collection = JsonlReader().collection(file)
    assert [rejected.reason for rejected in collection.rejected] == [reason]
    assert collection.rejected[0].source == f"{file}:1, record 1"
    assert [citance.article_id for citance in collection.citances] == ["good"]


def test_articles_without_citances_are_no_collection(tmp_path: Path) -> None:
    (tmp_path / "note.md").write_text("no article")
    with pytest.raises(InputError, match="no jsonl topic there"):
        JsonlReader().collection(tmp_path)
