"""What other programs read of a check: GitHub's commands, SARIF and JUnit, with nothing of a text
taken for a command or for mark-up."""

import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from lxml import etree
from made_checks import make_checked

from citespan.cli.annotations import (
    KINDS,
    Outcome,
    make_github,
    make_junit,
    make_sarif,
    read_kinds,
    read_lines,
)
from citespan.pipelines.citations.checking import CheckedManuscript
from citespan.pipelines.citations.entry_faults import EntryFault
from citespan.pipelines.citing.source_lines import SourceLines
from citespan.pipelines.errors import UnknownNameError

CHECKED = replace(make_checked(), faults={})
KINDS_FOUND = ["weak", "not-indexed", "unresolved", "none"]
FILE = "papers/a, b: é.md"


def make_outcome(checked: CheckedManuscript = CHECKED, *fail_on: str) -> Outcome:
    text = checked.found.article.text
    return Outcome(checked, FILE, SourceLines("\n\n" + text, text), frozenset(fail_on))


def unescape(text: str) -> str:
    return re.sub("%([0-9A-F]{2})", lambda found: chr(int(found[1], 16)), text)


def test_commands_have_the_place_and_the_level_of_each_finding(tmp_path: Path) -> None:
    outcome = make_outcome(CHECKED, "none", "not-indexed")
    lines = list(make_github([outcome]))
    assert [line.split(" ")[0] for line in lines] == ["::notice", "::error", "::warning", "::error"]
    for line, kind in zip(lines, KINDS_FOUND, strict=True):
        _, command, message = re.split("::", line, maxsplit=2)
        places = dict(place.split("=", 1) for place in command.partition(" ")[2].split(","))
        assert unescape(places["file"]) == FILE
        assert places["line"] == "3"
        assert places["title"] == f"citation {kind}"
        assert "\n" in unescape(message)
    assert outcome.failing == 2
    assert make_outcome().failing == 0


def test_no_text_ends_a_command() -> None:
    text = "It rises %0A\r\n::error::x [1]."
    found = CHECKED.found
    article = replace(found.article, text=text + found.article.text[len(text) :])
    hostile = replace(CHECKED, found=replace(found, article=article))
    for line in make_github([make_outcome(hostile)]):
        assert "\n" not in line
        assert "\r" not in line
    assert all(line.startswith("::") for line in make_github([make_outcome(hostile)]))


TEXT = {"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"]}
RESULT = {
    "type": "object",
    "additionalProperties": False,
    "required": ["ruleId", "ruleIndex", "level", "message", "locations", "partialFingerprints"],
    "properties": {
        "ruleId": {"enum": [*KINDS]},
        "ruleIndex": {"type": "integer", "minimum": 0, "maximum": len(KINDS) - 1},
        "level": {"enum": ["none", "note", "warning", "error"]},
        "message": TEXT,
        "partialFingerprints": {"type": "object", "additionalProperties": {"type": "string"}},
        "locations": {
            "type": "array",
            "minItems": 1,
            "items": {
                "type": "object",
                "additionalProperties": False,
                "properties": {
                    "physicalLocation": {
                        "type": "object",
                        "additionalProperties": False,
                        "required": ["artifactLocation"],
                        "properties": {
                            "artifactLocation": {
                                "type": "object",
                                "additionalProperties": False,
                                "properties": {
                                    "uri": {"type": "string", "pattern": "^[!-~]+$"},
                                    "uriBaseId": {"const": "%SRCROOT%"},
                                },
                            },
                            "region": {
                                "type": "object",
                                "additionalProperties": False,
                                "properties": {"startLine": {"type": "integer", "minimum": 1}},
                            },
                        },
                    }
                },
            },
        },
    },
}
"""What SARIF 2.1.0 (OASIS, sections 3.27 to 3.30) allows of what we write."""
SARIF: dict[str, Any] = {
    "type": "object",
    "additionalProperties": False,
    "required": ["$schema", "version", "runs"],
    "properties": {
        "$schema": {"type": "string", "pattern": "^https://.*sarif-2.1.0.json$"},
        "version": {"const": "2.1.0"},
        "runs": {
            "type": "array",
            "items": {
                "type": "object",
                "additionalProperties": False,
                "required": ["tool", "results"],
                "properties": {
                    "columnKind": {"enum": ["utf16CodeUnits", "unicodeCodePoints"]},
                    "results": {"type": "array", "items": RESULT},
                    "tool": {
                        "type": "object",
                        "required": ["driver"],
                        "properties": {
                            "driver": {
                                "type": "object",
                                "additionalProperties": False,
                                "required": ["name"],
                                "properties": {
                                    "name": {"type": "string"},
                                    "version": {"type": "string"},
                                    "rules": {
                                        "type": "array",
                                        "uniqueItems": True,
                                        "items": {"type": "object", "required": ["id"]},
                                    },
                                },
                            }
                        },
                    },
                },
            },
        },
    },
}


def test_sarif_has_a_result_for_each_finding(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("GITHUB_WORKSPACE", raising=False)
    log = make_sarif([make_outcome(CHECKED, "weak")])
    assert json.loads(json.dumps(log)) == log
    Draft202012Validator.check_schema(SARIF)
    Draft202012Validator(SARIF).validate(log)
    [run] = log["runs"]
    assert [result["ruleId"] for result in run["results"]] == KINDS_FOUND
    assert [result["level"] for result in run["results"]] == ["error", "note", "warning", "warning"]
    assert [
        run["tool"]["driver"]["rules"][result["ruleIndex"]]["id"] for result in run["results"]
    ] == (KINDS_FOUND)
    place = run["results"][0]["locations"][0]["physicalLocation"]
    assert place["artifactLocation"]["uri"] == "papers/a%2C%20b%3A%20%C3%A9.md"
    assert place["region"] == {"startLine": 3}
    prints = [result["partialFingerprints"]["citation/v1"] for result in run["results"]]
    assert len(set(prints)) == len(prints)
    without = make_sarif([replace(make_outcome(), lines=None)])
    Draft202012Validator(SARIF).validate(without)
    assert "region" not in without["runs"][0]["results"][0]["locations"][0]["physicalLocation"]


def test_paths_are_those_from_the_root_of_the_work_space(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GITHUB_WORKSPACE", str(tmp_path))
    inside = replace(make_outcome(), file=str(tmp_path / "text" / "m.md"))
    assert inside.address == "text/m.md"
    (tmp_path / "text").mkdir()
    monkeypatch.chdir(tmp_path / "text")
    assert replace(inside, file="m.md").address == "text/m.md"
    outside = replace(inside, file="/elsewhere/m.md")
    uri = make_sarif([outside])["runs"][0]["results"][0]["locations"][0]["physicalLocation"]
    assert uri["artifactLocation"] == {"uri": "file:///elsewhere/m.md"}


def test_junit_has_a_case_for_each_citation() -> None:
    def count(*fail_on: str) -> tuple[list[str], Any]:
        root = etree.fromstring(make_junit([make_outcome(CHECKED, *fail_on)]))
        [suite] = root
        assert suite.get("tests") == str(len(CHECKED.citations)) == str(len(suite))
        assert suite.get("failures") == str(len(suite.findall("testcase/failure")))
        assert suite.get("skipped") == str(len(suite.findall("testcase/skipped")))
        assert {case.get("line") for case in suite} == {"3"}
        assert len({case.get("name") for case in suite}) == len(suite)
        return [child.tag for case in suite for child in case], suite

    tags, _ = count("weak")
    assert tags == ["failure", "skipped", "system-out", "system-out"]
    tags, suite = count()
    assert tags == ["system-out", "skipped", "failure", "failure"]
    assert "<script>" in suite.find("testcase/failure").text or "alert" in etree.tostring(
        suite, encoding="unicode"
    )


def test_characters_that_xml_has_not_are_left_out() -> None:
    outcome = replace(make_outcome(), file="a\x00b\x1b.md")
    etree.fromstring(make_junit([outcome]))


@pytest.mark.parametrize(
    ("fault", "kinds"),
    [
        (EntryFault("retracted", "title", found="retracted in 2010"), ["retracted"]),
        (EntryFault("differs", "year", "1999", "2010", "a"), ["wrong-reference"]),
        (EntryFault("corrected", "title", found="corrected in 2010"), []),
    ],
)
def test_what_is_wrong_with_a_reference_is_a_finding_of_its_citations(
    fault: EntryFault, kinds: list[str]
) -> None:
    first = CHECKED.citations[0]
    assert first.citation.reference is not None
    faults = {first.citation.reference.key: (fault,)}
    checked = replace(CHECKED, citations=(first,), faults=faults)
    outcome = make_outcome(checked, "retracted", "wrong-reference")
    assert [finding.kind for finding in outcome.findings] == kinds
    assert all(str(fault) in finding.message for finding in outcome.findings)
    assert outcome.failing == len(kinds)


def test_kinds_are_named_as_people_write_them() -> None:
    assert read_kinds("differs, not indexed,none") == {"differs", "not-indexed", "none"}
    assert read_kinds("") == frozenset()
    with pytest.raises(UnknownNameError, match="unknown status 'found'; choose from: differs, "):
        read_kinds("none,found")


def test_a_file_that_is_no_text_has_no_lines(tmp_path: Path) -> None:
    (tmp_path / "m.docx").write_bytes(b"PK\x03\x04\xff\xfe")
    assert read_lines(str(tmp_path / "m.docx"), "text") is None
    assert read_lines("-", "text") is None
