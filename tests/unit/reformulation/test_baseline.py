"""The baseline reformulation keeps words and drops markers, stop words and numbers."""

import pytest

from citespan.pipelines.reformulation.query import Term
from citespan.pipelines.reformulation.reformulation import Context, parse
from citespan.pipelines.text.words import STOP_WORDS, is_number, is_stop_word, words


def baseline(citance: str) -> tuple[Term, ...]:
    return parse("baseline").terms(citance, Context())


def texts(citance: str) -> list[str]:
    return [term.text for term in baseline(citance)]


def test_a_citance() -> None:
    citance = (
        "As Smith et al. (2006) have shown, the loss of p53 in 12 of the tumours12,13 was not due "
        "to TGF-β1 (Lee and Green, 2001; Figure 3)."
    )
    assert texts(citance) == ["shown", "loss", "p53", "tumours", "due", "TGF-β1", "Figure"]


def test_a_word_that_occurs_twice_counts_twice() -> None:
    assert baseline("Mice ate mice [12]") == (Term("Mice", 2.0), Term("ate", 1.0))


@pytest.mark.parametrize(
    "name",
    ["TGF-β1", "p53-mediated", "IL-2", "PGC-1α", "5'-UTR", "5′-UTR", "H2O2", "1α", "PU.1", "CO2",
     "Crohn's", "1,25-vitamin", "e\u0301tude", "GLUT4", "c-Myc", "CD4", "3T3-L1"]
)  # fmt: skip
def test_names_stay_whole(name: str) -> None:
    assert texts(f"loss ({name}), of {name}.") == ["loss", name]


@pytest.mark.parametrize(
    "number", ["12", "3.5", "10%", "1,000", "10-15", "10–15", "1999", "-7", "±2", "5′", "½"]
)
def test_numbers_go(number: str) -> None:
    assert texts(f"loss of {number} cells") == ["loss", "cells"]


@pytest.mark.parametrize(
    "citance", ["", " ", "[12]", "It is not of the.", "12 of 13 (Smith 2001)", "— … ±", "\ufeff"]
)
def test_nothing_left(citance: str) -> None:
    assert baseline(citance) == ()


def test_slashes_and_missing_spaces_part_words() -> None:
    assert words("cells/mice and.Next rats,cats") == [
        "cells",
        "mice",
        "and",
        "Next",
        "rats",
        "cats",
    ]


def test_stop_words() -> None:
    assert is_stop_word("The")
    assert is_stop_word("can’t")
    assert not is_stop_word("cell")
    assert all(word == word.lower() and not is_number(word) for word in STOP_WORDS)
