"""ROUGE-L precision."""

from collections.abc import Sequence

from citespan.pipelines.evaluation.averages import mean, mean_counts
from citespan.pipelines.evaluation.measure import Average, FloatArray, measures
from citespan.pipelines.evaluation.outcome import Outcome


@measures.register
class RougeLPrecision:
    name = "rouge_l_precision"
    description = "ROUGE-L precision against the annotator of the best ROUGE-L F1"
    source = "Lin 2004, as in the rouge-score library"
    average: Average = "citances"

    def counts(self, outcomes: Sequence[Outcome]) -> FloatArray:
        """The value of each citance, and 1."""
        return mean_counts(outcome.rouge_l.precision for outcome in outcomes)

    def value(self, sums: FloatArray) -> FloatArray:
        """The mean over citances."""
        return mean(sums)
