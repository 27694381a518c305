"""Passages as `citespan search` prints them in a pipe."""

from dataclasses import replace

from citespan.cli.evidence_view import mark_passage
from citespan.pipelines.retrieval.passage import Passage

PASSAGE = Passage(
    rank=1,
    score=1.0,
    first_sentence=1,
    last_sentence=1,
    start=10,
    end=30,
    section="",
    text="The p53 protein [1] binds.",
    matches=((4, 7), (8, 15)),
    before="Before it.",
    after="And after.",
    term_scores={},
)


def test_the_span_and_its_matches_are_marked() -> None:
    marked = mark_passage(PASSAGE)
    assert marked == "Before it. ⟦The ⟨p53⟩ ⟨protein⟩ [1] binds.⟧ And after."


def test_matches_that_overlap_are_marked_once() -> None:
    passage = replace(PASSAGE, matches=((4, 7), (4, 15), (8, 19)), before="", after="")
    assert mark_passage(passage) == "⟦The ⟨p53 protein [1]⟩ binds.⟧"


def test_without_its_marks_it_is_the_text() -> None:
    marked = mark_passage(PASSAGE)
    for mark in "⟦⟧⟨⟩":
        marked = marked.replace(mark, "")
    assert marked == f"{PASSAGE.before} {PASSAGE.text} {PASSAGE.after}"


def test_what_differs_is_marked_in_a_passage() -> None:
    passage = replace(PASSAGE, matches=((4, 7),), differing=((4, 15),), before="", after="")
    assert mark_passage(passage) == "⟦The ⟪⟨p53⟩⟫⟪ protein⟫ [1] binds.⟧"
