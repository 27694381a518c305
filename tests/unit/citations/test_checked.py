"""What checking a manuscript says in numbers: statuses that add up, doubt, what is missing."""

from collections import Counter
from pathlib import Path

import pytest
from made_checks import REFERENCES, TEXT, make_checked, make_citations
from places import TEST_DATA

from citespan.pipelines.citations.checking import STATUSES
from citespan.pipelines.citations.manuscript import read_citations
from citespan.pipelines.citing.citations import make_query
from citespan.pipelines.errors import InputError


def test_every_citation_has_one_status_and_the_totals_add_up() -> None:
    checked = make_checked()
    assert list(checked.totals) == list(STATUSES)
    assert sum(checked.totals.values()) == sum(checked.kinds.values()) == 5
    assert checked.kinds["no reference"] == checked.totals["unresolved"] == 1
    found = checked.to_json()
    assert found["totals"] == {
        "citations": 5, "found": 1, "differs": 0, "weak": 1, "none": 1, "not indexed": 1,
        "unresolved": 1,
    }  # fmt: skip
    assert found["reasons"] == {"no reference": 1}
    counted = Counter(citation["status"] for citation in found["citations"])
    assert {status: counted[status] for status in STATUSES} == checked.totals
    assert [reference["key"] for reference in found["uncited"]] == ["B4"]


def test_json_has_the_citing_sentence_its_reference_and_the_passages() -> None:
    first, _, third, fourth, _ = make_checked().to_json()["citations"]
    assert TEXT[first["start"] : first["end"]] == first["text"]
    assert first["clause"]["text"].endswith("grows on sugar [1]")
    assert first["reference"]["pmcid"] == first["article"] == "PMC7"
    assert [result["before"][:6] for result in first["results"]] == ["Before"]
    assert (first["support"], third["support"], third["article"]) == (0.9, None, None)
    assert (fourth["reference"], fourth["reason"]) == (None, "no reference")


def test_doubt_is_what_support_leaves() -> None:
    doubts = [citation.doubt for citation in make_checked().citations]
    assert doubts == [pytest.approx(0.1), pytest.approx(0.8), None, None, 1.0]


def test_missing_articles_are_listed_once_with_their_citations() -> None:
    assert list(make_checked().missing.values()) == [(REFERENCES[2], 1)]


def test_what_a_citation_says_is_its_clause_without_markers() -> None:
    queries = [make_query(TEXT, citation) for citation in make_citations().citations]
    assert queries[0].endswith("grows on sugar")
    assert queries[1] == "whereas it does not on bread ."
    assert queries[2] == "Nobody has seen it ."


def test_the_citations_of_a_file_are_read() -> None:
    found = read_citations(TEST_DATA / "readers/markdown/made.md", "markdown")
    assert found.article.title == "Growth of made yeast"
    assert found.citations


@pytest.mark.parametrize(
    ("name", "content", "reason"),
    [
        ("unknown.xyz", "words", "of no known format"),
        ("scan.tei.xml", '<TEI xmlns="http://www.tei-c.org/ns/1.0"><teiHeader/><text><body/></text>'
         "</TEI>", "no text"),
        ("broken.nxml", "<article>", "broken.nxml"),
        ("two.jsonl", '{"id": "a", "text": "One."}\n{"id": "b", "text": "Two."}\n', "several"),
        ("bad.docx", "PK\x03\x04", "bad.docx"),
    ],
)  # fmt: skip
def test_a_manuscript_that_cannot_be_read_is_one_line(
    name: str, content: str, reason: str, tmp_path: Path
) -> None:
    (tmp_path / name).write_text(content, encoding="utf-8")
    with pytest.raises(InputError, match=reason) as raised:
        read_citations(tmp_path / name)
    assert name in str(raised.value)
    assert "\n" not in str(raised.value)


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no such file"):
        read_citations(tmp_path / "none.md")


def test_entries_with_broken_braces_are_problems_of_a_list_that_is_read(tmp_path: Path) -> None:
    (tmp_path / "m.md").write_text("---\nbibliography: m.bib\n---\n\nYeast grows [@a; @b].\n")
    (tmp_path / "m.bib").write_text(
        "@misc{a, title = {A}, doi = {10.1000/a}}\n@misc{b, title = {No {end}\n"
    )
    found = read_citations(tmp_path / "m.md")
    [problem] = found.problems
    assert "m.bib" in problem
    assert "brace" in problem
    assert [citation.reference is None for citation in found.citations] == [False, True]
