"""Similarity of sentences and titles."""

from collections import Counter
from math import sqrt

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citespan.pipelines.answers.zones.words import compare_with_title, compute_cosine

_BAG = st.dictionaries(st.sampled_from("abcdef"), st.integers(1, 9))


def test_cosine_of_word_counts() -> None:
    (similarity,) = compare_with_title("", "mice eat corn", ["Mice, mice eat."])
    assert similarity == pytest.approx(3 / (sqrt(3) * sqrt(5)))


def test_a_long_form_is_the_same_word_as_its_abbreviation() -> None:
    sentences = ["Angiotensin-converting enzyme (ACE) was low.", "ACE fell."]
    title = "ACE in gout"
    text = f"{title}\n\n{' '.join(sentences)}"
    unified = compare_with_title(text, title, sentences)
    alone = compare_with_title("", title, sentences)
    assert unified[0] > alone[0]
    assert unified[1] == alone[1] == pytest.approx(1 / sqrt(6))
    back = compare_with_title(text, "Angiotensin-converting enzyme in gout", sentences[1:])
    assert back == [pytest.approx(1 / sqrt(6))]


def test_a_title_or_a_sentence_without_words_is_like_nothing() -> None:
    assert compare_with_title("Mice ate.", "", ["Mice ate.", "—"]) == [0.0, 0.0]
    assert compare_with_title("Mice ate.", "Mice", ["—"]) == [0.0]


@given(_BAG, _BAG)
def test_cosine_is_symmetric_and_within_bounds(bag: dict[str, int], other: dict[str, int]) -> None:
    both = compute_cosine(bag, other)
    assert both == pytest.approx(compute_cosine(other, bag))
    assert 0 <= both <= 1 + 1e-9
    assert (both > 0) == bool(bag.keys() & other.keys())


@given(_BAG.filter(bool))
def test_a_bag_is_like_itself(bag: dict[str, int]) -> None:
    assert compute_cosine(bag, Counter(bag)) == pytest.approx(1)
