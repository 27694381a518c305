"""Longest match against a naive matcher on a dictionary, on random vocabularies and texts."""

import tempfile
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from made_vocabularies import SOURCES, TYPES, terms, texts, vocabulary

from citespan.pipelines.errors import UnknownNameError
from citespan.pipelines.vocabulary.matching import SHORTEST, Match, Matcher
from citespan.pipelines.vocabulary.normalise import keys, normalise
from citespan.pipelines.vocabulary.spelling import Spelling, describe_writing
from citespan.pipelines.vocabulary.terms import ConceptFilter, VocabularyTerm

filters = st.builds(
    ConceptFilter,
    sources=st.sampled_from((None, SOURCES[:1], SOURCES[1:])),
    semantic_types=st.sampled_from(((), TYPES[:1])),
    preferred=st.booleans(),
)


def naive(
    some: list[VocabularyTerm], chosen: ConceptFilter
) -> dict[tuple[str, ...], set[tuple[str, str]]]:
    """CUI and text of the terms that count of each key, by a scan of all terms."""
    usable = [term for term in some if keys(term.text)]
    present = {term.source for term in usable}
    default = {SOURCES[0]} if SOURCES[0] in present else present
    sources = default if chosen.sources is None else set(chosen.sources)
    found: dict[tuple[str, ...], set[tuple[str, str]]] = {}
    for term in usable:
        types = {name for other in usable if other.cui == term.cui for name in other.semantic_types}
        if chosen.semantic_types and not types & set(chosen.semantic_types):
            continue
        if term.source in sources or (chosen.preferred and term.preferred):
            key = keys(term.text)
            found.setdefault(tuple(key), set()).add((term.cui, " ".join(term.text.split())))
    return found


def windows(tokens: list[str]) -> Iterator[tuple[int, int, tuple[str, ...]]]:
    """Every run of tokens: from the left, the longest first."""
    for start in range(len(tokens)):
        for end in range(len(tokens), start, -1):
            key = tokens[start:end]
            yield start, end, tuple(key)


def widest(
    known: set[tuple[str, str]], text: str, free: int, start: int, end: int
) -> tuple[int, int, set[str]] | None:
    """The widest place from `free` on where one of the terms stands, and the CUIs of all there."""
    places: dict[tuple[int, int], set[str]] = {}
    for cui, name in known:
        said = describe_writing(name)
        place = Spelling(said).place(text, start, end) if said else (start, end)
        if place and place[0] >= free:
            places.setdefault(place, set()).add(cui)
    if not places:
        return None
    first, last = max(places, key=lambda place: (place[1] - place[0], -place[0]))
    return (first, last, places[first, last]) if last - first >= SHORTEST else None


def usable_filter(some: list[VocabularyTerm], chosen: ConceptFilter) -> ConceptFilter:
    """The filter, as far as the vocabulary has what it names."""
    usable = [term for term in some if keys(term.text)]
    sources = {term.source for term in usable}
    types = {name for term in usable for name in term.semantic_types}
    return ConceptFilter(
        chosen.sources and (tuple(sources & set(chosen.sources)) or None),
        tuple(types & set(chosen.semantic_types)),
        chosen.preferred,
    )


@settings(deadline=None, max_examples=100)
@given(terms(), st.lists(texts(12), min_size=1, max_size=5), filters)
def test_matches_and_occurrences_are_those_of_a_naive_matcher(
    some: list[VocabularyTerm], citances: list[str], chosen: ConceptFilter
) -> None:
    chosen = usable_filter(some, chosen)
    known = naive(some, chosen)
    with tempfile.TemporaryDirectory() as folder:
        store = vocabulary(Path(folder) / "store", some)
        matcher = Matcher(store, chosen)
        for text in citances:
            tokens = normalise(text)
            expected = []
            everywhere: set[str] = set()
            free = last = 0
            for start, end, key in windows([key for key, _, _ in tokens]):
                everywhere |= {cui for cui, _ in known.get(key, set())}
                if start >= free and key in known:
                    place = tokens[start][1], tokens[end - 1][2]
                    if standing_there := widest(known[key], text, last, *place):
                        expected.append(standing_there)
                        last = standing_there[1]
                        free = end
            found = matcher.matches(text)
            assert all(match.end <= after.start for match, after in pairwise(found))
            assert [(m.start, m.end, {m.concept.cui, *m.others}) for m in found] == expected
            occurring = {store.record(number).cui for number in matcher.occurring(keys(text))}
            assert occurring == everywhere


@settings(deadline=None, max_examples=40)
@given(terms(), texts(12))
def test_a_match_normalises_to_a_term_of_its_concept(some: list[VocabularyTerm], text: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        store = vocabulary(Path(folder) / "store", some)
        chosen = ConceptFilter(tuple(store.sources))
        for match in Matcher(store, chosen).matches(text):
            assert match.text == text[match.start : match.end]
            of_concept = store.terms_of(match.concept.number, chosen)
            assert keys(match.text) in [keys(term.text) for term in of_concept]
            assert match.concept.cui not in match.others


def chosen(folder: Path, some: list[VocabularyTerm], text: str, *sources: str) -> Match:
    store = vocabulary(folder / "store", some)
    (match,) = Matcher(store, ConceptFilter(sources or None)).matches(text)
    return match


def term(cui: str, text: str, source: str = "MSH", preferred: bool = False) -> VocabularyTerm:
    return VocabularyTerm(cui, text, source, "SY", preferred)


def test_an_acronym_is_not_the_animal(tmp_path: Path) -> None:
    some = [
        term("C1", "cat", preferred=True),
        term("C2", "tomography", preferred=True),
        term("C2", "CAT"),
    ]
    assert chosen(tmp_path, some, "seen by CAT").concept.cui == "C2"
    assert chosen(tmp_path, some, "seen by a cat").concept.cui == "C1"
    assert chosen(tmp_path, some, "Cats were seen").concept.cui == "C1"
    assert chosen(tmp_path, some, "seen by CATs").others == ()


def test_a_preferred_name_wins_over_a_synonym(tmp_path: Path) -> None:
    some = [
        term("C1", "cold"), term("C1", "chill"), term("C1", "coldness", preferred=True),
        term("C2", "cold", preferred=True),
    ]  # fmt: skip
    assert chosen(tmp_path, some, "a cold").concept.cui == "C2"


def test_the_earlier_source_wins(tmp_path: Path) -> None:
    some = [term("C1", "cold", "MSH"), term("C2", "cold", "NCI")]
    assert chosen(tmp_path, some, "a cold", "NCI", "MSH").concept.cui == "C2"
    assert chosen(tmp_path, some, "a cold", "MSH", "NCI").concept.cui == "C1"


def test_more_terms_win_and_then_the_lower_cui(tmp_path: Path) -> None:
    some = [term("C2", "cold"), term("C1", "cold"), term("C3", "cold"), term("C3", "chill")]
    match = chosen(tmp_path, some, "a cold")
    assert (match.concept.cui, match.others) == ("C3", ("C1", "C2"))


def test_the_longest_term_that_counts(tmp_path: Path) -> None:
    some = [
        term("C1", "lung", preferred=True),
        term("C2", "lung cancer"),
        term("C3", "lung cancer cell line", "NCI"),
    ]
    match = chosen(tmp_path, some, "of lung cancers cells lines", "MSH")
    assert (match.text, match.concept.cui) == ("lung cancers", "C2")


def test_greek_plural_possessive_and_punctuation(tmp_path: Path) -> None:
    some = [term("C1", "TGF-beta receptors"), term("C2", "Crohn's disease")]
    store = vocabulary(tmp_path / "store", some)
    text = "the TGFβ, TGF β-receptor, and Crohn disease’s"
    found = Matcher(store, ConceptFilter()).matches(text)
    assert [(m.text, m.concept.cui) for m in found] == [
        ("TGF β-receptor", "C1"),
        ("Crohn disease", "C2"),
    ]


def test_unknown_names_are_refused(tmp_path: Path) -> None:
    store = vocabulary(tmp_path / "store", [term("C1", "cold")])
    with pytest.raises(UnknownNameError, match="'SNOMED'; choose from: MSH"):
        Matcher(store, ConceptFilter(sources=("SNOMED",)))
    with pytest.raises(UnknownNameError, match="semantic type 'T047'; choose from: none"):
        Matcher(store, ConceptFilter(semantic_types=("T047",)))


def test_no_text_no_match(tmp_path: Path) -> None:
    store = vocabulary(tmp_path / "store", [term("C1", "cold")])
    matcher = Matcher(store, ConceptFilter())
    assert matcher.matches("") == matcher.matches(" of the … ") == []
    assert matcher.occurring([]) == set()


def test_terms_of_two_characters_do_not_match(tmp_path: Path) -> None:
    """`matching.SHORTEST` says why."""
    store = vocabulary(tmp_path / "store", [term("C1", "ES"), term("C2", "O2"), term("C3", "ESC")])
    matcher = Matcher(store, ConceptFilter())
    assert [match.text for match in matcher.matches("ES cells in 20% O2, and an ESC")] == ["ESC"]
