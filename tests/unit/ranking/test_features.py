"""Features of sentences for a query, against the same computed sentence by sentence."""

import math
import os
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from citespan.pipelines.ranking.analysed_article import analyse
from citespan.pipelines.ranking.features.families import FAMILIES, compute_features, feature_names
from citespan.pipelines.ranking.pair import (
    Pair,
    TermCounts,
    analyse_query,
    count_terms,
    rank_shares,
    shift,
)
from citespan.pipelines.ranking.sentences import ArticleSentences
from citespan.pipelines.ranking.short_forms import find_short_forms
from citespan.pipelines.text.lucene import find_terms

WORDS = ["aspirin", "reduces", "strokes", "stroke", "the", "fever", "0.03", "men", "women", "IL-2"]
texts = st.lists(st.sampled_from(WORDS), max_size=9).map(" ".join)
articles = st.lists(texts, min_size=1, max_size=9)


def pair(query: str, sentences: list[str], counts: TermCounts | None = None) -> Pair:
    article = ArticleSentences(tuple(sentences), ("Results",) * len(sentences))
    return Pair(analyse_query(query), analyse(article), counts or TermCounts(0, {}))


def feature(name: str, of: Pair) -> list[float]:
    matrix = compute_features(of, FAMILIES)
    return [float(value) for value in matrix[:, feature_names(FAMILIES).index(name)]]


def test_names_are_unique_and_families_describe_themselves() -> None:
    names = feature_names(FAMILIES)
    assert len(set(names)) == len(names)
    for name, family in FAMILIES.items():
        assert family.name == name
        assert family.description
        columns = family.compute(pair("aspirin", ["Aspirin works.", "So it does."]))
        assert len(columns) == len(family.names)


@settings(max_examples=100, deadline=None)
@given(query=texts, sentences=articles)
def test_all_features_are_numbers(query: str, sentences: list[str]) -> None:
    matrix = compute_features(pair(query, sentences), FAMILIES)
    assert matrix.shape == (len(sentences), len(feature_names(FAMILIES)))
    assert np.isfinite(matrix).all()


@settings(max_examples=60, deadline=None)
@given(query=texts, sentences=articles)
def test_terms_in_common(query: str, sentences: list[str]) -> None:
    wanted = set(find_terms(query))
    expected = [len(wanted & set(find_terms(text))) for text in sentences]
    assert feature("matched", pair(query, sentences)) == expected


@settings(max_examples=60, deadline=None)
@given(query=texts, sentences=articles)
def test_the_longest_run_is_the_longest_common_substring_of_terms(
    query: str, sentences: list[str]
) -> None:
    def longest(left: list[str], right: list[str]) -> int:
        return max(
            (
                size
                for first in range(len(left))
                for size in range(1, len(left) - first + 1)
                if any(
                    left[first : first + size] == right[at : at + size]
                    for at in range(len(right) - size + 1)
                )
            ),
            default=0,
        )

    expected = [longest(find_terms(query), find_terms(text)) for text in sentences]
    assert feature("longest_run", pair(query, sentences)) == expected


@settings(max_examples=60, deadline=None)
@given(query=texts, sentences=articles)
def test_bm25_is_the_sum_over_terms(query: str, sentences: list[str]) -> None:
    tokens = [find_terms(text) for text in sentences]
    lengths = [len(token) for token in tokens if token]
    average = sum(lengths) / len(lengths) if lengths else 1.0
    expected = []
    for own in tokens:
        score = 0.0
        for term in find_terms(query):
            df = sum(term in others for others in tokens)
            idf = math.log1p((len(tokens) - df + 0.5) / (df + 0.5))
            tf = own.count(term)
            score += idf * tf * 2.2 / (tf + 1.2 * (0.25 + 0.75 * len(own) / average))
        expected.append(score)
    assert feature("bm25_article", pair(query, sentences)) == pytest.approx(expected)


def test_idf_of_other_articles_leaves_the_article_itself_out() -> None:
    first, second = (analyse(ArticleSentences((text,), ("",))) for text in ("aspirin", "fever"))
    counts = count_terms([first, second])
    assert (counts.articles, counts.counts) == (2, {"aspirin": 1, "fever": 1})
    inside = counts.idf(["aspirin"], True)
    assert inside == TermCounts(1, {"fever": 1}).idf(["aspirin"], False)
    assert inside > counts.idf(["aspirin"], False)


def test_the_first_part_and_the_others() -> None:
    of = pair(
        "strokes: aspirin compared with placebo.",
        ["Strokes fell.", "Aspirin was given.", "Aspirin reduced strokes.", "Nobody fell."],
    )
    assert of.query.parts == ({"stroke"}, {"aspirin"}, {"placebo"})
    assert feature("first_part", of) == [1, 0, 1, 0]
    assert feature("best_other", of) == [0, 1, 1, 0]
    assert feature("first_part_around", of) == [1, 1, 1, 1]


def test_markers_and_tags_are_no_part_of_the_query() -> None:
    query = analyse_query('<S sid="3">Aspirin reduces strokes (Lee et al., 2001) [3, 4].</S>')
    assert [term for term, _ in query.terms] == ["aspirin", "reduce", "stroke"]


def test_numbers_p_values_intervals_and_comparisons() -> None:
    of = pair(
        "aspirin 20%",
        [
            "Aspirin reduced strokes by 20% (p = 0.03; 95% CI 1.2-3.4).",
            "We thank our nurses.",
            "There was no significant difference between the groups [3].",
        ],
    )
    assert feature("p_value", of) == [1, 0, 0]
    assert feature("interval", of) == [1, 0, 0]
    assert feature("numbers", of) == [5, 0, 1]
    assert feature("shared_numbers", of) == [1, 0, 0]
    assert feature("own_work", of) == [0, 2, 0]
    assert feature("no_difference", of) == [0, 0, 1]
    assert feature("comparison", of) == [0, 0, 1]
    assert feature("citation", of) == [0, 0, 1]


def test_features_are_the_same_in_every_process() -> None:
    code = (
        "import numpy as np\n"
        "from citespan.pipelines.ranking.analysed_article import analyse\n"
        "from citespan.pipelines.ranking.pair import analyse_query\n"
        "from citespan.pipelines.ranking.features.families import FAMILIES, compute_features\n"
        "from citespan.pipelines.ranking.pair import Pair\n"
        "from citespan.pipelines.ranking.sentences import ArticleSentences\n"
        "from citespan.pipelines.ranking.pair import TermCounts\n"
        "words = [f'term{number}' for number in range(40)]\n"
        "text = ' '.join(words)\n"
        "counts = TermCounts(999, {word: number**2 for number, word in enumerate(words)})\n"
        "article = ArticleSentences((text, 'term1 term7.'), (text, text))\n"
        "pair = Pair(analyse_query(text), analyse(article), counts)\n"
        "print(compute_features(pair, FAMILIES).tobytes().hex())\n"
    )
    found = {
        subprocess.run(
            [sys.executable, "-c", code],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("1", "2", "3")
    }
    assert len(found) == 1


def test_letters_whose_lower_case_is_two_move_nothing() -> None:
    of = pair("aspirin", ["İİİİ İİ. ", "Fell by 20% (p = 0.03)."])
    assert feature("p_value", of) == [0, 1]


@given(
    values=st.lists(st.integers(0, 9), min_size=1, max_size=9),
    by=st.sampled_from([-3, -2, -1, 1, 2, 3]),
)
def test_shift(values: list[int], by: int) -> None:
    expected = [
        values[place + by] if 0 <= place + by < len(values) else 0 for place in range(len(values))
    ]
    assert shift(np.array(values, dtype=float), by).tolist() == expected


def test_rank_shares() -> None:
    assert rank_shares(np.array([3.0, 1.0, 3.0, 2.0])).tolist() == [0, 0.75, 0, 0.5]


def test_a_short_form_stands_for_its_long_form_and_the_other_way_round() -> None:
    sentences = [
        "The cells of brown adipose tissue (BAT) burn fat.",
        "BAT was cold.",
        "Brown adipose tissue was cold.",
        "White tissue.",
    ]
    assert feature("coverage_unified", pair("brown adipose tissue", sentences))[:3] == [1, 1, 1]
    assert feature("coverage_unified", pair("BAT", sentences)) == [1, 1, 1, 0]
    assert feature("coverage_article", pair("BAT", sentences)) == [1, 1, 0, 0]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("transforming growth factor (TGF)", {"tgf": {"transforming", "growth", "factor"}}),
        ("transforming growth factor (TGF-b1)", {}),  # two terms
        ("patients with Non-Alcoholic disease (NAD)", {"nad": {"non", "alcoholic", "disease"}}),
        ("we show (as others did) that", {}),
        ("a big dog (XYZ)", {}),
        ("(BAT)", {}),
    ],
)
def test_short_forms(text: str, found: dict[str, set[str]]) -> None:
    assert find_short_forms([text]) == found


def test_beginnings_of_terms_and_ranks_by_them() -> None:
    of = pair("immunised against influenza", ["Immunity to influenza.", "Influenza.", "Nothing."])
    assert feature("stem_covered", of) == pytest.approx([2 / 3, 1 / 3, 0])
    assert feature("stem_rank", of) == pytest.approx([0, np.log(2), np.log(3)])
    assert feature("stem_near", of)[0] > 0
    assert feature("stem_near", of)[1:] == [0, 0]


@pytest.mark.parametrize(
    ("query", "asks", "number", "trial", "cites"),
    [
        ("How many patients died?", 1, 1, 0, 0),
        ("Does aspirin reduce strokes?", 1, 0, 0, 0),
        ("Strokes: aspirin compared with placebo.", 0, 0, 1, 0),
        ("Aspirin reduces strokes [12].", 0, 0, 0, 1),
        ("Aspirin reduces strokes.", 0, 0, 0, 0),
    ],
)
def test_kinds_of_queries(query: str, asks: int, number: int, trial: int, cites: int) -> None:
    of = pair(query, ["Aspirin reduced strokes."])
    names = ("asks", "asks_number", "of_trial", "cites")
    assert [feature(name, of) for name in names] == [[asks], [number], [trial], [cites]]


def test_lines_digits_and_capitals() -> None:
    of = pair("aspirin", ["A Heading\n", "12 AB. ", "And on\n"])
    assert feature("begins_line", of) == [1, 1, 0]
    assert feature("whole_line", of) == [1, 0, 0]
    assert feature("ended", of) == [0, 1, 0]
    assert feature("digits", of) == pytest.approx([0, 2 / 6, 0])
    assert feature("capitals", of) == pytest.approx([2 / 9, 2 / 6, 1 / 6])
