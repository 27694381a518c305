"""PubMedQA's JSON: records as abstracts, bad records, and the real collection's counts."""

from collections import Counter
from pathlib import Path
from typing import Any

import orjson
import pytest
from places import SHARED_DATA, TEST_DATA

from citespan.pipelines.corpus.abstract import Abstract, AbstractReading
from citespan.pipelines.corpus.article import Rejected
from citespan.pipelines.corpus.reader import recognise
from citespan.pipelines.corpus.readers.pubmedqa import PubmedqaReader
from citespan.pipelines.corpus.section_categories import section_zone

FIXTURE = TEST_DATA / "readers/pubmedqa/questions.json"
REAL = SHARED_DATA / "pubmedqa/train.json"


def read(records: Any, tmp_path: Path) -> list[AbstractReading]:
    file = tmp_path / "q.json"
    file.write_bytes(orjson.dumps(records))
    return list(PubmedqaReader().abstracts(file))


def test_question_sections_and_answer() -> None:
    first, second = PubmedqaReader().abstracts(FIXTURE)
    assert isinstance(first, Abstract)
    assert isinstance(second, Abstract)
    assert (first.id, first.year, first.mesh) == ("90000021", 2019, ("Walking", "Blood Pressure"))
    assert first.title == "Does a walk before breakfast lower blood pressure in older adults?"
    assert [s.title for s in first.sections] == [
        "",
        "BACKGROUND",
        "METHODS AND RESULTS",
        "RESULTS",
        "CONCLUSIONS",
    ]
    last = first.sections[-1]
    assert first.text[last.start : last.end].startswith("A daily walk")
    assert second.year is None


@pytest.mark.parametrize(
    ("pmid", "record", "reason"),
    [
        ("x1", {}, "the PMID is not a number"),
        ("1", [], "not a JSON object"),
        ("1", {"QUESTION": 3}, '"QUESTION" is not a string'),
        ("1", {"CONTEXTS": ["a"], "LABELS": []}, '1 "CONTEXTS" and 0 "LABELS"'),
        ("1", {"CONTEXTS": "a"}, '"CONTEXTS" is not a list of strings'),
        ("1", {"QUESTION": "a?"}, "no abstract"),
    ],
)
def test_bad_records(pmid: str, record: Any, reason: str, tmp_path: Path) -> None:
    good = {"QUESTION": "a?", "CONTEXTS": ["A b."], "LABELS": ["AIM"], "LONG_ANSWER": "Yes."}
    told, abstract = read({pmid: record, "2": good}, tmp_path)
    assert isinstance(told, Rejected)
    assert told.reason == reason
    assert f"PMID {pmid}" in told.source
    assert isinstance(abstract, Abstract)


def test_json_that_is_something_else(tmp_path: Path) -> None:
    for data, reason in ((b"[]", "not an object"), (b'{"1": {', "truncated or not JSON")):
        (tmp_path / "q.json").write_bytes(data)
        (told,) = PubmedqaReader().abstracts(tmp_path / "q.json")
        assert isinstance(told, Rejected)
        assert reason in told.reason


def test_one_line_of_it_is_not_taken_for_json_lines(tmp_path: Path) -> None:
    found = read(orjson.loads(FIXTURE.read_bytes()), tmp_path)
    assert len(found) == 2
    assert recognise(tmp_path / "q.json").name == "pubmedqa"


@pytest.mark.skipif(not REAL.is_file(), reason="../shared/data is not here")
def test_the_real_collection() -> None:
    assert recognise(REAL).name == "pubmedqa"
    assert PubmedqaReader().count(REAL) == 500
    abstracts = [a for a in PubmedqaReader().abstracts(REAL) if isinstance(a, Abstract)]
    assert len(abstracts) == 500
    assert [abstracts[n].id for n in (0, 8, -1)] == ["10808977", "11729377", "17559449"]
    total: Counter[str] = Counter()
    for abstract in abstracts:
        total.update(
            section_zone(section) for section in abstract.sections if section.kind == "abstract"
        )
    assert total == {
        "Introduction": 522,
        "Methods": 633,
        "Results": 483,
        "Conclusions": 509,  # 500 of them LONG_ANSWER
        "mixed": 13,
        "unmapped": 9,
    }
