"""The part of a citing sentence that each marker stands for; "⟦" and "⟧" enclose the markers."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citespan.pipelines.citing.clauses import _has_words, _says_something, find_clauses
from citespan.pipelines.citing.marker_patterns import remove_markers


def clauses(written: str) -> list[str]:
    sentence = re.sub("[⟦⟧]", "", written)
    markers = []
    for number, found in enumerate(re.finditer("⟦([^⟧]*)⟧", written)):
        start = found.start() - 2 * number
        markers.append((start, start + len(found[1])))
    return [sentence[start:end] for start, end in find_clauses(sentence, markers)]


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("Yeast grows on all sugars ⟦[1]⟧.", ["Yeast grows on all sugars [1]."]),
        (
            "Yeast grows on all sugars ⟦[1]⟧, whereas bread does not grow ⟦[2]⟧.",
            ["Yeast grows on all sugars [1]", "whereas bread does not grow [2]."],
        ),
        (
            "Okada et al. ⟦[1]⟧ showed that yeast grows; Smith ⟦[2]⟧ saw no growth of it.",
            ["Okada et al. [1] showed that yeast grows", "Smith [2] saw no growth of it."],
        ),
        (
            "⟦Okada (1999)⟧ showed that the yeast grows.",
            ["Okada (1999) showed that the yeast grows."],
        ),
        (
            "Reports by Okada ⟦[1]⟧ and Smith ⟦[2]⟧ describe how yeast grows.",
            ["Reports by Okada [1] and Smith [2] describe how yeast grows.",
             "Smith [2] describe how yeast grows."],
        ),
        (
            "Two kinases were then found in yeast, Abc1 ⟦[1]⟧ and Abc2 ⟦[2]⟧.",
            ["Two kinases were then found in yeast, Abc1 [1]",
             "Two kinases were then found in yeast, Abc1 [1] and Abc2 [2]."],
        ),
        (
            "Yeast grows on all sugars ⟦[1]⟧, and we therefore looked at bread in detail.",
            ["Yeast grows on all sugars [1]"],
        ),
    ],
)  # fmt: skip
def test_each_marker_has_its_clause(written: str, expected: list[str]) -> None:
    assert clauses(written) == expected


@given(st.lists(st.sampled_from(["[1]", "word ", "Okada ", ", and ", "; ", ", which ", ". ", " "])))
def test_a_marker_is_in_its_clause_and_the_clause_in_the_sentence(parts: list[str]) -> None:
    sentence, markers = "", []
    for part in parts:
        if part == "[1]":
            markers.append((len(sentence), len(sentence) + 3))
        sentence += part
    found = find_clauses(sentence, markers)
    assert len(found) == len(markers)
    for (start, end), (first, last) in zip(markers, found, strict=True):
        assert 0 <= first <= start < end <= last <= len(sentence)


_PIECES = (
    *("the", "kinase", "binds", "yeast", "growth,", "sugar;", "mice.12", "O'Neil", "co-workers"),
    *("Smith", "Okada", "et al.", "and", "colleagues", "van", "der", "Berg", "de", "his", "1999"),
    *("(1999)", "(Smith et al., 2001)", "[3,4]", "(Figure 3;", "Lee 2001)", "(", "[", ")", "]"),
    *("in", "press", "submitted", "unpublished data", "ref.", "12", "PMID", "123456", "(see"),
)


@given(st.lists(st.sampled_from(_PIECES), max_size=14).map(" ".join))
def test_markers_are_left_in_place_only_where_that_decides_nothing(part: str) -> None:
    assert _says_something(part) == (_has_words(part) and _has_words(remove_markers(part)))
