"""What holds for every reformulation, alone and combined."""

import math
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from citespan.pipelines.citing.marker_patterns import remove_markers
from citespan.pipelines.reformulation.options import Options
from citespan.pipelines.reformulation.query import Query, Term, Word
from citespan.pipelines.reformulation.reformulation import (
    PUBLISHED,
    Composition,
    Context,
    Reformulation,
    parse,
    reformulations,
)
from citespan.pipelines.text.words import word_offsets
from citespan.pipelines.vocabulary.builder import build
from citespan.pipelines.vocabulary.terms import VocabularyTerm

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
        " tumour suppressor ",
        "protein p53",
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
NAMES = [*reformulations.names(), *PUBLISHED]
ARTICLE = "The tumour protein 53 (TP53) keeps cells from dividing. Its loss leads to tumours."


def found(terms: object, spans: int) -> list[str]:
    """What a search gives for any terms at all."""
    assert terms
    return ARTICLE.split(". ")[:spans]


@pytest.fixture(scope="module")
def context(tmp_path_factory: pytest.TempPathFactory) -> Context:
    """All that a reformulation can need."""
    folder: Path = tmp_path_factory.mktemp("vocabulary") / "store"
    rows = [
        ("C1", "p53", True),
        ("C1", "tumour protein 53", False),
        ("C1", "tumour suppressor p53", False),
        ("C2", "neoplasm", True),
        ("C2", "tumour", False),
        ("C3", "apoptosis", True),
        ("C3", "programmed cell death", False),
    ]
    terms = [VocabularyTerm(cui, text, "MADE", "SY", best) for cui, text, best in rows]
    build(terms, folder, "made for a test")
    return Context(Options(vocabulary=folder), lambda: ARTICLE, found)


@pytest.fixture(params=NAMES)
def composition(request: pytest.FixtureRequest) -> Composition:
    return parse(request.param)


@pytest.fixture(params=reformulations.names())
def reformulation(request: pytest.FixtureRequest) -> Reformulation:
    return reformulations[request.param]


@ANY
@given(text=TEXTS)
def test_any_text_gives_sound_terms_again_and_again(
    composition: Composition, context: Context, text: str
) -> None:
    terms = composition.terms(text, context)
    for term in terms:
        assert term.text.strip()
        assert math.isfinite(term.weight)
        assert term.weight > 0
    assert len({(term.kind, term.text.lower()) for term in terms}) == len(terms)
    assert composition.terms(text, context) == terms


@pytest.mark.parametrize("marker", MARKERS)
def test_no_citation_marker_is_left(
    composition: Composition, context: Context, marker: str
) -> None:
    terms = composition.terms(
        f"The loss of p53 in tumours {marker} stops apoptosis {marker}.", context
    )
    assert terms
    assert not LEFT_OF_MARKERS.search(" ".join(term.text for term in terms))


@pytest.mark.parametrize("citance", ["", " \n", "[12]", "of the and", "12 (Quimby et al., 2006)"])
def test_an_empty_citance_gives_no_terms(
    composition: Composition, context: Context, citance: str
) -> None:
    assert composition.terms(citance, context) == ()


def test_words_come_from_the_words_before(reformulation: Reformulation, context: Context) -> None:
    text = remove_markers("The tumour suppressor p53 induces apoptosis in 12 of the tumours [12].")
    every = tuple(Word(start, end) for start, end in word_offsets(text))
    kept = parse("baseline").query(text, context).words
    before = Query(text, kept, (Term("an earlier one"),))
    after = reformulation.reformulate(before, context)
    assert {(w.start, w.end) for w in after.words} <= {(w.start, w.end) for w in every}
    assert after.citance == text
    assert after.added[:1] == before.added
    if reformulation.role == "reduction":
        assert after.added == before.added


def test_what_it_says_of_itself(reformulation: Reformulation) -> None:
    assert re.fullmatch(r"[a-z][a-z0-9-]*", reformulation.name)
    assert reformulation.description
    assert "\n" not in reformulation.description
    assert reformulation.role in {"reduction", "expansion"}
    assert set(reformulation.needs) <= {"vocabulary", "search"}


def test_what_is_needed_is_asked_for(
    reformulation: Reformulation, monkeypatch: pytest.MonkeyPatch
) -> None:
    ask: Callable[[], object] = lambda: parse(reformulation.name).terms("p53 binds", Context())  # noqa: E731
    if reformulation.needs:
        with pytest.raises(Exception, match=f"{reformulation.name} needs .*: name one by `"):
            ask()
    else:
        assert ask() is not None
