"""Levels of agreement among annotators, on annotations made by hand."""

import statistics
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st
from made_outcomes import make_outcome, tens

from citespan.pipelines.corpus.collection import Citance, Collection
from citespan.pipelines.evaluation.agreement import LEVELS, PUBLISHED, find_level, measure_agreement
from citespan.pipelines.evaluation.published import TAC2014

Marked = Sequence[Sequence[tuple[int, int]]]
SPANS = st.lists(
    st.tuples(st.integers(0, 40), st.integers(0, 40)).map(lambda pair: (min(pair), max(pair))),
    max_size=3,
)


def citance(*marked: Sequence[tuple[int, int]]) -> Citance:
    return make_outcome(tens(9), marked, []).citance


def collection(
    *citances: Citance, name: str = "tac2014:made", topics: Sequence[str] = ("T",)
) -> Collection:
    articles = {topic: tens(9) for topic in topics}
    return Collection(name, articles, citances, (), len(citances))


@pytest.mark.parametrize(
    ("marked", "level", "overlap"),
    [
        ([[(0, 10)]] * 4, "full", 1),
        ([[(0, 10)], [(0, 5), (5, 10)], [(0, 7), (3, 10)]], "full", 1),
        ([[(0, 10)], [(0, 10)], [(0, 10)], [(5, 10)]], "all", 5 / 10),
        ([[(0, 10)], [(5, 15)], [(5, 10)], [(8, 20)]], "all", 2 / 20),
        ([[(0, 10)], [(5, 15)], [(8, 20)], [(30, 40)]], "majority", 2 / 30),
        ([[(0, 10)], [(0, 10)], [(0, 10)], []], "majority", 1),
        ([[(0, 10)], [(5, 10)], [(20, 30)], [(40, 50)]], "minority", 5 / 30),
        # Two pairs that agree, on different places: both count.
        ([[(0, 10)], [(5, 10)], [(20, 30)], [(20, 30)]], "minority", 15 / 20),
        ([[(0, 10)], [(10, 20)], [(20, 30)], [(30, 40)]], "none", 0),
        ([[(0, 10)], [], [], []], "none", 0),
        # One annotator's spans that overlap are marked once.
        ([[(0, 10), (5, 15)], [(20, 30)]], "none", 0),
        ([[(0, 10)], [(0, 10)]], "full", 1),
        ([[(0, 10)], [(9, 10)]], "all", 1 / 10),
        ([[(0, 10)], [(0, 10)], [(20, 30)]], "majority", 10 / 20),
        ([[(0, 10)]] * 3 + [[(20, 30)]] * 2, "majority", 10 / 20),
        ([[(0, 10)]] * 2 + [[(20, 30)]] * 3, "majority", 10 / 20),
        ([[(0, 10)]] * 2 + [[(20, 30)], [(40, 50)], []], "minority", 10 / 30),
        ([[(0, 10)]] * 3 + [[]] * 3, "minority", 1),
    ],
)
def test_levels(marked: Marked, level: str, overlap: float) -> None:
    found, share = find_level(citance(*marked))
    assert (found, share) == (level, pytest.approx(overlap))


@pytest.mark.parametrize("marked", [[[(0, 10)]], [[], []], [[(5, 5)], []], []])
def test_nothing_to_agree_on(marked: Marked) -> None:
    with pytest.raises(ValueError, match="nothing to agree on"):
        find_level(citance(*marked))


@given(
    marked=st.lists(SPANS, min_size=2, max_size=6).filter(
        lambda marked: any(start < end for theirs in marked for start, end in theirs)
    ),
    order=st.randoms(use_true_random=False),
)
def test_levels_are_those_of_counting_each_character(marked: Marked, order) -> None:
    sets = [{c for start, end in theirs for c in range(start, end)} for theirs in marked]
    counts = [sum(c in part for part in sets) for c in set.union(*sets)]
    most = max(counts)
    level, overlap = find_level(citance(*marked))
    if most == 1:
        assert (level, overlap) == ("none", 0)
    else:
        assert overlap == pytest.approx(counts.count(most) / len(counts))
        everyone, majority = most == len(marked), most > len(marked) / 2
        assert (level in ("full", "all")) == everyone
        assert (level == "full") == (everyone and min(counts) == most)
        assert (level == "majority") == (majority and not everyone)
        assert (level == "minority") == (not majority)
    shuffled = list(marked)
    order.shuffle(shuffled)
    assert find_level(citance(*shuffled)) == (level, overlap)


def test_every_citance_is_counted_once() -> None:
    made = [
        citance([(0, 10)], [(0, 10)]),
        citance([(0, 10)], [(5, 10)]),
        citance([(0, 10)], [(0, 2)]),
        citance([(0, 10)], [(20, 30)]),
        citance([(0, 10)]),
        citance([], []),
    ]
    found = measure_agreement(collection(*made))
    assert list(found.levels) == list(LEVELS)
    counts = {level: agreement.count for level, agreement in found.levels.items()}
    assert counts == {"full": 1, "all": 2, "majority": 0, "minority": 0, "none": 1}
    assert (found.total, found.single, found.unmarked) == (4, 1, 1)
    partial = found.levels["all"]
    assert partial.mean == pytest.approx(35)
    assert partial.deviation == pytest.approx(statistics.stdev([50, 20]))
    assert (found.levels["full"].mean, found.levels["full"].deviation) == (100, None)
    assert (found.levels["majority"].mean, found.levels["majority"].deviation) == (None, None)


def test_published_counts_stand_beside_tac_2014_alone() -> None:
    assert sum(level.count for level in PUBLISHED.values()) == TAC2014.citances == 313
    topics = [f"D14{number:02}_TRAIN" for number in range(1, 21)]
    annotated = citance([(0, 10)], [(0, 10)])
    same = measure_agreement(collection(*[annotated] * 313, topics=topics))
    assert (same.published, same.caveat) == (True, None)
    assert same.to_json()["levels"][1]["published"] == {
        "count": 66,
        "overlap": 21.7,
        "deviation": 15.4,
    }
    fewer = measure_agreement(collection(annotated, topics=topics))
    assert fewer.published
    assert fewer.caveat == "they are on 313 citances, and here are 1"
    for other in (
        collection(annotated, topics=topics[1:]),
        collection(annotated, topics=[*topics[1:], "D1401_SAMPLE"]),
        collection(annotated, topics=topics, name="scisumm:train"),
    ):
        found = measure_agreement(other)
        assert not found.published
        assert found.caveat == f"{other.name} is not the 20 topics of TAC 2014 (training)"
        assert "published" not in found.to_json()["levels"][0]
