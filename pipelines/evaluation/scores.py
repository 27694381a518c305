"""Every measure of every system of an experiment, with intervals and p-values.

Intervals come from the percentile bootstrap over citances (Efron and Tibshirani 1993, chapter 13).
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import pairwise

import numpy as np

from citespan.pipelines.evaluation.measure import FloatArray, Measure
from citespan.pipelines.evaluation.outcome import Outcome
from citespan.pipelines.evaluation.significance import (
    UNTESTED,
    Significance,
    against_baseline,
    holm,
    pooled_randomisation_test,
)

RESAMPLES = 10_000
LEVEL = 0.95
_CHUNK = 250


def sum_by_topic(counts: FloatArray, topics: Sequence[str]) -> FloatArray:
    """Sum `counts` over the citances of each topic: (citances, k) to (topics, k)."""
    names, places = np.unique(np.array(topics, dtype=object), return_inverse=True)
    sums = np.zeros((len(names), counts.shape[1]))
    np.add.at(sums, places, counts)
    return sums


def estimate_intervals(
    counted: Sequence[tuple[Measure, FloatArray]],
    topics: Sequence[str],
    *,
    resamples: int = RESAMPLES,
    seed: int = 0,
) -> FloatArray:
    """Return the 2.5th and 97.5th percentile of each measure over resamples of the citances.

    Citances are drawn with replacement from all of them, whatever their topic; a topic that
    isn't drawn doesn't count in that resample. All pairs see the same resamples, so that
    systems given together are drawn together.

    Args:
        counted: measures with their `counts`, each of shape (citances, k).
        topics: the topic of each citance, as many as there are citances.

    Returns:
        Of shape (len(counted), 2): low and high.

    Raises:
        ValueError: if there is no citance.
    """
    if not topics:
        raise ValueError("there is no citance to draw from")
    order, edges = _group_by_topic(topics)
    # Measures of one family have their counts in common: each column is summed once.
    stacked, places = np.unique(
        np.hstack([counts for _, counts in counted])[order], axis=1, return_inverse=True
    )
    widths = np.cumsum([0, *(counts.shape[1] for _, counts in counted)])
    drawn = np.empty((len(counted), resamples))
    generator = np.random.default_rng(seed)
    for first in range(0, resamples, _CHUNK):
        size = min(_CHUNK, resamples - first)
        weights = _draw_weights(generator, size, len(topics))
        sums = np.empty((size, len(edges) - 1, stacked.shape[1]))
        for topic, (start, end) in enumerate(pairwise(edges)):
            sums[:, topic] = weights[:, start:end] @ stacked[start:end]
        for row, (measure, _) in enumerate(counted):
            columns = places[widths[row] : widths[row + 1]]
            drawn[row, first : first + size] = measure.value(sums[:, :, columns])
    tail = (1 - LEVEL) / 2
    bounds: FloatArray = np.quantile(drawn, [tail, 1 - tail], axis=1).T
    return bounds


def _group_by_topic(topics: Sequence[str]) -> tuple[list[int], list[int]]:
    """Return the citances in the order of their topics, and where each topic begins and ends."""
    order = sorted(range(len(topics)), key=lambda place: topics[place])
    edges = [
        place for place in range(1, len(order)) if topics[order[place]] != topics[order[place - 1]]
    ]
    return order, [0, *edges, len(order)]


def _draw_weights(generator: np.random.Generator, resamples: int, citances: int) -> FloatArray:
    """Draw citances, and return how often each was drawn, of shape (resamples, citances)."""
    draws = generator.integers(0, citances, size=(resamples, citances))
    draws += np.arange(resamples)[:, np.newaxis] * citances
    counts = np.bincount(draws.ravel(), minlength=resamples * citances)
    return counts.reshape(resamples, citances).astype(np.float64)


@dataclass(frozen=True, slots=True)
class Score:
    """A measure's value with its 95% interval.

    Attributes:
        tests: against the baseline; without p-values for the baseline itself and for measures
            that are made of one value per topic, and without a t-test for those that pool all
            citances.
    """

    value: float
    low: float
    high: float
    tests: Significance


def score_systems(
    outcomes: Mapping[str, Sequence[Outcome]],
    baseline: str,
    measures: Iterable[Measure],
    *,
    resamples: int = RESAMPLES,
    seed: int = 0,
) -> dict[str, dict[str, Score]]:
    """Score systems by measures, and return the scores by both, in the order given.

    Args:
        outcomes: by system, what it did on all citances, in one order for all systems.
        baseline: the system that the others are tested against.

    Raises:
        ValueError: if there is no citance, or systems were run on different ones.
    """
    measures = list(measures)
    citances = [outcome.citance.id for outcome in outcomes[baseline]]
    for system, theirs in outcomes.items():
        if [outcome.citance.id for outcome in theirs] != citances:
            raise ValueError(f"{system} and {baseline} were not run on the same citances")
    topics = [outcome.citance.topic for outcome in outcomes[baseline]]
    counts = {
        system: [measure.counts(theirs) for measure in measures]
        for system, theirs in outcomes.items()
    }
    counted = [pair for own in counts.values() for pair in zip(measures, own, strict=True)]
    bounds = estimate_intervals(counted, topics, resamples=resamples, seed=seed)
    bounds = bounds.reshape(len(counts), len(measures), 2)
    tests = _test_systems(counts, baseline, measures, seed)
    return {
        system: {
            measure.name: Score(
                float(measure.value(sum_by_topic(mine, topics))),
                float(low),
                float(high),
                tests.get((system, measure.name), UNTESTED),
            )
            for measure, mine, (low, high) in zip(measures, own, system_bounds, strict=True)
        }
        for (system, own), system_bounds in zip(counts.items(), bounds, strict=True)
    }


def _test_systems(
    counts: Mapping[str, Sequence[FloatArray]],
    baseline: str,
    measures: Sequence[Measure],
    seed: int,
) -> dict[tuple[str, str], Significance]:
    """Return the tests by system and measure, where there is something to test."""
    tests = _test_pooled(counts, baseline, measures, seed)
    paired = [place for place, measure in enumerate(measures) if measure.average == "citances"]
    if not paired:
        return tests
    values = {
        system: np.column_stack([score_alone(measures[place], own[place]) for place in paired])
        for system, own in counts.items()
    }
    base = values.pop(baseline)
    return tests | {
        (system, measures[place].name): test
        for system, theirs in against_baseline(values, base, seed).items()
        for place, test in zip(paired, theirs, strict=True)
    }


def _test_pooled(
    counts: Mapping[str, Sequence[FloatArray]],
    baseline: str,
    measures: Sequence[Measure],
    seed: int,
) -> dict[tuple[str, str], Significance]:
    """Return the tests of the measures that pool all citances."""
    systems = [system for system in counts if system != baseline]
    pooled = [place for place, measure in enumerate(measures) if measure.average == "micro"]
    if not systems or not pooled:
        return {}
    pairs = [(place, system) for place in pooled for system in systems]
    p_values = pooled_randomisation_test(
        [(counts[system][place], counts[baseline][place]) for place, system in pairs],
        [partial(_pool, measures[place]) for place, _ in pairs],
        seed=seed,
    ).reshape(len(pooled), len(systems))
    tests = {}
    for place, row in zip(pooled, p_values.tolist(), strict=True):
        for system, p_value, corrected in zip(systems, row, holm(row), strict=True):
            tests[system, measures[place].name] = Significance(None, None, p_value, corrected)
    return tests


def _pool(measure: Measure, sums: FloatArray) -> FloatArray:
    return measure.value(sums[..., np.newaxis, :])


def score_alone(measure: Measure, counts: FloatArray) -> FloatArray:
    """Return the measure of each citance taken alone, of shape (citances,)."""
    return measure.value(counts[:, np.newaxis, :])
