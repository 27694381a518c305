"""Terms that count only as they are written."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from made_vocabularies import vocabulary

from citespan.pipelines.vocabulary.matching import Matcher
from citespan.pipelines.vocabulary.normalise import keys, normalise
from citespan.pipelines.vocabulary.spelling import Spelling, describe_writing
from citespan.pipelines.vocabulary.terms import ConceptFilter, VocabularyTerm


def found(folder: Path, terms: dict[str, str], text: str) -> list[tuple[str, str]]:
    some = [VocabularyTerm(cui, name, "MSH", "SY", False) for name, cui in terms.items()]
    matcher = Matcher(vocabulary(folder / "store", some), ConceptFilter())
    matches = matcher.matches(text)
    assert all(text[m.start : m.end] == m.text for m in matches)
    return [(m.text, m.concept.cui) for m in matches]


@pytest.mark.parametrize(
    ("terms", "text", "expected"),
    [
        ({"protein A": "C1"}, "a protein and a protein alone", []),
        ({"protein A": "C1"}, "on Protein-A, protein A2", [("Protein-A", "C1")]),
        ({"protein A": "C1", "protein": "C2"}, "proteins, protein A",
         [("proteins", "C2"), ("protein A", "C1")]),
        ({"surfactant proteins A": "C1"}, "surfactant protein A", [("surfactant protein A", "C1")]),
        ({"in vitro": "C1", "the kidney": "C2"}, "In vitro and vitro kidneys",
         [("In vitro", "C1"), ("kidneys", "C2")]),
        ({"PCr": "C1"}, "the PCR", []),
        ({"PCr": "C1"}, "the PCrs", [("PCrs", "C1")]),
        ({"eye": "C1"}, "Eyes, eye and EYE", [("Eyes", "C1"), ("eye", "C1")]),
        ({"Ca2+": "C1"}, "Ca2+ or Ca2", [("Ca2+", "C1"), ("Ca2", "C1")]),
        ({"K+ channel": "C1"}, "K+-channels", [("K+-channels", "C1")]),
        ({"B-A": "C1"}, "B-A and B-a, b A", [("B-A", "C1")]),
        ({"al": "C1", "6": "C2"}, "Smith et al. had 6", []),
        ({"cell of": "C1", "of lung": "C2", "lung": "C3"}, "cell of lung",
         [("cell of", "C1"), ("lung", "C3")]),
        ({"cell of": "C1", "cell": "C2", "cell line": "C3"}, "cell lines of cells of",
         [("cell lines", "C3"), ("cells of", "C1")]),
    ],
)  # fmt: skip
def test_what_counts(
    tmp_path: Path, terms: dict[str, str], text: str, expected: list[tuple[str, str]]
) -> None:
    assert found(tmp_path, terms, text) == expected


def test_the_longest_that_stands_counts(tmp_path: Path) -> None:
    terms = {"lung protein A": "C1", "lung": "C2", "protein": "C3"}
    assert found(tmp_path, terms, "lung protein") == [("lung", "C2"), ("protein", "C3")]


def test_most_terms_are_told_by_their_key() -> None:
    told = ("brown adipose tissue", "TGF-beta (1)", "disease of the lung", "the lung", "cats")
    assert not any(describe_writing(term) for term in told)
    assert all(describe_writing(term) for term in ("vitamin A", "cat", "Na+", "on hold"))


def test_terms_that_are_written_alike_share_a_writing() -> None:
    alike = ("in vitro study", "In situ", "IN THE (kidney)")
    assert len({describe_writing(term) for term in alike}) == 1
    assert describe_writing("protein A") != describe_writing("protein a")
    assert describe_writing("PCR") != describe_writing("PCr")


PIECES = ("of", "In", "if", "B", "b", "so", "βs", "Ca2")


@given(
    st.lists(st.tuples(st.sampled_from(PIECES), st.sampled_from((" ", "-", ", "))), max_size=5),
    st.sampled_from(("", "+", "-")),
)
def test_a_term_stands_where_it_is_written(pieces: list[tuple[str, str]], marks: str) -> None:
    term = "".join(piece + gap for piece, gap in pieces).strip(" -,") + marks
    if keys(term) and (said := describe_writing(term)):
        tokens = normalise(term)
        place = Spelling(said).place(f"x {term} y", 2 + tokens[0][1], 2 + tokens[-1][2])
        assert place in {(2, 2 + len(term)), (2, 2 + len(term) - len(marks))}


def test_terms_of_one_concept_count_each_as_it_is_written(tmp_path: Path) -> None:
    """A synonym in other capitals, of a source that doesn't count, counts for nothing."""
    some = [
        VocabularyTerm("C1", "PCr", "SNOMEDCT_US", "PT", True),
        VocabularyTerm("C1", "PCR", "NCI", "SY", False),
    ]
    store = vocabulary(tmp_path / "store", some)
    both = ConceptFilter(("SNOMEDCT_US", "NCI"))
    assert [m.text for m in Matcher(store, both).matches("PCr, PCR")] == ["PCr", "PCR"]
    assert [m.text for m in Matcher(store, ConceptFilter()).matches("PCr, PCR")] == ["PCr"]
