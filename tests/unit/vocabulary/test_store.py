"""What an opened store gives, and what it says of one that can't be opened."""

import json
import pickle
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from made_vocabularies import vocabulary

from citespan.pipelines.errors import UnknownNameError
from citespan.pipelines.vocabulary import builder
from citespan.pipelines.vocabulary.store import Vocabulary, open_vocabulary
from citespan.pipelines.vocabulary.store_format import (
    MOST_CONCEPTS,
    MOST_SOURCES,
    MOST_WRITINGS,
    STORE_VERSION,
    VocabularyError,
    concept_of,
    posting,
    source_of,
    writing_of,
)
from citespan.pipelines.vocabulary.terms import ConceptFilter, VocabularyTerm

SNOMED = VocabularyTerm("C2", "Tumor of lung", "SNOMEDCT_US", "SY", preferred=False)
MESH = VocabularyTerm("C2", "Lung Neoplasms", "MSH", "PT", preferred=True, semantic_types=("T191",))
OTHER = VocabularyTerm("C2", "lung tumour", "NCI", "SY", preferred=False)
LIVER = VocabularyTerm("C10", "liver", "MSH", "PT", preferred=False)
TYPED = [replace(term, semantic_types=("T191",)) for term in (MESH, SNOMED, OTHER)]


@pytest.fixture
def store(tmp_path: Path) -> Vocabulary:
    return vocabulary(tmp_path / "store", [SNOMED, LIVER, OTHER, MESH])


def test_counts(store: Vocabulary) -> None:
    assert (store.version, store.concepts, store.terms) == ("made up", 2, 4)
    assert store.sources == {"MSH": 2, "NCI": 1, "SNOMEDCT_US": 1}
    assert store.semantic_types == {"T191": 1}


def test_concepts_are_numbered_by_cui(store: Vocabulary) -> None:
    assert [store.record(number).cui for number in range(2)] == ["C10", "C2"]
    assert [store.concept_number(cui) for cui in ("C10", "C2", "C1", "C11", "C3", "")] == [
        0, 1, None, None, None, None,
    ]  # fmt: skip
    with pytest.raises(IndexError, match="no concept 2"):
        store.record(2)
    with pytest.raises(IndexError, match="no concept -1"):
        store.record(-1)


def test_the_preferred_name(store: Vocabulary) -> None:
    assert store.concept(1).preferred == "Lung Neoplasms"
    assert store.concept(0).preferred == "liver"


def test_a_concept_has_all_types_that_any_of_its_terms_has(store: Vocabulary) -> None:
    assert store.record(1).terms == (TYPED[0], TYPED[2], TYPED[1])


def test_types_of_a_term_that_is_repeated_count(tmp_path: Path) -> None:
    store = vocabulary(tmp_path / "store", [replace(MESH, semantic_types=("T033",)), MESH])
    assert store.terms == 1
    assert store.record(0).terms[0].semantic_types == ("T033", "T191")


@pytest.mark.parametrize(
    ("chosen", "expected"),
    [
        (ConceptFilter(), [MESH, SNOMED]),
        (ConceptFilter(preferred=False), [SNOMED]),
        (ConceptFilter(("NCI",)), [MESH, OTHER]),
        (ConceptFilter(("NCI",), preferred=False), [OTHER]),
        (ConceptFilter(semantic_types=("T191",)), [MESH, SNOMED]),
        (ConceptFilter((), preferred=False), []),
    ],
)
def test_terms_that_count(
    store: Vocabulary, chosen: ConceptFilter, expected: list[VocabularyTerm]
) -> None:
    assert [term.text for term in store.terms_of(1, chosen)] == [term.text for term in expected]


def test_a_concept_of_other_types_has_no_terms_that_count(store: Vocabulary) -> None:
    assert store.terms_of(0, ConceptFilter(("MSH",), ("T191",))) == ()


def test_every_source_where_there_is_no_snomed(tmp_path: Path) -> None:
    store = vocabulary(tmp_path / "store", [OTHER, LIVER])
    assert store.sources_of(ConceptFilter()) == ("MSH", "NCI")
    with pytest.raises(UnknownNameError, match="'SNOMEDCT_US'; choose from: MSH, NCI"):
        store.terms_of(0, ConceptFilter(("SNOMEDCT_US",)))
    with pytest.raises(UnknownNameError, match="semantic type 'T191'"):
        store.terms_of(0, ConceptFilter(semantic_types=("T191",)))


@given(
    st.integers(0, MOST_CONCEPTS - 1),
    st.integers(0, MOST_SOURCES - 1),
    st.integers(0, MOST_WRITINGS - 1),
    st.integers(0, 3),
)
def test_a_posting_holds_all_its_parts(concept: int, source: int, writing: int, flags: int) -> None:
    number = posting(concept, source, writing, flags)
    assert 0 <= number < 1 << 64
    assert (concept_of(number), source_of(number), writing_of(number), number & 3) == (
        concept, source, writing, flags,
    )  # fmt: skip


def test_more_writings_than_postings_can_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(builder, "MOST_WRITINGS", 2)
    vocabulary(tmp_path / "one", [replace(LIVER, text="vitamin A")])
    some = [replace(LIVER, text=text) for text in ("vitamin A", "vitamin B of")]
    with pytest.raises(VocabularyError, match="build it of fewer sources"):
        vocabulary(tmp_path / "two", some)


def test_a_store_in_another_process_is_the_same_store(store: Vocabulary) -> None:
    assert pickle.loads(pickle.dumps(store)).checksum == store.checksum


def test_no_folder(tmp_path: Path) -> None:
    with pytest.raises(VocabularyError, match="none: there is no vocabulary; `citespan vocab"):
        open_vocabulary(tmp_path / "none")


def test_a_folder_of_something_else(tmp_path: Path) -> None:
    with pytest.raises(VocabularyError, match="not a vocabulary; `citespan vocabulary build`"):
        open_vocabulary(tmp_path)


def test_a_file(tmp_path: Path) -> None:
    (tmp_path / "MRCONSO.RRF").write_text("")
    with pytest.raises(VocabularyError, match="MRCONSO.RRF: not a vocabulary"):
        open_vocabulary(tmp_path / "MRCONSO.RRF")


def test_another_store_version(store: Vocabulary) -> None:
    header = store.path / "vocabulary.json"
    whole = json.loads(header.read_text())
    whole["store_version"] = STORE_VERSION + 1
    header.write_text(json.dumps(whole))
    with pytest.raises(VocabularyError, match=rf"store version {STORE_VERSION + 1}, .* build it"):
        open_vocabulary(store.path)


def test_a_changed_header(store: Vocabulary) -> None:
    header = store.path / "vocabulary.json"
    header.write_text(header.read_text().replace('"concepts": 2', '"concepts": 3'))
    with pytest.raises(VocabularyError, match="broken: vocabulary.json does not have its checksum"):
        open_vocabulary(store.path)


HEADLESS = json.dumps({"store_version": STORE_VERSION}).encode()


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b"\xff", HEADLESS])
def test_a_header_that_is_none(store: Vocabulary, content: bytes) -> None:
    (store.path / "vocabulary.json").write_bytes(content)
    with pytest.raises(VocabularyError, match="the vocabulary is broken: vocabulary.json"):
        open_vocabulary(store.path)


def test_a_file_cut_short(store: Vocabulary) -> None:
    file = store.path / "concepts.txt"
    file.write_bytes(file.read_bytes()[:-1])
    with pytest.raises(VocabularyError, match="concepts.txt has .* bytes in place of"):
        open_vocabulary(store.path)


def test_a_file_missing(store: Vocabulary) -> None:
    (store.path / "postings").unlink()
    with pytest.raises(VocabularyError, match="postings is missing; build it again"):
        open_vocabulary(store.path)


def test_one_byte_changed_is_found_by_verify(store: Vocabulary) -> None:
    store.verify()
    file = store.path / "concepts.txt"
    file.write_bytes(file.read_bytes().replace(b"liver", b"lives"))
    with pytest.raises(VocabularyError, match="concepts.txt does not have its checksum"):
        open_vocabulary(store.path).verify()


@pytest.mark.parametrize("damage", [b"\0" * 64, b"marisa"])
def test_a_damaged_trie_is_named_with_the_remedy(tmp_path: Path, damage: bytes) -> None:
    vocabulary(tmp_path / "store", [LIVER])
    trie = tmp_path / "store" / "terms-00.marisa"
    content = trie.read_bytes()
    trie.write_bytes(damage + content[len(damage) :])
    with pytest.raises(
        VocabularyError, match=r"broken: terms-00.marisa can't be read; build it"
    ) as e:
        Vocabulary(tmp_path / "store")
    assert len(str(e.value).splitlines()) == 1
