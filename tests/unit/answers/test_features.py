"""Claim sentences and their features; years; the question's words; answers found in memory."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from made_abstracts import abstract_of, made_abstract

from citespan.pipelines.answers.candidates import search_abstracts, select_search_words
from citespan.pipelines.answers.detection.features import extract_claim_sentences, get_feature_set
from citespan.pipelines.answers.detection.model import AnswerModel, Node, Split
from citespan.pipelines.answers.finding import find_answers
from citespan.pipelines.answers.indexed_abstracts import build_query
from citespan.pipelines.answers.zones.zoning import assign_zones
from citespan.pipelines.corpus.abstract import AbstractPart
from citespan.pipelines.errors import InputError, UnknownNameError
from citespan.pipelines.years import Years, read_years

PARTS = [
    AbstractPart("AIM", "It is not known whether the cheese that was given to them is of use."),
    AbstractPart(
        "RESULTS", "Angiotensin-converting enzyme (ACE) fell. Mice like cheese. Rats slept."
    ),
    AbstractPart("CONCLUSION", "ACE fell in mice."),
]


def test_the_claim_zone_is_results_and_conclusions() -> None:
    abstract = abstract_of(PARTS, title="ACE fell")
    ((_, zoned),) = assign_zones([abstract])
    found = extract_claim_sentences("Do mice like cheese?", abstract, zoned)
    assert [claim.place for claim in found] == [1, 2, 3, 4]
    assert [claim.values["role-label"] for claim in found] == [0, 0, 0, 1]


def test_title_similarity_counts_long_forms_as_short_ones() -> None:
    abstract = abstract_of(PARTS, title="ACE fell")
    ((_, zoned),) = assign_zones([abstract])
    values = [
        sentence.values
        for sentence in extract_claim_sentences("Do mice like cheese?", abstract, zoned)
    ]
    # Bags of words: {ace 2, fell} and {ace, fell}: 3 / sqrt(5 * 2) = 0.949; {ace, fell, in,
    # mice}: 2 / sqrt(4 * 2) = 0.707. Question {do, mice, like, cheese}: 3 / sqrt(4 * 3) = 0.866.
    assert [value["st-sim"] for value in values] == [47, 0, 0, 35]
    assert [value["sq-sim"] for value in values] == [0, 43, 0, 12]
    mean, deviation = 20.5, 20.934
    assert [value["Z-score"] for value in values] == pytest.approx(
        [(x - mean) / deviation for x in (47, 0, 0, 35)], abs=1e-3
    )


def test_nothing_like_the_title_is_no_deviation() -> None:
    abstract = abstract_of(PARTS, title="Turnips")
    ((_, zoned),) = assign_zones([abstract])
    assert {
        sentence.values["Z-score"] for sentence in extract_claim_sentences("Why?", abstract, zoned)
    } == {0.0}
    assert extract_claim_sentences("Why?", abstract, []) == []


def test_feature_sets_by_name() -> None:
    assert get_feature_set("6") == ("Z-score", "sq-sim", "role-label")
    with pytest.raises(UnknownNameError, match="unknown feature set '7'"):
        get_feature_set("7")


@pytest.mark.parametrize(
    ("text", "first", "last"),
    [
        *(("2010", 2010, 2010), ("2010-", 2010, None), ("-2015", None, 2015)),
        *(("2010-2015", 2010, 2015), ("2010 – 2015", 2010, 2015)),
    ],
)
def test_years_as_people_write_them(text: str, first: int | None, last: int | None) -> None:
    assert read_years(text) == Years(first, last)


@pytest.mark.parametrize("text", ["", "-", "10", "20102015", "2015-2010", "2010-2015-", "x"])
def test_what_is_no_range_of_years(text: str) -> None:
    with pytest.raises(InputError, match="year '"):
        read_years(text)


@given(st.integers(1000, 9999), st.integers(1000, 9999))
def test_a_year_is_in_a_range_with_it_at_either_end(start: int, other: int) -> None:
    first, last = sorted((start, other))
    years = read_years(f"{first}-{last}")
    assert first in years
    assert last in years
    assert last + 1 not in years
    assert None not in years
    assert None in Years()


def test_only_stop_words_are_no_question() -> None:
    assert (
        select_search_words("Does zelatine help in TGF-β1 disease?")
        == "zelatine help TGF-β1 disease"
    )
    for text in ("does it?", "", "?!", "the of and"):
        with pytest.raises(InputError, match="nothing but stop words"):
            select_search_words(text)


def test_what_a_user_types_is_text_and_never_syntax() -> None:
    text = 'title:x AND (year:[1 TO 2] OR "y" *'
    body = build_query(text, Years(2010, None)).to_dict()
    assert body["bool"]["should"] == [
        {"match": {"text": {"query": text}}},
        {"match": {"title": {"query": text}}},
    ]
    assert body["bool"]["filter"] == [{"range": {"year": {"gte": 2010}}}]
    assert "filter" not in build_query("x", Years()).to_dict()["bool"]


def test_candidates_in_memory() -> None:
    abstracts = [made_abstract(number) for number in range(10)]
    found = search_abstracts(abstracts, "Is zelatine of use in gout?", Years(), 3)
    assert found[0].abstract.id == "1", "the one of both words"
    assert found[0].score > found[1].score >= found[2].score > 0
    assert search_abstracts(abstracts, "turnips", Years(), 3) == []
    assert search_abstracts(abstracts, "zelatine", Years(2000, None), 3) == [], "none has a year"
    assert search_abstracts([], "zelatine", Years(), 3) == []


DETECTOR = AnswerModel(
    "question",
    Node(
        4,
        6,
        Split(
            "role-label", 0.5, Node(0, 5), Node(4, 1, Split("sq-sim", 12, Node(1, 1), Node(3, 0)))
        ),
    ),
)


@pytest.mark.parametrize("top", [1, 2, 5, 100])
def test_what_is_not_looked_into_would_not_have_been_found(top: int) -> None:
    abstracts = [made_abstract(number) for number in range(60)]
    question = "Is zelatine of use in gout or vertigo, and morvanol?"
    candidates = search_abstracts(abstracts, question, Years(), 60)
    everything = find_answers(question, candidates, detector=DETECTOR, top=1000, per_abstract=3)
    found = find_answers(question, candidates, detector=DETECTOR, top=top, per_abstract=3)
    assert [answer.to_json() for answer in found] == [answer.to_json() for answer in everything][
        :top
    ]


def test_answers_in_their_context() -> None:
    candidates = search_abstracts([made_abstract(0)], "zelatine in gout", Years(), 5)
    found = find_answers(
        "Is zelatine of use in gout?", candidates, detector=DETECTOR, per_abstract=9
    )
    assert len(found) == 4
    best = found[0]
    assert best.text == "These findings suggest that zelatine helps patients with gout."
    assert (best.rank, best.zone, best.zone_from) == (1, "Conclusions", "label")
    assert best.before
    assert best.after == "Larger studies should confirm this."
    assert best.score == best.probability * candidates[0].score
    assert {answer.zone for answer in found} == {"Results", "Conclusions"}
    assert [answer.id for answer in find_answers("Gout?", candidates, detector=DETECTOR)] == ["1"]
