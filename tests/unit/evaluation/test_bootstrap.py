"""Intervals, and the scores that have them."""

import math
from dataclasses import replace

import numpy as np
import pytest
from made_outcomes import make_outcome, tens

from citespan.pipelines.evaluation.measure import measures
from citespan.pipelines.evaluation.outcome import Outcome
from citespan.pipelines.evaluation.scores import estimate_intervals, score_systems
from citespan.pipelines.evaluation.significance import UNTESTED, paired_t_test

ALL = list(measures)


def run(seed: int, size: int = 30) -> list[Outcome]:
    generator = np.random.default_rng(seed)
    made = []
    for number in range(size):
        first, marked = generator.integers(0, 6, size=2)
        made.append(
            make_outcome(
                tens(8),
                [[(10 * int(marked), 10 * int(marked) + 19)]],
                [(int(first), int(first) + 1)],
                # Uneven and out of order, and one topic that resamples often miss.
                topic="lonely" if number == 7 else f"topic {number % 3}",
                citing=f"citing {generator.integers(0, 20)}",
                name=f"citance {number}",
            )
        )
    return made


def test_intervals_are_those_of_resampling_one_by_one() -> None:
    made = run(1)
    topics = np.array([outcome.citance.topic for outcome in made])
    counted = [(measure, measure.counts(made)) for measure in ALL]
    bounds = estimate_intervals(counted, list(topics), resamples=200, seed=5)
    draws = np.random.default_rng(5).integers(0, len(made), size=(200, len(made)))
    # The implementation orders citances by topic before it draws.
    order = np.argsort(topics, kind="stable")
    for (measure, counts), (low, high) in zip(counted, bounds, strict=True):
        values = []
        for draw in draws:
            chosen = order[draw]
            sums = [
                counts[chosen[topics[chosen] == topic]].sum(axis=0)
                for topic in np.unique(topics[chosen])
            ]
            values.append(float(measure.value(np.array(sums))))
        assert (low, high) == pytest.approx(tuple(np.quantile(values, [0.025, 0.975])))


def test_the_interval_of_a_mean_is_about_the_normal_one() -> None:
    made = run(2, size=300)
    topics = [outcome.citance.topic for outcome in made]
    counts = measures["recall"].counts(made)
    error = counts[:, 0].std(ddof=1) / math.sqrt(len(made))
    low, high = estimate_intervals([(measures["recall"], counts)], topics)[0]
    assert low == pytest.approx(counts[:, 0].mean() - 1.96 * error, abs=0.1 * error)
    assert high == pytest.approx(counts[:, 0].mean() + 1.96 * error, abs=0.1 * error)


def test_a_seed_gives_the_same_intervals_again_and_another_gives_others() -> None:
    made = run(3)
    topics = [outcome.citance.topic for outcome in made]
    counted = [(measures["f1"], measures["f1"].counts(made))]
    first = estimate_intervals(counted, topics, resamples=300, seed=1)
    assert np.array_equal(first, estimate_intervals(counted, topics, resamples=300, seed=1))
    assert not np.array_equal(first, estimate_intervals(counted, topics, resamples=300, seed=2))


def test_more_resamples_than_fit_at_once_are_all_drawn() -> None:
    # One citance: all resamples are alike, and a row left undrawn would show.
    made = [make_outcome(tens(2), [[(0, 9)]], [(0, 0)])]
    counted = [(measure, measure.counts(made)) for measure in ALL]
    assert np.allclose(estimate_intervals(counted, ["topic"], resamples=1001), 1)


def test_nothing_to_draw_from_is_an_error() -> None:
    with pytest.raises(ValueError, match="no citance"):
        estimate_intervals([(measures["f1"], np.empty((0, 2)))], [])


def test_scores_of_systems() -> None:
    base, other = run(4), run(4)
    other = [
        replace(outcome, spans=outcome.spans * (place % 2)) for place, outcome in enumerate(other)
    ]
    scores = score_systems({"other": other, "base": base}, "base", ALL, resamples=500)
    assert list(scores) == ["other", "base"]
    assert list(scores["base"]) == measures.names()
    for system in scores.values():
        for score in system.values():
            assert 0 <= score.low <= score.value <= score.high <= 1
    assert scores["other"]["recall"].value < scores["base"]["recall"].value
    for measure in ALL:
        assert scores["base"][measure.name].tests == UNTESTED
        tested = scores["other"][measure.name].tests.p_value is not None
        assert tested == (measure.average == "citances")
    p_value = scores["other"]["recall"].tests.p_value
    assert p_value == paired_t_test(
        measures["recall"].counts(other)[:, 0], measures["recall"].counts(base)[:, 0]
    )


def test_a_system_scores_the_same_whatever_it_is_compared_with() -> None:
    base = run(5)
    worse = [replace(outcome, spans=()) for outcome in base]
    alone = score_systems({"base": base}, "base", ALL, resamples=300)
    beside = score_systems({"worse": worse, "base": base}, "base", ALL, resamples=300)
    for name, score in alone["base"].items():
        other = beside["base"][name]
        assert (other.value, other.low, other.high) == pytest.approx(
            (score.value, score.low, score.high)
        )


def test_systems_must_have_run_on_the_same_citances() -> None:
    with pytest.raises(ValueError, match="same citances"):
        score_systems({"base": run(6), "other": run(6)[1:]}, "base", ALL)
