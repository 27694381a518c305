"""Results in a notebook: short, marked in their place, and nothing of an article is mark-up."""

import builtins
import sys
from dataclasses import replace
from typing import Any

import pytest
from lxml import html as lxml_html
from made_checks import ATTACK, make_checked

from citespan.es_mappings.articles import ArticleEntry
from citespan.library import describe_article
from citespan.pipelines.answers.answer import Answer
from citespan.pipelines.citations.checking import COLUMNS
from citespan.pipelines.errors import CitespanError
from citespan.pipelines.indexing.report import LoadReport
from citespan.pipelines.ranking.article_ranking import ArticleEvidence
from citespan.pipelines.ranking.evidence import Evidence
from citespan.pipelines.retrieval.passage import Passage, ShownSentence
from citespan.pipelines.shown import Found, flatten, short_repr

LONG = "a sentence of an article " * 4000
PASSAGE = Passage(
    1, 2.0, 3, 4, 100, 120, f"Results {ATTACK}", f"p53 stops {ATTACK}",
    ((0, 3),), f"Before {ATTACK}", "After", {}, probability=0.75, differing=((4, 9),),
)  # fmt: skip
EVIDENCE = Evidence("made", f"Title {ATTACK}", (PASSAGE,), "evidence", 0.9, 0.5, (f"no {ATTACK}",))
ANSWER = Answer(
    1, "17", "17", "10.1000/x", False, f"Aspirin {ATTACK}", 2001, "Results", "model", 0.9,
    f"It does {ATTACK}", 5, 20, "Before.", "After.", 0.8, 3.5, 0.7,
)  # fmt: skip
ENTRY = ArticleEntry(
    article="m", title=f"Title {ATTACK}", year=2001, journal="J.", sentences=7, authors=["A", "B"]
)  # fmt: skip
FOUND = ArticleEvidence(1, EVIDENCE, 4.0, 2001, "J. Yeast", "101", "10.1000/x")

SHOWN: dict[str, Any] = {
    "passage": PASSAGE,
    "evidence": EVIDENCE,
    "checked manuscript": make_checked(),
    "checked citation": make_checked().citations[0],
    "articles": Found([ENTRY], "articles", lambda entry: flatten(describe_article(entry))),
    "article evidence": Found([FOUND], "article_evidence", ArticleEvidence.to_rows),
    "answers": Found([ANSWER], "answers", Answer.to_row),
    "sentences": Found(
        [ShownSentence(0, 0, 9, "", f"One {ATTACK}")], "sentences", lambda sentence: {}
    ),
}


@pytest.mark.parametrize("name", SHOWN)
def test_html_escapes_what_articles_say(name: str) -> None:
    page = SHOWN[name]._repr_html_()
    assert "<script" not in page
    assert "<img" not in page
    shown = lxml_html.document_fromstring(page)
    assert ATTACK in shown.text_content()
    assert not shown.xpath("//@onerror | //script | //link | //*[@src]")


def test_the_passage_is_marked_within_its_context_with_matches_and_differences() -> None:
    [mark] = lxml_html.document_fromstring(EVIDENCE._repr_html_()).xpath("//mark")
    assert mark.text_content() == PASSAGE.text
    assert [element.text for element in mark.xpath("b")] == ["p53"]
    assert [element.text for element in mark.xpath("u")] == ["stops"]
    around = " ".join(mark.getparent().text_content().split())
    assert around.startswith("Before")
    assert around.endswith("After")


@pytest.mark.parametrize("name", SHOWN)
def test_no_repr_is_longer_than_500_characters(name: str) -> None:
    assert 10 < len(repr(SHOWN[name])) <= 500


def test_a_repr_of_long_texts_and_long_lists_is_short() -> None:
    long = replace(PASSAGE, text=LONG, before=LONG, after=LONG)
    evidence = replace(EVIDENCE, passages=(long,) * 1000, missing=tuple("abc"), title=LONG)
    assert len(repr(long)) < 500
    assert len(repr(evidence)) < 500
    assert "passages=<1,000>" in repr(evidence)
    sentences = [ShownSentence(number, 0, 1, "Results", LONG) for number in range(900)]
    found = Found(sentences, "sentences", lambda sentence: flatten(sentence.to_json()))
    assert len(repr(found)) <= 500
    assert repr(found).endswith("… 900 in all]")
    assert found._repr_html_().count("<tr>") == 101
    assert "800 more" in found._repr_html_()


def test_a_part_of_what_was_found_is_shown_as_the_whole_is() -> None:
    numbers = Found([1, 2, 3], "sentences", lambda number: {"number": number})
    assert numbers == [1, 2, 3]
    assert numbers[:2] == [1, 2]
    assert numbers[:2].to_rows() == [{"number": 1}, {"number": 2}]
    assert numbers[-1] == 3
    assert repr(numbers) == "[1, 2, 3]"


def test_rows_are_the_lines_of_csv() -> None:
    checked = make_checked()
    rows = checked.to_rows()
    assert len(rows) == len(checked.citations) + len(checked.uncited)
    assert {tuple(row) for row in rows} == {COLUMNS}
    assert [row["status"] for row in rows if row["id"] is None] == ["uncited"] * len(
        checked.uncited
    )
    [row] = EVIDENCE.to_rows()
    assert (row["article"], row["probability"], row["section"]) == ("made", 0.75, PASSAGE.section)
    [row] = FOUND.to_rows()
    assert (row["pmid"], row["doi"], row["year"]) == ("101", "10.1000/x", 2001)
    assert SHOWN["articles"].to_rows()[0]["authors"] == "A; B"
    report = LoadReport(indexed=3)
    assert report.to_rows()[0] == {"outcome": "indexed", "inputs": 3}
    assert "<td" in report._repr_html_()


def test_frames_have_a_line_for_each_row() -> None:
    pandas = pytest.importorskip("pandas")
    frame = SHOWN["answers"].to_frame()
    assert isinstance(frame, pandas.DataFrame)
    assert frame.loc[0, "support"] == 0.7
    assert list(make_checked().to_frame().columns) == list(COLUMNS)


def test_without_pandas_one_line_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("citespan.pipelines.shown.find_spec", lambda _: None)
    with pytest.raises(CitespanError, match="needs pandas: install it with `pip install pandas`"):
        EVIDENCE.to_frame()


def test_results_are_shown_without_what_notebooks_are_made_of(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    real = builtins.__import__

    def refuse(name: str, *rest: Any) -> Any:
        if name.partition(".")[0] in ("pandas", "IPython", "matplotlib"):
            raise AssertionError(name)
        return real(name, *rest)

    monkeypatch.delitem(sys.modules, "IPython", raising=False)
    monkeypatch.setattr(builtins, "__import__", refuse)
    assert EVIDENCE._repr_html_()
    assert "IPython" not in sys.modules


def test_only_dataclasses_that_are_given_one_have_a_short_repr() -> None:
    assert short_repr(type(PASSAGE)) is type(PASSAGE)
    assert "probability=0.75" in repr(PASSAGE)
    assert "weaker" not in repr(PASSAGE)
