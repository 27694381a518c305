"""Features of sentences as CRFsuite gets them."""

from dataclasses import replace
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from made_abstracts import abstract_of, made_abstract

from citespan.pipelines.answers.zones.configuration import (
    ALAMRI2015,
    CITESPAN,
    CONFIGURATIONS,
    HIROHATA2008,
    Configuration,
)
from citespan.pipelines.answers.zones.features import (
    FEATURES,
    Analysis,
    analyse_abstracts,
    make_items,
)
from citespan.pipelines.answers.zones.words import make_ngrams, replace_numbers, stem, tokenize
from citespan.pipelines.corpus.abstract import AbstractPart

WITHOUT_TENSE = replace(ALAMRI2015, features=ALAMRI2015.features[:-1])


def analysis_of(configuration: Configuration, number: int = 0) -> Analysis:
    (analysis,) = analyse_abstracts([made_abstract(number)], configuration)
    return analysis


def test_tokens_keep_names_and_signs() -> None:
    assert tokenize("IL-6 fell (p<0.05); Crohn's: 12% in E. coli.") == [
        *("il-6", "fell", "p", "<", "0.05", "crohn's", "12", "%", "in", "e", "coli")
    ]


def test_numbers_as_one_word() -> None:
    assert replace_numbers(["12", "il-6", "3rd", "%"]) == ["0", "il-6", "0", "%"]


def test_stems() -> None:
    assert stem(["patients", "measured"]) == ["patient", "measur"]


@given(st.lists(st.sampled_from("abc"), max_size=8))
def test_ngrams_are_each_unigram_and_bigram_once(words: list[str]) -> None:
    found = make_ngrams(words)
    assert len(set(found)) == len(found)
    pairs = {f"{word} {after}" for word, after in pairwise(words)}
    assert set(found) == {*words, *pairs}


def test_neighbours_share_n_grams() -> None:
    found = make_items(analysis_of(HIROHATA2008), HIROHATA2008)
    current, previous, following = (
        FEATURES[name].key for name in ("n-grams", "previous n-grams", "next n-grams")
    )
    assert found[0][previous] == "^"
    assert found[-1][following] == "$"
    for before, after in pairwise(found):
        assert after[previous] == before[current]
        assert before[following] == after[current]
    assert "patient" in found[0][current]


def test_the_papers_features() -> None:
    analysis = analysis_of(WITHOUT_TENSE)
    found = make_items(analysis, WITHOUT_TENSE)
    assert all(item["t"] == found[0]["t"] for item in found)
    assert "does zelatine" in found[0]["t"]
    assert [item["l"] for item in found] == ["1", "2", "3", "4", "6", "7", "8", "9"]
    assert all(0 <= int(str(item["s"])) <= 10 for item in found)
    assert int(str(found[1]["s"])) > int(str(found[7]["s"]))


@given(st.integers(1, 40))
def test_locations_rise_from_1_to_at_most_10(count: int) -> None:
    abstract = abstract_of([AbstractPart("", "The mice of the town ate. " * count)])
    (analysis,) = analyse_abstracts([abstract], HIROHATA2008)
    found = [int(str(item["l"])) for item in make_items(analysis, HIROHATA2008)]
    assert found == sorted(found)
    assert len(found) == count
    assert found[0] == 1
    assert found[-1] <= 10
    assert count < 10 or set(found) == set(range(1, 11))


def test_a_sentence_without_words_and_a_missing_title_have_features_too() -> None:
    abstract = abstract_of([AbstractPart("", "— . —")])
    for configuration in (CITESPAN, WITHOUT_TENSE, HIROHATA2008):
        (analysis,) = analyse_abstracts([abstract], configuration)
        assert len(make_items(analysis, configuration)) == len(analysis.sentences) > 0


def test_more_abstracts_than_go_through_the_tagger_at_once() -> None:
    many = [made_abstract(number) for number in range(70)]
    assert [a.abstract.id for a in analyse_abstracts(many, CITESPAN)] == [a.id for a in many]


@pytest.mark.parametrize("configuration", CONFIGURATIONS.values(), ids=lambda c: c.name)
def test_configurations_name_features_that_there_are(configuration: Configuration) -> None:
    assert set(configuration.features) <= FEATURES.keys()
    keys = [FEATURES[name].key for name in configuration.features]
    assert len(set(keys)) == len(keys)
