"""What others say of an article: which texts are the same, and what is left out."""

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from citespan.es_mappings.citances import Citance
from citespan.pipelines.indexing.writing.citances import MOST_CITANCES, make_citances
from citespan.pipelines.retrieval.citances import leave_out_own
from citespan.pipelines.retrieval.request import AskedCitance
from citespan.pipelines.store.citances import make_key

SENTENCE = "Yeast grows on sugar [1], and bread rises [2]."


def made(citing: str, number: int, query: str, text: str = SENTENCE, at: int = 1) -> dict[str, Any]:
    linked = f"2026-01-01T00:00:0{at}.500+00:00"
    return {"citing": citing, "number": number, "query": query, "text": text, "linked": linked}


def test_a_key_knows_a_text_without_its_markers() -> None:
    assert make_key("Yeast grows on sugar [1].") == make_key("yeast  grows on Sugar (Ito, 2001)")
    assert make_key("Yeast grows on sugar.") != make_key("Yeast grows on bread.")


@given(st.text())
def test_any_text_has_a_key_of_one_length(text: str) -> None:
    assert len(make_key(text)) == 16


@given(st.lists(st.text("abc", min_size=1), min_size=1))
def test_a_key_does_not_depend_on_white_space_or_capitals(words: list[str]) -> None:
    assert make_key(" ".join(words)) == make_key(f" {'  '.join(words).upper()}\n")


def test_nothing_is_said_twice_and_nothing_empty() -> None:
    links = [
        made("b", 3, "Bread rises"),
        made("a", 7, "Yeast grows\non sugar", at=3),
        made("a", 2, "yeast grows on sugar [9]"),
        made("a", 9, "  "),
        made("b", 1, "Yeast grows on sugar"),
    ]
    found = make_citances("sugar", links)
    assert [(citance.citing, citance.text) for citance in found.citances] == [
        ("a", "yeast grows on sugar [9]"),
        ("b", "Yeast grows on sugar"),
        ("b", "Bread rises"),
    ]
    assert (found.articles, found.links) == (2, 5)
    assert found == make_citances("sugar", reversed(links))
    assert found.linked == make_citances("sugar", links[:1]).linked + 2000 / 5


def test_a_document_is_bounded() -> None:
    words = ("".join("abcdefghij"[int(digit)] for digit in str(n)) for n in range(10_010))
    links = [made("a", number, f"says {word}") for number, word in enumerate(words)]
    found = make_citances("sugar", links)
    assert (len(found.citances), found.links) == (MOST_CITANCES, 10_010)


def said(citing: str, clause: str, sentence: str) -> Citance:
    return Citance(citing, clause, make_key(clause), make_key(sentence))


def test_the_asked_citance_and_the_rest_of_its_sentence_are_left_out() -> None:
    first = said("a", "Yeast grows on sugar", SENTENCE)
    other = said("a", "bread rises", SENTENCE)
    third = said("a", "Yeast needs no light", "Yeast needs no light [1].")
    fourth = said("b", "It rises", "It rises [4].")
    everything = [first, other, third, fourth]
    assert leave_out_own(everything, AskedCitance("Yeast grows on sugar")) == [third, fourth]
    assert leave_out_own(everything, AskedCitance(SENTENCE)) == [third, fourth]
    assert leave_out_own(everything, AskedCitance("Something", citing="a")) == [fourth]
    assert leave_out_own(everything, AskedCitance("Something")) == everything
