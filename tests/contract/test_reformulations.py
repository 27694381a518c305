"""What holds for every reformulation."""

import math
import re

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from citespan.pipelines.reformulation.reformulation import Reformulation, reformulations

MARKERS = [
    "[12]",
    "[3,4–7]",
    "(1–3)",
    "(ref. 12)",
    "(Quimby et al., 2006)",
    "(Quimby and Zwick 1999; Xanther et al., 2001a, b)",
    "(see Quimby, 2001 for review)",
    "(PMID: 123456)",
]
LEFT_OF_MARKERS = re.compile(
    r"quimby|zwick|xanther|et al|pmid|\[\d|\(\d|1999|200\d|\b12\b", re.IGNORECASE
)
PIECES = st.sampled_from(
    [
        *MARKERS,
        "p53 ",
        "TGF-β1",
        " of ",
        "the ",
        "cells",
        "12",
        "(",
        ")",
        "[",
        ";",
        ". ",
        "\n",
        "α",
        "’s",
    ]
)
TEXTS = st.one_of(st.text(max_size=80), st.lists(PIECES, max_size=20).map("".join))
ANY = settings(
    max_examples=100, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)


@pytest.fixture(params=reformulations.names())
def reformulation(request: pytest.FixtureRequest) -> Reformulation:
    return reformulations[request.param]


@ANY
@given(text=TEXTS)
def test_any_text_gives_sound_terms_again_and_again(
    reformulation: Reformulation, text: str
) -> None:
    terms = reformulation.reformulate(text)
    assert isinstance(terms, tuple)
    for term in terms:
        assert term.text.strip()
        assert term.kind in {"word", "phrase"}
        assert math.isfinite(term.weight)
        assert term.weight > 0
    assert reformulation.reformulate(text) == terms


@pytest.mark.parametrize("marker", MARKERS)
def test_no_citation_marker_is_left(reformulation: Reformulation, marker: str) -> None:
    terms = reformulation.reformulate(
        f"The loss of p53 in tumours {marker} stops apoptosis {marker}."
    )
    assert not LEFT_OF_MARKERS.search(" ".join(term.text for term in terms))


@pytest.mark.parametrize("citance", ["", " \n", "[12]", "of the and", "12 (Quimby et al., 2006)"])
def test_an_empty_citance_gives_no_terms(reformulation: Reformulation, citance: str) -> None:
    assert reformulation.reformulate(citance) == ()


def test_name_and_description(reformulation: Reformulation) -> None:
    assert re.fullmatch(r"[a-z][a-z0-9+-]*", reformulation.name)
    assert reformulation.description
    assert "\n" not in reformulation.description
