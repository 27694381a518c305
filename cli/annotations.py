"""What is to be looked at in a manuscript, each with its line, as other programs read it: commands
of GitHub's log, SARIF 2.1.0, and JUnit's XML."""

import hashlib
import os
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any, Final, Literal
from urllib.parse import quote

import typer
from lxml import etree

from citespan.cli.citations import name_cited
from citespan.cli.output import print_json
from citespan.pipelines.citations.checking import CheckedCitation, CheckedManuscript
from citespan.pipelines.citing.source_lines import SourceLines
from citespan.pipelines.corpus.files import STANDARD_INPUT, read_utf8
from citespan.pipelines.corpus.paragraphs import collapse_space
from citespan.pipelines.corpus.readers.latex import ENDINGS as LATEX_ENDINGS
from citespan.pipelines.corpus.readers.latex import read_source
from citespan.pipelines.errors import InputError, UnknownNameError
from citespan.pipelines.fetching.fetching import FetchReport
from citespan.pipelines.ranking.evidence import DIFFERS_MEANS
from citespan.serve.report import (
    describe_judgement,
    describe_place,
    describe_rival,
    describe_totals,
)

STATUS = 4
"""The exit status of `check --fail-on` if a citation has one of the statuses."""
KINDS: Final = {
    "differs": DIFFERS_MEANS,
    "weak": "The best passage of the cited article is probably no evidence.",
    "none": "The cited article has no passage about what the citation says.",
    "not-indexed": "The cited article is not there to be searched.",
    "unresolved": "It is not known which article is cited.",
    "retracted": "The cited article is retracted.",
    "wrong-reference": "The entry of the reference list is not what it says.",
}
"""What can be wrong with a citation, each with what it means."""
_MINOR: Final = frozenset({"weak", "not-indexed"})
_FAULTS: Final = {"retracted": "retracted"} | dict.fromkeys(
    ("differs", "malformed", "other work", "unknown"), "wrong-reference"
)
_LONGEST = 300
_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"


Level = Literal["error", "warning", "note"]


@dataclass(frozen=True, slots=True)
class Outcome:
    """A manuscript that was checked.

    Attributes:
        file: its name, as it was given.
        lines: of the file; None if it has none, as that of a word processor.
        fail_on: kinds of what fails the check.
        fetched: what became of its references that were fetched.
        has_list: whether the articles that are missing were written to a file.
    """

    checked: CheckedManuscript
    file: str
    lines: SourceLines | None = None
    fail_on: frozenset[str] = frozenset()
    fetched: FetchReport | None = None
    has_list: bool = False

    @property
    def address(self) -> str:
        """The file's path from the root of the work space, as addresses write it."""
        file = Path(self.file).absolute()
        root = Path(os.environ.get("GITHUB_WORKSPACE") or Path.cwd()).absolute()
        return (file.relative_to(root) if file.is_relative_to(root) else file).as_posix()

    @property
    def failing(self) -> int:
        """How many citations fail the check."""
        return len(
            {finding.judged.citation.id for finding in self.findings if finding.level == "error"}
        )

    @property
    def has_problems(self) -> bool:
        """Whether something of its reference list can't be read or fetched."""
        fetched = self.fetched is not None and self.fetched.has_problems
        return fetched or bool(self.checked.found.problems)

    @property
    def findings(self) -> Sequence["Finding"]:
        """What is to be looked at, in the order of the text."""
        cited = self.checked.citations
        return [finding for judged in cited for finding in list_findings(self, judged)]


@dataclass(frozen=True, slots=True)
class Finding:
    """What is to be looked at in a citation.

    Attributes:
        kind: one of `KINDS`.
        line: of the citation's marker, from 1; None in a file without lines.
        message: in a few lines.
    """

    judged: CheckedCitation
    kind: str
    level: Level
    line: int | None
    message: str


def read_kinds(written: str) -> frozenset[str]:
    """Return the kinds in a list such as "differs, not-indexed".

    Raises:
        UnknownNameError: for any other name.
    """
    named = {kind.strip().replace(" ", "-") for kind in written.split(",")} - {""}
    for name in sorted(named - KINDS.keys()):
        raise UnknownNameError("status", name, [*KINDS])
    return frozenset(named)


def read_lines(file: str, text: str) -> SourceLines | None:
    """Return the lines of a manuscript's file; None if it is no text, or standard input.

    Args:
        text: what a reader has made of it.
    """
    path = Path(file)
    if path == STANDARD_INPUT:
        return None
    try:
        is_latex = path.suffix.lower() in LATEX_ENDINGS
        return SourceLines(read_source(path) if is_latex else read_utf8(path), text)
    except InputError:
        return None


def list_findings(outcome: Outcome, judged: CheckedCitation) -> Iterator[Finding]:
    """Yield what is to be looked at in a citation: its status but "found", and what is wrong with
    its reference."""
    line = outcome.lines.find_marker(judged.citation) if outcome.lines is not None else None
    kinds = [judged.status.replace(" ", "-")] if judged.status != "found" else []
    kinds += [
        _FAULTS[fault.kind]
        for fault in outcome.checked.find_faults(judged)
        if fault.kind in _FAULTS
    ]
    for kind in dict.fromkeys(kinds):
        level: Level = "note" if kind in _MINOR else "warning"
        level = "error" if kind in outcome.fail_on else level
        yield Finding(
            judged, kind, level, line, "\n".join(_describe(outcome.checked, judged, kind))
        )


def _describe(checked: CheckedManuscript, judged: CheckedCitation, kind: str) -> Iterator[str]:
    faults = [
        str(fault) for fault in checked.find_faults(judged) if _FAULTS.get(fault.kind) == kind
    ]
    verdict = "; ".join(map(_shorten, faults)) or describe_judgement(judged)
    clause = checked.found.article.text[slice(*judged.citation.clause)]
    yield f"{verdict}: {_shorten(clause)}"
    yield f"cites {_shorten(name_cited(judged.citation))}"
    yield from (f"differs: {_shorten(str(each))}" for each in checked.find_differences(judged))
    for passage in (judged.evidence or ())[:1]:
        yield f"{judged.article}: {_shorten(passage.text)} ({describe_place(passage)})"
    yield from filter(None, (judged.problem, describe_rival(judged)))


def _shorten(text: str) -> str:
    line = collapse_space(text)
    return line if len(line) <= _LONGEST else line[:_LONGEST] + " …"


def make_github(outcomes: Iterable[Outcome]) -> Iterator[str]:
    """Yield a command of GitHub's log for each finding, which it shows at its line."""
    for outcome in outcomes:
        for finding in outcome.findings:
            command = "notice" if finding.level == "note" else finding.level
            place = {"file": outcome.address} | ({"line": finding.line} if finding.line else {})
            place |= {"title": f"citation {finding.kind}"}
            shown = ",".join(f"{name}={_escape(str(to), ':,')}" for name, to in place.items())
            yield f"::{command} {shown}::{_escape(finding.message)}"


def _escape(text: str, more: str = "") -> str:
    """Return a text with what ends a command or a property of it as percent and a code."""
    for character in ("%", "\r", "\n", *more):
        text = text.replace(character, f"%{ord(character):02X}")
    return text


def make_sarif(outcomes: Sequence[Outcome]) -> dict[str, Any]:
    """Return a SARIF 2.1.0 log (OASIS, 2020) with a result for each finding."""
    names = [*KINDS]
    rules = [
        {"id": name, "shortDescription": {"text": f"citation {name}"}}
        | {"fullDescription": {"text": meaning}}
        | {"defaultConfiguration": {"level": "note" if name in _MINOR else "warning"}}
        for name, meaning in KINDS.items()
    ]
    driver = {"name": "citespan", "version": version("citespan"), "rules": rules}
    results = [
        {
            "ruleId": finding.kind,
            "ruleIndex": names.index(finding.kind),
            "level": finding.level,
            "message": {"text": finding.message},
            "locations": [{"physicalLocation": _locate(outcome, finding)}],
            "partialFingerprints": {"citation/v1": _fingerprint(outcome, finding)},
        }
        for outcome in outcomes
        for finding in outcome.findings
    ]
    run = {"tool": {"driver": driver}, "columnKind": "unicodeCodePoints", "results": results}
    return {"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]}


def _locate(outcome: Outcome, finding: Finding) -> dict[str, Any]:
    address = outcome.address
    located = {"uri": quote(address), "uriBaseId": "%SRCROOT%"}
    if address.startswith("/"):
        located = {"uri": f"file://{quote(address)}"}
    region = {"region": {"startLine": finding.line}} if finding.line else {}
    return {"artifactLocation": located} | region


def _fingerprint(outcome: Outcome, finding: Finding) -> str:
    """Return what stays the same while the text around a citation changes."""
    citation = finding.judged.citation
    clause = collapse_space(outcome.checked.found.article.text[slice(*citation.clause)])
    key = citation.reference.key if citation.reference is not None else citation.name

    identity = f"{finding.kind}\0{key}\0{clause}".encode(errors="replace")
    return hashlib.sha256(identity).hexdigest()[:32]


def make_junit(outcomes: Sequence[Outcome]) -> bytes:
    """Return a JUnit report: a suite for each manuscript with a case for each citation, which fails
    for what fails the check, or without that for what is more than a note, and is skipped if the
    article is not indexed."""
    root = etree.Element("testsuites", name="citespan")
    for outcome in outcomes:
        cases = [_make_case(outcome, judged) for judged in outcome.checked.citations]
        inside = Counter(child.tag for case in cases for child in list(case)[:1])
        suite = etree.SubElement(
            root,
            "testsuite",
            name=_clean(outcome.address),
            tests=str(len(cases)),
            failures=str(inside["failure"]),
            errors="0",
            skipped=str(inside["skipped"]),
        )
        suite.extend(cases)
    return etree.tostring(root, encoding="utf-8", xml_declaration=True, pretty_print=True)


def _make_case(outcome: Outcome, judged: CheckedCitation) -> etree._Element:
    findings = list(list_findings(outcome, judged))
    failing = "error" if outcome.fail_on else "warning"
    failed = [each for each in findings if each.level == failing]
    name = _clean(f"{judged.citation.id} cites {_shorten(name_cited(judged.citation))}")
    case = etree.Element("testcase", name=name, classname=_clean(outcome.address))
    case.set("file", _clean(outcome.address))
    line = outcome.lines.find_marker(judged.citation) if outcome.lines is not None else None
    if line:
        case.set("line", str(line))
    if failed:
        kinds = ", ".join(each.kind for each in failed)
        failure = etree.SubElement(case, "failure", type=kinds, message=f"citation {kinds}")
        failure.text = _clean("\n\n".join(each.message for each in failed))
    elif judged.status == "not indexed":
        etree.SubElement(case, "skipped", message=KINDS["not-indexed"])
    elif findings:
        said = etree.SubElement(case, "system-out")
        said.text = _clean("\n\n".join(each.message for each in findings))
    return case


def _clean(text: str) -> str:
    return _NOT_XML.sub(" ", text)


def print_github(outcomes: Sequence[Outcome]) -> None:
    """Print commands for GitHub's log, and the totals of each manuscript for who reads it."""
    for line in make_github(outcomes):
        typer.echo(line)
    for outcome in outcomes:
        typer.echo(f"{outcome.address}: {describe_totals(outcome.checked)}")


def print_sarif(outcomes: Sequence[Outcome]) -> None:
    """Print a SARIF log of all manuscripts."""
    print_json(make_sarif(outcomes))


def print_junit(outcomes: Sequence[Outcome]) -> None:
    """Print a JUnit report of all manuscripts."""
    typer.echo(make_junit(outcomes), nl=False)
