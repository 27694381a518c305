"""Tenses of main verbs, on trees written by hand."""

import pytest
import spacy
from spacy.tokens import Doc

from citespan.pipelines.answers.tense import first_finite_tense, root_tense

VOCABULARY = spacy.blank("en").vocab


def parsed(written: str) -> Doc:
    """A sentence of word/TAG/HEAD/LABEL, heads counted from 0."""
    rows = [word.split("/") for word in written.split()]
    return Doc(
        VOCABULARY,
        words=[row[0] for row in rows],
        tags=[row[1] for row in rows],
        heads=[int(row[2]) for row in rows],
        deps=[row[3] for row in rows],
    )


SENTENCES = [
    ("Mice/NNS/1/nsubj ate/VBD/1/ROOT corn/NN/1/dobj", "past", "past"),
    ("Mice/NNS/1/nsubj eat/VBP/1/ROOT corn/NN/1/dobj", "present", "present"),
    ("Mice/NNS/2/nsubjpass were/VBD/2/auxpass fed/VBN/2/ROOT", "past", "past"),
    (
        "Mice/NNS/3/nsubjpass have/VBP/3/aux been/VBN/3/auxpass fed/VBN/3/ROOT",
        *("present perfect", "present perfect"),
    ),
    (
        "Mice/NNS/3/nsubj had/VBD/3/aux not/RB/3/neg eaten/VBN/3/ROOT",
        "past perfect",
        "past perfect",
    ),
    ("Mice/NNS/2/nsubj should/MD/2/aux eat/VB/2/ROOT", "modal", "modal"),
    ("Mice/NNS/1/nsubj have/VBP/1/ROOT teeth/NNS/1/dobj", "present", "present"),
    ("Setting/NN/0/ROOT of/IN/0/prep mice/NNS/1/pobj", "none", "none"),
    # The verb of a clause before the root tells the two ways apart.
    (
        "Mice/NNS/3/nsubj that/WDT/2/nsubj live/VBP/0/relcl ate/VBD/3/ROOT corn/NN/3/dobj",
        *("past", "present"),
    ),
    # Two roots: the parser has cut the sentence, and its first part has no verb.
    ("Aim/NN/0/ROOT :/:/0/punct We/PRP/3/nsubj fed/VBD/3/ROOT mice/NNS/3/dobj", "past", "past"),
]


@pytest.mark.parametrize(("written", "by_tree", "by_tags"), SENTENCES)
def test_tense(written: str, by_tree: str, by_tags: str) -> None:
    sentence = parsed(written)
    assert root_tense(sentence) == by_tree
    assert first_finite_tense(sentence) == by_tags


def test_an_empty_sentence_has_no_tense() -> None:
    empty = Doc(VOCABULARY)
    assert root_tense(empty) == first_finite_tense(empty) == "none"
