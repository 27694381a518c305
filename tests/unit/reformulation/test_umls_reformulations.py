"""UMLS reformulations on a vocabulary written here."""

from pathlib import Path

import pytest

from citespan.pipelines.errors import UnknownNameError
from citespan.pipelines.reformulation.options import Options
from citespan.pipelines.reformulation.query import Query, Term, Word
from citespan.pipelines.reformulation.reformulation import Context, parse, reformulations
from citespan.pipelines.text.words import word_offsets
from citespan.pipelines.vocabulary.builder import build
from citespan.pipelines.vocabulary.terms import VocabularyTerm

ROWS = [
    ("C1", "apoptosis", "SNOMEDCT_US", True),
    ("C1", "programmed cell death", "SNOMEDCT_US", False),
    ("C1", "cell suicide", "OTHER", False),
    ("C2", "brown fat", "SNOMEDCT_US", True),
    ("C2", "brown adipose tissue", "SNOMEDCT_US", False),
    ("C2", "BROWN-FAT", "SNOMEDCT_US", False),
    ("C3", "cancer of the lung", "SNOMEDCT_US", True),
    ("C3", "lung cancer", "SNOMEDCT_US", False),
    ("C4", "wingless", "OTHER", False),
    ("C5", "BAT", "OTHER", True),
]


@pytest.fixture(scope="module")
def vocabulary(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("vocabulary") / "store"
    build([VocabularyTerm(c, text, s, "SY", p, ("T1",)) for c, text, s, p in ROWS], folder, "made")
    return folder


def texts(name: str, citance: str, context: Context) -> list[str]:
    return [term.text for term in parse(name).terms(citance, context)]


def test_reduce_keeps_the_words_of_concepts(vocabulary: Path) -> None:
    citance = "The wingless mice had less programmed cell death and cancers of the lung [3]."
    context = Context(Options(vocabulary))
    assert texts("umls-reduce", citance, context) == [
        "programmed",
        "cell",
        "death",
        "cancers",
        "lung",
    ]
    other = Context(Options(vocabulary, sources=("OTHER",)))
    assert texts("umls-reduce", citance, other) == ["wingless", "cancers", "lung"]
    strict = Context(Options(vocabulary, sources=("OTHER",), preferred=False))
    assert texts("umls-reduce", citance, strict) == ["wingless"]


def test_expand_adds_synonyms_that_count(vocabulary: Path) -> None:
    terms = parse("umls-expand").terms(
        "Apoptosis in cancers of the lung", Context(Options(vocabulary))
    )
    assert terms == (
        Term("Apoptosis"),
        Term("cancers"),
        Term("lung"),
        Term("programmed cell death", 1.0, "phrase"),
        Term("lung cancer", 1.0, "phrase"),
    )
    loose = Options(vocabulary, sources=("SNOMEDCT_US", "OTHER"), synonyms="conjunction")
    terms = parse("umls-expand").terms("apoptosis", Context(loose))
    assert {(t.text, t.kind) for t in terms[1:]} == {
        ("programmed cell death", "conjunction"),
        ("cell suicide", "conjunction"),
    }


def test_a_synonym_weighs_what_its_words_weigh_on_average(vocabulary: Path) -> None:
    citance = "programmed cell death"
    words = tuple(
        Word(*place, weight) for place, weight in zip(word_offsets(citance), (1, 2, 6), strict=True)
    )
    query = reformulations["umls-expand"].reformulate(
        Query(citance, words), Context(Options(vocabulary))
    )
    assert query.added == (Term("apoptosis", 3.0),)


def test_a_concept_that_has_lost_a_word_is_not_expanded(vocabulary: Path) -> None:
    citance = "programmed cell death"
    words = tuple(Word(*place) for place in word_offsets(citance)[1:])
    query = reformulations["umls-expand"].reformulate(
        Query(citance, words), Context(Options(vocabulary))
    )
    assert query.added == ()


def test_an_abbreviation_stands_for_what_the_article_says(vocabulary: Path) -> None:
    article = "We looked at brown adipose tissue (BAT) of mice. BAT is warm."
    known = Context(Options(vocabulary), lambda: article)
    assert texts("umls-expand", "Warm BAT was seen", known)[3:] == [
        "brown fat",
        "brown adipose tissue",
    ]
    assert texts("umls-reduce", "Warm BAT was seen", known) == ["BAT"]
    assert texts("umls-expand", "Warm BAT was seen", Context(Options(vocabulary)))[3:] == []


def test_field_hands_runs_of_words_to_the_server(vocabulary: Path) -> None:
    terms = parse("umls-field").terms("Between 12 cancers of the lung we saw apoptosis", Context())
    assert terms == (
        Term("cancers of the lung", 1.0, "synonym-phrases"),
        Term("saw apoptosis", 1.0, "synonym-phrases"),
    )
    loose = Context(Options(vocabulary, synonyms="conjunction"))
    terms = parse("umls-reduce+umls-field").terms("Cell suicide of lung cancer", loose)
    assert terms == (Term("lung cancer", 1.0, "synonym-conjunctions"),)


def test_field_keeps_weights_apart() -> None:
    words = tuple(Word(*place, weight) for place, weight in ((((0, 4)), 1.0), ((5, 11), 2.0)))
    query = reformulations["umls-field"].reformulate(Query("lung cancer", words), Context())
    assert [(t.text, t.weight) for t in query.added] == [("lung", 1.0), ("cancer", 2.0)]
    assert query.words == ()


@pytest.mark.parametrize("name", ["umls-reduce", "umls-expand"])
def test_unknown_sources_and_types_are_told(vocabulary: Path, name: str) -> None:
    with pytest.raises(UnknownNameError, match="'MSH'; choose from: OTHER, SNOMEDCT_US"):
        parse(name).terms("cell", Context(Options(vocabulary, sources=("MSH",))))
    with pytest.raises(UnknownNameError, match="'T047'; choose from: T1"):
        parse(name).terms("cell", Context(Options(vocabulary, semantic_types=("T047",))))


def test_a_store_that_is_none_is_told(tmp_path: Path) -> None:
    with pytest.raises(Exception, match=str(tmp_path)):
        parse("umls-reduce").terms("cell", Context(Options(tmp_path)))
