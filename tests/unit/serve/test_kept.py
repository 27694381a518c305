"""Checks that are done are kept in a folder: for the next server too, and those with decisions
longest."""

import csv
import gzip
import os
from pathlib import Path

import orjson
import pytest

from citespan.pipelines.citations.decisions import Subject, decide
from citespan.pipelines.errors import InputError
from citespan.serve import kept
from citespan.serve.check_process import FILES, RESULT, ROWS, SUBJECTS
from citespan.serve.kept import KeptChecks

SUBJECT = Subject("p53 stops the cycle", "Ito. Arrest. 2001", "found", "PMC7", "It stops.")
KEYS = ("a" * 16, "b" * 16, "c" * 16)


def put(checks: KeptChecks, key: str, made: Path) -> None:
    made.mkdir(exist_ok=True)
    for name in FILES:
        (made / name).write_bytes(gzip.compress(b"<!--decision --><!--decision 1.1.1-->"))
    (made / RESULT).write_bytes(
        gzip.compress(b'{"citations": [], "problems": ["m.bib: no entry"]}')
    )
    (made / ROWS).write_bytes(gzip.compress(b'[{"id": "1.1.1", "manuscript": "a.md"}]'))
    listed = {"1.1.1": ["p53 stops the cycle", "Ito. Arrest. 2001", "found", "PMC7", "It stops."]}
    (made / SUBJECTS).write_bytes(gzip.compress(orjson.dumps(listed)))
    checks.put(key, made, "a.md", 1)


def test_what_is_kept_is_there_for_the_next_server_and_for_nobody_else(tmp_path: Path) -> None:
    put(KeptChecks(tmp_path / "kept", tmp_path), KEYS[0], tmp_path / "made")
    found = KeptChecks(tmp_path / "kept", tmp_path).find(KEYS[0])
    assert found is not None
    assert (found.name, found.citations, found.read_subjects()) == ("a.md", 1, {"1.1.1": SUBJECT})
    found.add_decisions([decide(SUBJECT, "right", "Ada")])
    assert "right, Ada" in found.show("standalone.html")
    assert (tmp_path / "kept").stat().st_mode & 0o777 == 0o700
    assert [
        found.add_decisions(found.read_decisions()[0]),
        len(found.read_lines().splitlines()),
    ] == [None, 1]


@pytest.mark.parametrize("key", ["", ".", "..", "../" + "a" * 13, "a" * 15, "a/" + "b" * 14])
def test_a_key_that_is_none_leads_nowhere(key: str, tmp_path: Path) -> None:
    (tmp_path / "kept").mkdir()
    checks = KeptChecks(tmp_path / "kept", tmp_path)
    assert checks.find(key) is None
    checks.delete(key)
    assert (tmp_path / "kept").exists()


def test_those_that_nobody_has_decided_about_make_room_first(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(kept, "_MOST_KEPT", 2)
    checks = KeptChecks(tmp_path / "kept", tmp_path)
    for number, key in enumerate(KEYS):
        put(checks, key, tmp_path / "made")
        if number == 0:
            found = checks.find(key)
            assert found is not None
            found.add_decisions([decide(SUBJECT, "right", "Ada")])
        for file in (tmp_path / "kept" / key).iterdir():
            os.utime(file, (number, number))
    put(checks, "d" * 16, tmp_path / "made")
    assert [checks.find(key) is not None for key in (*KEYS, "d" * 16)] == [True, False, False, True]


def test_more_decisions_than_are_kept_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(kept, "MOST_DECISIONS", 2)
    checks = KeptChecks(tmp_path / "kept", tmp_path)
    put(checks, KEYS[0], tmp_path / "made")
    found = checks.find(KEYS[0])
    assert found is not None
    found.add_decisions([decide(SUBJECT, "right", "Ada"), decide(SUBJECT, "wrong", "Bo")])
    with pytest.raises(InputError, match="2 decisions can be kept"):
        found.add_decisions([decide(SUBJECT, "right", "Cy")])
    assert len(found.read_decisions()[0]) == 2


def test_a_line_edited_by_hand_into_no_decision_is_named_and_never_lost(tmp_path: Path) -> None:
    checks = KeptChecks(tmp_path / "kept", tmp_path)
    put(checks, KEYS[0], tmp_path / "made")
    found = checks.find(KEYS[0])
    assert found is not None
    found.add_decisions([decide(SUBJECT, "right", "Ada"), decide(SUBJECT, "wrong", "Bo")])
    file = tmp_path / "kept" / KEYS[0] / "decisions.jsonl"
    edited = file.read_bytes().replace(b'"wrong"', b'"wrongly"')
    file.write_bytes(edited)
    found.add_decisions([decide(SUBJECT, "to do", "Cy")])
    assert file.read_bytes().startswith(edited)
    assert found.read_lines() == file.read_bytes()
    [problem] = found.read_decisions()[1]
    assert problem.startswith(
        f"{KEYS[0]}/decisions.jsonl:2: not a decision (decision: unknown 'wrongly'"
    )
    assert problem.endswith("; correct or delete this line: it is kept, but not counted")
    assert str(tmp_path) not in problem
    shown = found.show("standalone.html")
    assert shown.index("decisions.jsonl:2") < shown.index("to do, Cy")
    assert orjson.loads(found.write("json"))["problems"] == ["m.bib: no entry", problem]
    _, row = csv.DictReader(str(found.write("csv")).splitlines())
    assert {name: value for name, value in row.items() if value} == {
        "manuscript": "a.md",
        "status": "no decision",
        "problem": problem,
    }
    assert orjson.loads(file.read_bytes().splitlines()[2])["by"] == "Cy"


def test_decisions_of_which_nothing_can_be_read_are_named_without_a_path_and_left_alone(
    tmp_path: Path,
) -> None:
    checks = KeptChecks(tmp_path / "kept", tmp_path)
    put(checks, KEYS[0], tmp_path / "made")
    found = checks.find(KEYS[0])
    assert found is not None
    file = tmp_path / "kept" / KEYS[0] / "decisions.jsonl"
    file.write_bytes(b"\xff\n")
    with pytest.raises(InputError, match=f"^{KEYS[0]}/decisions.jsonl: not UTF-8 at line 1"):
        found.add_decisions([decide(SUBJECT, "right", "Ada")])
    assert file.read_bytes() == found.read_lines() == b"\xff\n"
