"""Noun phrases of texts, and the reformulation that keeps their words."""

import pytest
import spacy

from citespan.pipelines.errors import InputError
from citespan.pipelines.reformulation.np import find_noun_phrases, find_noun_phrases_in
from citespan.pipelines.reformulation.options import Options
from citespan.pipelines.reformulation.reformulation import Context, parse

TEXT = "The loss of p53 leads to tumours in mice. The old cells die."


def test_phrases_are_offsets_in_order() -> None:
    phrases = find_noun_phrases(TEXT)
    assert [TEXT[phrase.start : phrase.end] for phrase in phrases] == [
        "The loss",
        "p53",
        "tumours",
        "mice",
        "The old cells",
    ]


def test_many_texts_give_the_same_as_one_by_one() -> None:
    texts = [TEXT, "", "Mice ate corn.", " \n", TEXT * 3]
    assert list(find_noun_phrases_in(texts)) == [find_noun_phrases(text) for text in texts]


def test_a_pipeline_that_finds_none_is_refused(tmp_path: object) -> None:
    folder = f"{tmp_path}/blank"
    spacy.blank("en").to_disk(folder)
    with pytest.raises(InputError, match="no noun phrases"):
        find_noun_phrases(TEXT, folder)


def test_a_text_beyond_reason_is_refused() -> None:
    with pytest.raises(InputError, match="1000001 characters"):
        find_noun_phrases("a" * 1_000_001)


def kept(citance: str, **options: int) -> str:
    context = Context(Options(**options))
    return " ".join(term.text for term in parse("np").terms(citance, context))


def test_words_outside_noun_phrases_are_dropped() -> None:
    assert kept("We show that the loss of p53 rapidly causes tumours in mice [12].") == (
        "loss p53 tumours mice"
    )


def test_a_phrase_of_more_terms_is_dropped() -> None:
    assert kept("The tumours killed young female mice.") == "tumours young female mice"
    four = "The tumours killed young healthy female mice."
    assert kept(four) == "tumours"
    assert kept(four, phrase_terms=4) == "tumours young healthy female mice"


def test_stop_words_and_numbers_are_no_terms() -> None:
    assert kept("The tumours killed all the 12 young female mice.") == "tumours young female mice"


def test_another_reduction_does_not_shorten_a_phrase() -> None:
    citance = "The tumours killed young healthy female mice."
    terms = parse("keywords+np").terms(citance, Context())
    assert {term.text for term in terms} <= {"tumours"}


def test_an_unknown_pipeline_is_named() -> None:
    context = Context(Options(pipeline="en_core_no_such"))
    with pytest.raises(InputError, match="en_core_no_such: no spaCy pipeline"):
        parse("np").terms(TEXT, context)
