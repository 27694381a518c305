"""Reports of checked citations: all of it is there, and nothing of an article is mark-up."""

import base64
import csv
import hashlib
import io
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree
from lxml import html as lxml_html
from made_checks import ATTACK, TEXT, make_checked, make_citations
from markdown_it import MarkdownIt
from places import ROOT

from citespan.cli.check_formats import MISSING_COLUMNS, print_table, write_missing
from citespan.cli.console import standard_output
from citespan.cli.output import print_csv
from citespan.es_mappings.links import Difference, Place
from citespan.pipelines.citations.checking import COLUMNS, STATUSES, CheckedManuscript, Reason
from citespan.pipelines.citations.decisions import decide
from citespan.pipelines.citing.citations import make_query
from citespan.pipelines.ranking.evidence import DIFFERS_MEANS
from citespan.pipelines.written_results import escape
from citespan.serve.report import KINDS, make_html, split_sentence
from citespan.serve.report.markdown import make_markdown

PAGE = make_html(make_checked())
DOCUMENT = lxml_html.document_fromstring(PAGE)
FOLDER = ROOT / "serve" / "report"


def policy() -> dict[str, list[str]]:
    [content] = DOCUMENT.xpath("//meta[@http-equiv='Content-Security-Policy']/@content")
    parts = (part.split() for part in str(content).split(";"))
    return {name: values for name, *values in parts}


def test_the_policy_allows_the_one_style_and_the_one_script_alone() -> None:
    rules = policy()
    assert rules["default-src"] == rules["base-uri"] == rules["form-action"] == ["'none'"]
    for element, rule in (("style", "style-src"), ("script", "script-src")):
        [content] = re.findall(rf"<{element}>(.*?)</{element}>", PAGE, re.DOTALL)
        digest = base64.b64encode(hashlib.sha256(content.encode()).digest()).decode()
        assert rules[rule] == [f"'sha256-{digest}'"]
        assert len(DOCUMENT.xpath(f"//{element}")) == 1
    assert PAGE.index("Content-Security-Policy") < PAGE.index("<style>")


def test_nothing_is_loaded_and_nothing_runs_in_line() -> None:
    for element in DOCUMENT.iter(etree.Element):
        names = set(element.attrib)
        assert not {name for name in names if name.startswith("on")} | names & {"style", "src"}
        assert element.tag not in ("img", "link", "iframe", "object", "base", "form", "svg")
    addresses = DOCUMENT.xpath("//a/@href")
    hosts = r"https://(?:pubmed\.ncbi\.nlm\.nih\.gov|pmc\.ncbi\.nlm\.nih\.gov|doi\.org)/"
    assert len([address for address in addresses if re.match(hosts, address)]) == 3 * 3
    assert all(re.match(rf"#|{hosts}", address) for address in addresses)
    assert not re.search(r"url\(|@import|expression", (FOLDER / "report.css").read_text())
    assert not re.search(r"innerHTML|eval|fetch|import|XML", (FOLDER / "report.js").read_text())


def test_texts_of_articles_are_escaped_wherever_they_stand() -> None:
    assert ATTACK not in PAGE
    assert "<script>alert" not in PAGE
    shown = DOCUMENT.text_content()
    for text in ("Yeast", "Sugar", "Results", "Methods", "Before", "After", "Never", "bread"):
        assert f"{text} {ATTACK}" in shown, text
    assert f'o entry "{ATTACK}"' in shown
    assert "/home/nobody" not in PAGE


def test_the_page_has_each_citation_with_its_evidence_in_context() -> None:
    articles = DOCUMENT.xpath("//article")
    assert [article.get("data-kind") for article in articles] == [
        *("found", "weak", "not indexed", "no reference", "none")
    ]
    assert [article.get("data-doubt") for article in articles] == [
        "0.100000",
        "0.800000",
        "",
        "",
        "1.000000",
    ]
    first = articles[0]
    [clause] = [
        " ".join(element.text_content().split()) for element in first.xpath(".//*[@class='clause']")
    ]
    assert clause.endswith("grows on sugar")
    assert [element.text for element in first.xpath(".//strong")] == ["[1]"]
    [passage] = first.xpath(".//mark")
    assert passage.text_content() == f"Sugar {ATTACK} feeds yeast."
    assert [element.text for element in passage.xpath("b")] == ["Sugar", "script"]
    around = " ".join(passage.getparent().text_content().split())
    assert around == f"Before {ATTACK}. Sugar {ATTACK} feeds yeast. After {ATTACK}."
    assert "Found (0.90)" in first.xpath(".//h3")[0].text_content()


def test_every_report_says_what_is_wrong_with_references(
    capsys: pytest.CaptureFixture[str],
) -> None:
    checked = make_checked()
    faults = [str(fault) for _, some in checked.faulty for fault in some]
    assert [fault["says"] for fault in checked.to_json()["faults"]] == faults
    assert checked.to_json()["citations"][0]["faults"] == faults[:2]
    [section] = DOCUMENT.xpath("//section[@aria-labelledby='faults']")
    assert [element.text_content() for element in section.xpath(".//li[@class='fault']")] == faults
    assert len(DOCUMENT.xpath("//article[1]//*[contains(@class, 'fault')]")) == 2
    assert "2 not what they say" in DOCUMENT.text_content()
    assert make_markdown(checked).count("retracted by pmid:9") == 3
    print_csv(checked.to_rows(), COLUMNS)
    rows = list(csv.DictReader(io.StringIO(capsys.readouterr().out)))
    assert [row["faults"] for row in rows] == [
        "; ".join(faults[:2]), "", "", "", "; ".join(faults[:2]), faults[2],
    ]  # fmt: skip


def test_the_page_can_be_used_without_a_mouse_and_without_a_script() -> None:
    [controls] = DOCUMENT.xpath("//*[@id='controls']")
    assert controls.get("hidden") is not None  # until the script shows them
    assert [element.get("value") for element in controls.xpath(".//input[@type='checkbox']")] == [
        *("found", "weak", "none", "not indexed", "no reference")
    ]
    assert all(label.xpath(".//input") or label.get("for") for label in controls.xpath(".//label"))
    assert DOCUMENT.xpath("//a[@class='skip']/@href") == ["#citations"]
    identifiers = DOCUMENT.xpath("//@id")
    assert len(identifiers) == len(set(identifiers))
    for name in DOCUMENT.xpath("//@aria-labelledby"):
        assert name in identifiers
    assert DOCUMENT.get("lang") == "en"


def test_the_pieces_of_a_citing_sentence_are_the_sentence() -> None:
    found = make_citations()
    for citation in found.citations:
        pieces = split_sentence(found, citation)
        assert (
            "".join(piece.text for piece in pieces)
            == (TEXT[citation.sentence.start : citation.sentence.end])
        )
        [marker] = [piece.text for piece in pieces if piece.is_marker]
        assert marker == TEXT[citation.marker.start : citation.marker.end]


def make_differing() -> CheckedManuscript:
    """The first citation says "grows" where a passage has "feeds"."""
    checked = make_checked()
    first, *others = checked.citations
    evidence = first.evidence
    assert evidence is not None
    query = make_query(TEXT, first.citation)
    at, there = query.index("grows"), evidence[0].text.index("feeds")
    ours, theirs = Place(at, at + 5, "grows"), Place(there, there + 5, "feeds", 1)
    passage = replace(evidence[0], differing=((there, there + 5),))
    difference = Difference("direction", ours, theirs, 1.0)
    differing = replace(evidence, passages=(passage,), differences=(difference,))
    assert differing.verdict == "differs"
    return replace(
        checked, citations=(replace(first, status="differs", evidence=differing), *others)
    )


def test_what_differs_is_marked_in_both_places_and_told_without_colour() -> None:
    checked = make_differing()
    page = lxml_html.document_fromstring(make_html(checked))
    [first, *_] = page.xpath("//article")
    assert [element.text for element in first.xpath(".//u")] == ["grows", "feeds"]
    [told] = first.xpath(".//ul[@class='differences']/li")
    assert told.text == "direction: “grows” in the citation, “feeds” in passage 1"
    assert "Differs (0.90)" in first.xpath(".//h3")[0].text_content()
    assert DIFFERS_MEANS in page.text_content()
    assert f"- differs: {told.text}" in make_markdown(checked)
    [described, *_] = checked.to_json()["citations"]
    place = described["differences"][0]["citation"]
    assert TEXT[place["start"] : place["end"]] == "grows"
    assert described["differences"][0]["article"]["passage"] == 1


@pytest.mark.parametrize("report", [make_html, make_markdown])
def test_what_cannot_be_read_is_said_once_and_before_the_citations_that_it_explains(
    report: Callable[[CheckedManuscript], str],
) -> None:
    text = report(make_checked())
    assert text.count("made.bib") == 1
    assert text.index("made.bib") < text.index("0.1.1")


def test_markdown_has_every_citation_and_no_mark_up_of_articles() -> None:
    page = make_markdown(make_checked())
    rendered = MarkdownIt("commonmark").render(page)
    root = lxml_html.document_fromstring(rendered)
    assert not root.xpath("//script | //img")
    assert len(root.xpath("//h2")) == 5 + 3
    assert f"Sugar {ATTACK} feeds yeast." in root.text_content()
    assert "javascript:" not in "".join(root.xpath("//@href"))
    assert "1. Sugar" in page


@given(st.text(alphabet="ab1.)-+=*_`[]<>#|~&!$@\\:/ hwtps(\n", max_size=40))
def test_escaped_text_is_text(text: str) -> None:
    rendered = MarkdownIt("commonmark").render(f"x {escape(text)} x")
    paragraph = lxml_html.fragment_fromstring(rendered)
    assert paragraph.tag == "p"
    assert len(paragraph) == 0
    assert " ".join((paragraph.text or "").split()) == " ".join(f"x {text} x".split())


def test_csv_has_a_line_for_each_citation_and_each_reference_without_one(
    capsys: pytest.CaptureFixture[str],
) -> None:
    print_csv(make_checked().to_rows(), COLUMNS)
    rows = list(csv.DictReader(io.StringIO(capsys.readouterr().out)))
    assert tuple(rows[0]) == COLUMNS
    statuses = [(row["id"], row["status"], row["key"]) for row in rows]
    assert statuses == [
        ("0.1.1", "found", "B1"),
        ("0.2.1", "weak", "B2"),
        ("1.1.1", "not indexed", "B3"),
        ("2.1.1", "unresolved", ""),
        ("3.1.1", "none", "B1"),
        ("", "uncited", "B4"),
    ]
    assert rows[0]["passage"] == f"Sugar {ATTACK} feeds yeast."
    assert (rows[0]["authors"], rows[0]["support"], rows[2]["support"]) == (
        *("Ito, Kim; Ry, B.", "0.9", ""),
    )


def test_missing_articles_have_their_identifiers(tmp_path: Path) -> None:
    write_missing(make_checked(), tmp_path / "missing.csv")
    rows = list(csv.DictReader(io.StringIO((tmp_path / "missing.csv").read_text())))
    assert tuple(rows[0]) == MISSING_COLUMNS
    assert [(row["key"], row["citations"], row["reference"]) for row in rows] == [("B3", "1", "Od")]


def test_the_table_fits_its_terminal(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(standard_output, "_width", 80)
    print_table(make_checked())
    lines = capsys.readouterr().out.splitlines()
    assert max(map(len, lines)) <= 80
    shown = " ".join(lines)
    for status in ("Found", "Weak evidence", "Not indexed", "No reference", "No evidence"):
        assert status in shown
    assert "5 citations: 1 found, 1 weak evidence, 1 no evidence, 1 not indexed, 1 no" in shown
    assert "never cited: 4" in shown
    assert "in tables" not in shown
    checked = make_checked()
    outside = replace(checked, found=replace(checked.found, elsewhere=2))
    assert outside.to_json()["links_elsewhere"] == 2
    assert "; 2 outside of the text, as in tables, not checked; " in make_html(outside)


PROBLEM = "m.jsonl:4: not JSON; it is left out"


def make_decided() -> CheckedManuscript:
    """The first citation is right for one person and wrong for another, the second has changed."""
    checked = make_checked()
    first, second, *_ = checked.subjects.values()
    before = replace(second, status="none")
    return checked.with_decisions(
        [
            decide(first, "right", "Ada", f"seen {ATTACK}", "2026-01-31T12:00:00Z"),
            decide(first, "wrong", f"Bo {ATTACK}", "", "2026-02-01T12:00:00Z"),
            decide(before, "right", "Ada", "", "2026-02-01T12:00:00Z"),
        ],
        [PROBLEM],
    )


def test_every_report_shows_what_is_decided_what_has_changed_and_what_is_left(
    capsys: pytest.CaptureFixture[str],
) -> None:
    checked = make_decided()
    line = "Decisions: 3 undecided, 1 changed, 1 disputed"
    page = make_html(checked)
    assert ATTACK not in page
    root = lxml_html.document_fromstring(page)
    told = [
        " ".join(element.text_content().split()) for element in root.xpath("//*[@class='decision']")
    ]
    assert told[0].startswith(f"Decision: Disputed right, Ada, 2026-01-31: seen {ATTACK}")
    assert "right, Ada, 2026-02-01 (the evidence has changed since)" in told[1]
    assert told[2] == "Decision: Not decided"
    assert not root.xpath("//form")
    assert "<!--decision" not in page
    markdown = make_markdown(checked)
    assert "- decided: right, Ada, 2026-01-31" in markdown
    print_csv(checked.to_rows(), COLUMNS)
    rows = list(csv.DictReader(io.StringIO(capsys.readouterr().out)))
    assert [row["decision"] for row in rows][:3] == ["disputed", "changed", "undecided"]
    assert rows[1]["decisions"] == "right, Ada, 2026-02-01 (the evidence has changed since)"
    assert (rows[-1]["status"], rows[-1]["problem"]) == ("no decision", PROBLEM)
    assert PROBLEM in page
    assert PROBLEM in markdown
    print_table(checked)
    shown = capsys.readouterr().out
    for report in (page, markdown, shown):
        assert line in report
    described = checked.to_json()
    assert described["problems"][-1] == PROBLEM
    assert described["decided"]["disputed"] == 1
    assert [decision["by"] for decision in described["citations"][0]["decisions"]] == [
        "Ada",
        f"Bo {ATTACK}",
    ]


def test_a_report_of_what_nobody_has_decided_says_nothing_of_decisions() -> None:
    assert "ecision" not in make_html(make_checked()).split("<body>")[1].split("<script>")[0]
    assert "ecision" not in make_markdown(make_checked())
    assert "decided" not in make_checked().to_json()


def test_every_kind_of_citation_has_a_name() -> None:
    assert set(KINDS) == {*STATUSES, *get_args(Reason)} - {"unresolved"}
