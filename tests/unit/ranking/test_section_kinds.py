"""What the sections of full-text articles are."""

import pytest

from citespan.pipelines.ranking.section_kinds import (
    KINDS,
    classify_heading,
    find_places,
    remove_headings,
)
from citespan.pipelines.ranking.sentences import ArticleSentences


@pytest.mark.parametrize(
    ("heading", "kind", "part"),
    [
        ("Abstract", "abstract", "abstract"),
        ("Abstract / Results", "abstract", "results"),
        ("1. Introduction", "introduction", "introduction"),
        ("2.1 Related Work.", "related work", "related work"),
        ("Methods / Statistical analysis", "methods", "methods"),
        ("MATERIALS AND METHODS", "methods", "methods"),
        ("IV. Experimental Results", "results", "results"),
        ("Results / Adverse events", "results", "results"),
        ("Discussion / Limitations", "discussion", "discussion"),
        ("Conclusions", "conclusions", "conclusions"),
        ("Competing interests", "back matter", "back matter"),
        ("Declarations / Ethics approval and consent to participate", "back matter", "back matter"),
        ("Discussion / Authors' contributions", "back matter", "back matter"),
        ("Acknowledgements", "back matter", "back matter"),
        ("Funding", "back matter", "back matter"),
        ("The espresso algorithm", "other", "other"),
        ("", "other", "other"),
    ],
)
def test_headings(heading: str, kind: str, part: str) -> None:
    assert classify_heading(heading) == (kind, part)
    assert kind in KINDS


def test_headings_in_the_text_count_until_the_next() -> None:
    texts = (
        "TITLE: \nA trial of aspirin\n\n",
        "ABSTRACT.RESULTS:\nStrokes fell.\n\n",
        "BODY.METHODS:\nWe asked 12 people. ",
        "They answered.\n",
        "BODY.RESULTS:\nStrokes fell. ",
        "Much.\nBODY.ADVERSE EVENTS:\n",
        "None.\n\n",
        "BODY.COMPETING INTERESTS:\nNone.",
    )
    places = find_places(ArticleSentences(texts, ("Body",) * len(texts)))
    assert [place.kind for place in places] == [
        "title", "abstract", "methods", "methods", "results", "results", "results", "back matter",
    ]  # fmt: skip
    assert places[1].part == "results"


def test_headings_are_removed_and_nothing_moves() -> None:
    text = "BODY.RESULTS:\nThe ratio: 2:1.\n"
    assert remove_headings(text) == " " * len("BODY.RESULTS:") + "\nThe ratio: 2:1.\n"
    assert remove_headings("In short: yes.") == "In short: yes."


def test_labels_in_the_paragraph_of_an_abstract_count_until_the_next_or_its_end() -> None:
    texts = (
        "OBJECTIVE To ask. ",
        "METHODS We asked 12 people. ",
        "They answered. ",
        "Results: Strokes fell. ",
        "CONCLUSIONS AND RELEVANCE Aspirin works.\n",
        "A new paragraph. ",
        "RNA was found. ",
        "NONE of them. ",
    )
    places = find_places(ArticleSentences(texts, ("",) * len(texts)))
    assert [place.part for place in places] == [
        "introduction", "methods", "methods", "results", "conclusions", "other", "other", "other",
    ]  # fmt: skip
    of_methods = find_places(ArticleSentences(("Results: none.",), ("Methods",)))
    assert of_methods[0].kind == "methods"
