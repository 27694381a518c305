"""Which sentences a summary has."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lexical_ranker import LexicalRanker

from citespan.pipelines.citations.summaries.choosing import (
    Settings,
    choose_sentences,
    cluster_citances,
)
from citespan.pipelines.citations.summaries.facets import load_model
from citespan.pipelines.citations.summaries.summary import Summariser
from citespan.pipelines.errors import InputError
from citespan.pipelines.logistic_model import LogisticModel
from citespan.pipelines.ranking.selection import Positions
from citespan.pipelines.ranking.sentences import ArticleSentences
from citespan.pipelines.ranking.stored_article import StoredArticle

TEXTS = (
    "A study of lamps ", "We ask how lamps are made and sold. ", "Bells ring in every old town. ",
    "We sort lamps by weight and by colour. ", "We sort the lamps by weight and by colour. ",
    "Sorted lamps were cheaper by half again. ", "The authors thank the makers of lamps. ",
)  # fmt: skip
SECTIONS = ("Title", "Abstract", "Abstract", "Method", "Method", "Results", "Acknowledgements")
LAMPS = ArticleSentences(TEXTS, SECTIONS)
N = len(TEXTS)
PLAIN = Settings(abstract=1.0, distance=0.0, balance=1.0, relevance=1.0)
ONE = np.ones((N, 1))


def choose(probabilities, facets=ONE, evidence=None, limit=250, options=PLAIN):
    rows = np.array(probabilities, dtype=float)
    behind = rows.max(axis=0) > 0 if evidence is None else np.array(evidence)
    return choose_sentences(LAMPS, Positions.of(LAMPS), rows, behind, facets, limit, options)


def row(**values: float) -> list[float]:
    return [values.get(f"s{number}", 0.0) for number in range(N)]


def test_the_most_cited_sentence_that_fits_comes_first() -> None:
    rows = [row(s3=0.6, s5=0.5), row(s3=0.1, s5=0.5)]
    assert choose(rows, limit=8).numbers == (5,)
    assert choose(rows, limit=14).numbers == (5,)
    assert choose(rows, limit=15).numbers == (3, 5)
    assert choose(rows, limit=5).numbers == ()


def test_title_and_back_matter_are_never_chosen_and_only_the_abstract_without_evidence() -> None:
    rows = [row(s0=0.9, s1=0.01, s3=0.5, s5=0.01, s6=0.9)]
    evidence = [number in (0, 3, 6) for number in range(N)]
    assert choose(rows, evidence=evidence).numbers == (1, 3)


def test_the_abstract_weighs_more() -> None:
    rows = [row(s1=0.2, s5=0.5)]
    assert choose(rows, limit=8).numbers == (5,)
    heavy = Settings(abstract=5.0, distance=0.0, balance=1.0, relevance=1.0)
    assert choose(rows, limit=8, options=heavy).numbers == (1,)


def test_a_repetition_is_worth_less() -> None:
    rows = [row(s3=0.6, s4=0.55, s5=0.5)]
    assert choose(rows, limit=17).numbers == (3, 4)
    novel = Settings(abstract=1.0, distance=0.0, balance=1.0, relevance=0.5)
    assert choose(rows, limit=17, options=novel).numbers == (3, 5)


def test_citances_about_the_same_are_a_cluster_and_do_not_hide_the_rest() -> None:
    same, other = row(s3=0.5, s4=0.1), row(s5=0.8)
    rows = np.array([same, other, same])
    assert cluster_citances(rows, 0.5).tolist() == [0, 1, 0]
    assert cluster_citances(rows, 0.0).tolist() == [0, 1, 2]
    assert cluster_citances(rows[:1], 0.5).tolist() == [0]
    assert choose(rows, limit=8).numbers == (3,)
    clustered = Settings(abstract=1.0, distance=0.5, balance=1.0, relevance=1.0)
    found = choose(rows, limit=8, options=clustered)
    assert found.numbers == (5,)  # 2 x .5 / √2 is less than .8
    assert found.clusters == (0, 1, 0)


def test_a_rarer_facet_has_its_turn() -> None:
    facets = np.array([[1.0, 0.0]] * 5 + [[0.0, 1.0]] * 2)
    rows = [row(s3=0.9, s4=0.8, s5=0.6)]
    assert choose(rows, limit=17).numbers == (3, 4)
    found = choose(rows, facets, limit=17)
    assert found.numbers == (3, 5)
    assert found.shares == pytest.approx((1.7 / 2.3, 0.6 / 2.3))


chances = st.lists(st.floats(0.001, 1), min_size=N, max_size=N)


@settings(deadline=None, max_examples=50)
@given(rows=st.lists(chances, min_size=1, max_size=5), limit=st.integers(1, 60))
def test_no_summary_is_too_long_and_none_could_take_another_sentence(rows, limit) -> None:
    found = choose(rows, limit=limit, options=Settings())
    left = limit - sum(len(TEXTS[number].split()) for number in found.numbers)
    assert left >= 0
    assert list(found.numbers) == sorted(set(found.numbers))
    others = set(range(1, 6)) - set(found.numbers)
    assert all(len(TEXTS[number].split()) > left for number in others)
    assert sum(found.shares) == pytest.approx(1)


def store() -> StoredArticle:
    ends = np.cumsum([len(text) for text in TEXTS])
    starts = (0, *ends[:-1].tolist())
    return StoredArticle(LAMPS, starts, tuple(
        start + len(text.rstrip()) for start, text in zip(starts, TEXTS, strict=True)
    ))  # fmt: skip


def test_a_summary_says_where_its_sentences_stand_and_who_stands_behind_them() -> None:
    facets = LogisticModel(
        ("aim", "method"), (0.0, 0.0), {"sort": (0.0, 2.0), "in: abstract": (1, 0)}
    )
    citances = {
        "a": "Lamps sorted by weight and colour (A, 2000)",
        "same": "Lamps sorted by weight and colour (A, 2000)",
        "b": "They became cheaper by half again",
        "else": "Planets turn around distant stars",
        "none": "the of and",
    }
    ranked: list[int] = []
    summary = Summariser(LexicalRanker(), facets, 30).summarise(
        "L", "A study of lamps", store(), citances, ranked.append
    )
    assert len(ranked) == len(citances)
    assert summary.citances == 2  # the same counts once; two have no evidence
    assert summary.words <= 30
    text = "".join(TEXTS)
    for sentence in summary:
        assert (
            text[sentence.start : sentence.end] == sentence.text == TEXTS[sentence.number].rstrip()
        )
        assert sentence.section == SECTIONS[sentence.number]
    by_number = {sentence.number: sentence for sentence in summary}
    assert by_number[3].citances == ("a",)
    assert "b" in by_number[5].citances
    assert (by_number[3].facet, by_number[3].probability) == ("method", pytest.approx(0.8808, 1e-3))
    assert by_number[1].facet == "aim"
    written = summary.to_json()
    assert written["words"] == len(summary.text.split())
    assert [sentence["number"] for sentence in written["sentences"]] == sorted(by_number)


def test_no_words_and_no_evidence_are_one_clear_line() -> None:
    with pytest.raises(InputError, match="0 words are not possible"):
        Summariser(LexicalRanker(), load_model(), 0)
    with pytest.raises(InputError, match="^none of 1 citance of 'L' has evidence in it"):
        Summariser(LexicalRanker(), load_model()).summarise("L", "", store(), {"a": "Planets"})
