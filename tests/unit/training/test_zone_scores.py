"""Scores of zones, worked out by hand."""

import pytest

from citespan.pipelines.training.zones import Judgement, score_zones

JUDGED = [
    Judgement(0, "Introduction", "Introduction"),
    Judgement(0, "Methods", "Methods"),
    Judgement(1, "Methods", "Results"),
    Judgement(1, "Results", "Results"),
    Judgement(2, "Conclusions", "Conclusions"),
]


def test_scores_of_zones_and_overall() -> None:
    scores = score_zones(JUDGED)
    methods, results = scores.zones["Methods"], scores.zones["Results"]
    assert (methods.precision, methods.recall, methods.sentences) == (1, 0.5, 2)
    assert methods.f1 == pytest.approx(2 / 3)
    assert (results.precision, results.recall, results.sentences) == (0.5, 1, 1)
    assert scores.overall.recall == pytest.approx(4 / 5)
    assert scores.overall.precision == pytest.approx((1 + 2 + 0.5 + 1) / 5)
    assert scores.overall.f1 == pytest.approx((1 + 2 * 2 / 3 + 2 / 3 + 1) / 5)
    assert scores.overall.sentences == 5


def test_an_abstract_is_right_if_all_its_sentences_are() -> None:
    scores = score_zones(JUDGED)
    assert scores.sentence_accuracy == pytest.approx(4 / 5)
    assert scores.abstract_accuracy == pytest.approx(2 / 3)
    assert scores.abstracts == 3


def test_a_zone_that_never_occurs_scores_nothing() -> None:
    scores = score_zones(JUDGED[:1])
    assert scores.zones["Results"].f1 == 0
    assert scores.zones["Results"].sentences == 0
    assert scores.overall.f1 == 1
