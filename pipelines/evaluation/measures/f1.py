"""F1 of weighted recall and precision over characters."""

from collections.abc import Sequence

from citespan.pipelines.evaluation.averages import mean, mean_counts
from citespan.pipelines.evaluation.measure import Average, FloatArray, measures
from citespan.pipelines.evaluation.outcome import Outcome
from citespan.pipelines.evaluation.weighted_overlap import weighted_overlap


@measures.register
class F1:
    name = "f1"
    description = "Harmonic mean of each citance's weighted recall and precision"
    source = "Cohan et al. 2015, equation 1"
    average: Average = "citances"

    def counts(self, outcomes: Sequence[Outcome]) -> FloatArray:
        """The value of each citance, and 1."""
        return mean_counts(weighted_overlap(outcome).f1 for outcome in outcomes)

    def value(self, sums: FloatArray) -> FloatArray:
        """The mean over citances."""
        return mean(sums)
