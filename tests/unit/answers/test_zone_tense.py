"""Tenses of main verbs, on trees written by hand."""

import pytest
import spacy
from spacy.tokens import Doc

from citespan.pipelines.answers.zones.tense import (
    find_certain_tense,
    find_first_finite_tense,
    find_root_tense,
    find_tenses,
)
from citespan.pipelines.text.spacy_pipelines import SHIPPED, SMALL, load_pipeline

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
    assert find_root_tense(sentence) == by_tree
    assert find_first_finite_tense(sentence) == by_tags


def test_an_empty_sentence_has_no_tense() -> None:
    empty = Doc(VOCABULARY)
    assert (
        find_root_tense(empty)
        == find_first_finite_tense(empty)
        == find_certain_tense(empty)
        == "none"
    )


@pytest.mark.parametrize(
    ("tagged", "tense"),
    [
        ("Mice/NNS ate/VBD corn/NN", "past"),
        ("Mice/NNS ate/VBD corn/NN and/CC slept/VBD", "past"),
        ("Mice/NNS have/VBP teeth/NNS", "present"),
        ("Setting/NN of/IN mice/NNS", "none"),
        # Whatever is the root, its tense is that of all finite verbs.
        ("Mice/NNS ate/VBD what/WP they/PRP found/VBD", "past"),
        # Here the tree must tell: tenses differ, a perfect, a clause that may be subordinate.
        ("Mice/NNS ate/VBD what/WP they/PRP like/VBP", None),
        ("Mice/NNS have/VBP eaten/VBN", None),
        ("Mice/NNS that/WDT ate/VBD", None),
        ("To/TO see/VB whether/IN mice/NNS eat/VBP", None),
    ],
)
def test_the_only_tense_by_tags(tagged: str, tense: str | None) -> None:
    words, tags = zip(*(word.split("/") for word in tagged.split()), strict=True)
    assert find_certain_tense(Doc(VOCABULARY, words=list(words), tags=list(tags))) == tense


TEXTS = [
    "We measured the weight of the mice that live in the wild.",
    "To determine whether mice eat corn.",
    "Corn has been eaten by mice, which we did not expect.",
    "Setting of the study.",
    "Further studies should show whether mice that were fed are healthy.",
    "",
]


def test_tenses_are_in_the_order_of_the_sentences() -> None:
    found = find_tenses(TEXTS, ["tense"])
    assert found == ["past", "none", "present perfect", "none", "modal", "none"]
    assert find_tenses(TEXTS[::-1], ["tense"]) == found[::-1]
    assert find_tenses(TEXTS, ["tense"], SHIPPED) == found
    assert find_tenses(TEXTS, ["n-grams"]) == []
    assert len(find_tenses(TEXTS, ["tense by tags"])) == len(TEXTS)


def test_the_pipelines_pipes_are_as_before() -> None:
    before = load_pipeline(SMALL).pipe_names
    find_tenses(TEXTS, ["tense"])
    assert load_pipeline(SMALL).pipe_names == before == load_pipeline(SHIPPED).pipe_names
