"""Every measure of every system of an experiment, with intervals and p-values."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from citespan.pipelines.evaluation.bootstrap import RESAMPLES, by_topic, intervals
from citespan.pipelines.evaluation.measure import FloatArray, Measure
from citespan.pipelines.evaluation.outcome import Outcome
from citespan.pipelines.evaluation.significance import paired_t_test


@dataclass(frozen=True, slots=True)
class Score:
    """A measure's value with its 95% interval.

    Attributes:
        p_value: of the paired t-test against the baseline; None for the baseline, for measures
            that aren't a mean over citances, and where the test isn't defined.
    """

    value: float
    low: float
    high: float
    p_value: float | None


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
    scores: dict[str, dict[str, Score]] = {}
    for (system, own), system_bounds in zip(counts.items(), bounds, strict=True):
        scores[system] = {}
        for measure, mine, others, (low, high) in zip(
            measures, own, counts[baseline], system_bounds, strict=True
        ):
            value = float(measure.value(by_topic(mine, topics)))
            p_value = None
            if system != baseline and measure.average == "citances":
                p_value = paired_t_test(_alone(measure, mine), _alone(measure, others))
            scores[system][measure.name] = Score(value, float(low), float(high), p_value)
    return scores


def _alone(measure: Measure, counts: FloatArray) -> FloatArray:
    """The measure of each citance taken alone, of shape (citances,)."""
    return measure.value(counts[:, np.newaxis, :])
