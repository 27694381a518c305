"""Terms that count only as they are written."""

from pathlib import Path

import pytest
from made_vocabularies import vocabulary

from citespan.pipelines.vocabulary.concept_filter import ConceptFilter
from citespan.pipelines.vocabulary.matching import Matcher
from citespan.pipelines.vocabulary.spelling import Spelling
from citespan.pipelines.vocabulary.term import VocabularyTerm


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
    assert not any(Spelling(term).matters for term in told)
    assert all(Spelling(term).matters for term in ("vitamin A", "cat", "Na+", "on hold"))
