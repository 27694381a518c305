"""Every measure of every system of an experiment, with intervals and p-values."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from citespan.pipelines.evaluation.bootstrap import RESAMPLES, by_topic, intervals
from citespan.pipelines.evaluation.measure import FloatArray, Measure
from citespan.pipelines.evaluation.outcome import Outcome
from citespan.pipelines.evaluation.significance import UNTESTED, Significance, against_baseline


@dataclass(frozen=True, slots=True)
class Score:
    """A measure's value with its 95% interval.

    Attributes:
        tests: against the baseline; without p-values for the baseline itself, and for measures
            that aren't a mean over citances.
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
    """Scores by system and measure, both in the order given.

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
    bounds = intervals(counted, topics, resamples=resamples, seed=seed)
    bounds = bounds.reshape(len(counts), len(measures), 2)
    tests = _tests(counts, baseline, measures, seed)
    return {
        system: {
            measure.name: Score(
                float(measure.value(by_topic(mine, topics))),
                float(low),
                float(high),
                tests.get((system, measure.name), UNTESTED),
            )
            for measure, mine, (low, high) in zip(measures, own, system_bounds, strict=True)
        }
        for (system, own), system_bounds in zip(counts.items(), bounds, strict=True)
    }


def _tests(
    counts: Mapping[str, Sequence[FloatArray]],
    baseline: str,
    measures: Sequence[Measure],
    seed: int,
) -> dict[tuple[str, str], Significance]:
    """By system and measure, where there is something to test."""
    paired = [place for place, measure in enumerate(measures) if measure.average == "citances"]
    if not paired:
        return {}
    values = {
        system: np.column_stack([alone(measures[place], own[place]) for place in paired])
        for system, own in counts.items()
    }
    base = values.pop(baseline)
    return {
        (system, measures[place].name): test
        for system, theirs in against_baseline(values, base, seed).items()
        for place, test in zip(paired, theirs, strict=True)
    }


def alone(measure: Measure, counts: FloatArray) -> FloatArray:
    """The measure of each citance taken alone, of shape (citances,)."""
    return measure.value(counts[:, np.newaxis, :])
