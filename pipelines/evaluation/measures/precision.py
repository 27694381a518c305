"""Weighted precision over characters."""

from collections.abc import Sequence

from citespan.pipelines.evaluation.averages import mean, mean_counts
from citespan.pipelines.evaluation.measure import Average, FloatArray, measures
from citespan.pipelines.evaluation.outcome import Outcome
from citespan.pipelines.evaluation.weighted_overlap import weighted_overlap


@measures.register
class Precision:
    name = "precision"
    description = "Share of the characters retrieved that annotators marked, mean over annotators"
    source = "Cohan et al. 2015, equation 1"
    average: Average = "citances"

    def counts(self, outcomes: Sequence[Outcome]) -> FloatArray:
        """The value of each citance, and 1."""
        return mean_counts(weighted_overlap(outcome).precision for outcome in outcomes)

    def value(self, sums: FloatArray) -> FloatArray:
        """The mean over citances."""
        return mean(sums)
