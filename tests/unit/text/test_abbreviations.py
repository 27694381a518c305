"""Abbreviations that a text defines, and matching by them."""

from collections.abc import Mapping

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from places import SHARED_DATA

from citespan.pipelines.text import abbreviations as module
from citespan.pipelines.text.abbreviations import find_abbreviations
from citespan.pipelines.vocabulary.builder import build
from citespan.pipelines.vocabulary.matching import Matcher, match_with_abbreviations
from citespan.pipelines.vocabulary.store import Vocabulary
from citespan.pipelines.vocabulary.terms import ConceptFilter, VocabularyTerm

CRAFT = SHARED_DATA / "craft" / "train" / "txt"
TERMS = {
    "brown adipose tissue": "tissue",
    "bone": "bone",
    "late brown adipose tissue": "late",
    "cat": "animal",
    "CAT": "tomography",
    "chloramphenicol acetyltransferase": "enzyme",
    "BMP signaling": "pathway",
    "signaling": "signaling",
    "cells": "cells",
}


@pytest.mark.parametrize(
    ("text", "defined"),
    [
        ("Fat of the brown adipose tissue (BAT) burns.", {"BAT": "brown adipose tissue"}),
        ("BAT (brown adipose tissue of mice) burns.", {"BAT": "brown adipose tissue of mice"}),
        ("the mesenchymal stem\n cells (MSCs) grew", {"MSCs": "mesenchymal stem cells"}),
        ("peroxisome proliferator-activated receptor-γ (PPARγ)",
         {"PPARγ": "peroxisome proliferator-activated receptor-γ"}),
        ("a base pair (bp) and a wild type (wt)", {"bp": "base pair", "wt": "wild type"}),
        ("of N-methyl-D-aspartate (NMDA) there", {"NMDA": "N-methyl-D-aspartate"}),
        ("Schlemm's canal (SC) and Spearman’s correlation coefficient (SCC)",
         {"SC": "Schlemm's canal", "SCC": "Spearman’s correlation coefficient"}),
        ("the 'Last Observation Carried Forward (LOCF)' rule",
         {"LOCF": "Last Observation Carried Forward"}),
        ("European Respiratory Society (ERS), (ERS) and tissue (X2), (12), (2BT)",
         {"ERS": "European Respiratory Society"}),
        ("in this system (System of the year 2000) we", {}),
        ("BSA (BSA alone was used there)", {}),
        ("the heart was cut. Tissue (HCT) grew", {}),
        ("we saw it (Smith et al., 2006) and (Figure 2) at (12)", {}),
        ("it ended with brown adipose tissue\n\n(BAT) began", {}),
        ("no parenthesis at all", {}),
        ("", {}),
        ("((((", {}),
    ],
)  # fmt: skip
def test_definitions(text: str, defined: dict[str, str]) -> None:
    assert find_abbreviations(text) == defined


def test_the_most_frequent_long_form_counts_then_the_first() -> None:
    embryonic, electric = "embryonic stem (ES) cells. ", "electric shock (ES) hurts. "
    assert find_abbreviations(electric + embryonic + embryonic)["ES"] == "embryonic stem"
    assert find_abbreviations(electric + embryonic)["ES"] == "electric shock"


def test_starting_the_tokenizer_anew_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    text = "Of brown adipose tissue (BAT), white adipose tissue (WAT) and bone marrow (BM)."
    wanted = find_abbreviations(text)
    monkeypatch.setattr(module, "_MOST_WORDS", 0)
    assert find_abbreviations(text) == wanted
    assert set(wanted) == {"BAT", "WAT", "BM"}


def test_windows_lose_nothing() -> None:
    """Against whole articles tokenised at once."""
    if not CRAFT.is_dir():
        pytest.skip("CRAFT is not beside the checkout (../shared/data/craft)")
    compared = 0
    for file in sorted(CRAFT.glob("*.txt"))[:6]:
        text = file.read_text(encoding="utf-8")
        ours = find_abbreviations(text)
        for short, long in module._definitions(text):
            assert short in ours
            compared += ours[short] == long
    assert compared > 50


@pytest.fixture(scope="module")
def matcher(tmp_path_factory: pytest.TempPathFactory) -> Matcher:
    folder = tmp_path_factory.mktemp("vocabulary") / "store"
    build([VocabularyTerm(c, t, "TEST", "PT", True) for t, c in TERMS.items()], folder, "1")
    return Matcher(Vocabulary(folder), ConceptFilter())


def found(matcher: Matcher, text: str, defined: Mapping[str, str]) -> list[tuple[str, str]]:
    return [
        (match.text, match.concept.cui)
        for match in match_with_abbreviations(matcher, text, defined)
    ]


BAT = {"BAT": "brown adipose tissue"}


@pytest.mark.parametrize(
    ("text", "defined", "expected"),
    [
        ("BAT is warm", BAT, [("BAT", "tissue")]),
        ("BAT is warm", {}, []),
        ("in late BAT cells", BAT, [("late BAT", "late"), ("cells", "cells")]),
        ("BATs and pre-BAT, BAT-like", BAT,
         [("BATs", "tissue"), ("BAT", "tissue"), ("BAT", "tissue")]),
        ("a bat, BAT2 and COMBAT", BAT, []),
        ("brown adipose tissue (BAT)", BAT,
         [("brown adipose tissue", "tissue"), ("BAT", "tissue")]),
        ("CAT cells", {"CAT": "chloramphenicol acetyltransferase"},
         [("CAT", "enzyme"), ("cells", "cells")]),
        ("CAT cells", {"CAT": "cats after tea"}, [("CAT", "tomography"), ("cells", "cells")]),
        ("BMP grows", {"BMP": "bone morphogenetic protein"}, []),
        ("BMP signaling", {"BMP": "bone morphogenetic protein"}, [("BMP signaling", "pathway")]),
        ("MSC and MSCs", {"MSCs": "signaling"}, [("MSC", "signaling"), ("MSCs", "signaling")]),
    ],
)  # fmt: skip
def test_short_forms_stand_for_the_concepts_of_their_long_forms(
    matcher: Matcher, text: str, defined: dict[str, str], expected: list[tuple[str, str]]
) -> None:
    assert found(matcher, text, defined) == expected


WORDS = st.lists(
    st.sampled_from(["BAT", "BATs", "CAT", "BMP", "late", "cat", "bone", "signaling", "cells",
                     "brown", "adipose", "tissue", "(", ")", ",", "γ", "\n"]),
    max_size=15,
).map(" ".join)  # fmt: skip
DEFINED = st.dictionaries(
    st.sampled_from(["BAT", "CAT", "BMP", "late", "MSCs"]),
    st.sampled_from(["brown adipose tissue", "bone", "γ cat", "x", "chloramphenicol (x) cat"]),
    max_size=3,
)


@settings(max_examples=300, deadline=None)
@given(text=WORDS, defined=DEFINED)
def test_matches_are_in_order_and_of_the_text(
    matcher: Matcher, text: str, defined: dict[str, str]
) -> None:
    last = 0
    for match in match_with_abbreviations(matcher, text, defined):
        assert last <= match.start < match.end
        assert match.text == text[match.start : match.end]
        assert match.text == match.text.strip()
        last = match.end
    assert match_with_abbreviations(matcher, text, {}) == matcher.matches(text)
