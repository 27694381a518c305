"""What holds for every reader of vocabularies in the registry, on its fixture."""

import re
from pathlib import Path

import pytest
from places import TEST_DATA

from citespan.pipelines.corpus.article import Rejected
from citespan.pipelines.errors import InputError
from citespan.pipelines.vocabulary.builder import build
from citespan.pipelines.vocabulary.matching import Matcher
from citespan.pipelines.vocabulary.reader import vocabulary_readers
from citespan.pipelines.vocabulary.store import Vocabulary
from citespan.pipelines.vocabulary.terms import ConceptFilter, VocabularyTerm

FIXTURES = TEST_DATA / "vocabulary"
NAMES = vocabulary_readers.names()


def fixture(name: str) -> Path:
    """The folder `name` of the fixtures, or the one file in it where readers take files."""
    folder = FIXTURES / name
    inside = list(folder.iterdir())
    return inside[0] if len(inside) == 1 else folder


@pytest.mark.parametrize("name", NAMES)
def test_names_and_descriptions(name: str) -> None:
    reader = vocabulary_readers[name]
    assert re.fullmatch(r"[a-z][a-z0-9-]*", reader.name)
    assert reader.description
    assert "\n" not in reader.description


@pytest.mark.parametrize("name", NAMES)
def test_every_term_is_whole(name: str) -> None:
    terms = list(vocabulary_readers[name].terms(fixture(name)))
    preferred = set()
    for term in terms:
        if isinstance(term, Rejected):
            assert term.outcome == "skipped"
            assert term.reason
            continue
        assert isinstance(term, VocabularyTerm)
        assert term.cui
        assert term.text.strip()
        assert term.source
        assert term.term_type
        if term.preferred:
            assert term.cui not in preferred, "two preferred names"
            preferred.add(term.cui)
    typed = any(isinstance(t, VocabularyTerm) and t.semantic_types for t in terms)
    assert typed == vocabulary_readers[name].typed(fixture(name))
    assert preferred


@pytest.mark.parametrize("name", NAMES)
def test_reading_again_gives_the_same(name: str) -> None:
    reader = vocabulary_readers[name]
    assert list(reader.terms(fixture(name))) == list(reader.terms(fixture(name)))
    assert reader.version(fixture(name)) == reader.version(fixture(name))


@pytest.mark.parametrize("name", NAMES)
def test_each_term_is_found_in_a_store_of_them(name: str, tmp_path: Path) -> None:
    reader = vocabulary_readers[name]
    rows = list(reader.terms(fixture(name)))
    report = build(rows, tmp_path / "store", reader.version(fixture(name)))
    assert report.rows == len(rows)
    assert report.rows == report.terms + sum(report.skipped.values()) + report.quarantined
    vocabulary = Vocabulary(tmp_path / "store")
    matcher = Matcher(vocabulary, ConceptFilter(tuple(vocabulary.sources)))
    for term in rows:
        if isinstance(term, VocabularyTerm):
            (match,) = matcher.matches(f"({term.text})")
            assert term.cui in (match.concept.cui, *match.others)


@pytest.mark.parametrize("name", NAMES)
def test_what_is_not_its_kind_is_an_input_error(name: str, tmp_path: Path) -> None:
    other = tmp_path / "note.txt"
    other.write_text("nothing of a vocabulary")
    with pytest.raises(InputError, match=re.escape(str(other))):
        vocabulary_readers[name].version(other)
