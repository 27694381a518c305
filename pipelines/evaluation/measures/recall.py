"""Weighted recall over characters."""

from collections.abc import Sequence

from citespan.pipelines.evaluation.averages import mean, mean_counts
from citespan.pipelines.evaluation.measure import Average, FloatArray, measures
from citespan.pipelines.evaluation.outcome import Outcome
from citespan.pipelines.evaluation.weighted_overlap import weighted_overlap


@measures.register
class Recall:
    name = "recall"
    description = "Share of the annotators' characters that are retrieved"
    source = "Cohan et al. 2015, equation 1"
    average: Average = "citances"

    def counts(self, outcomes: Sequence[Outcome]) -> FloatArray:
        """The value of each citance, and 1."""
        return mean_counts(weighted_overlap(outcome).recall for outcome in outcomes)

    def value(self, sums: FloatArray) -> FloatArray:
        """The mean over citances."""
        return mean(sums)
