"""Sentence precision, macro average, as CL-SciSumm's 2018 scorer computes it."""

from collections.abc import Sequence

from citespan.pipelines.evaluation.averages import macro
from citespan.pipelines.evaluation.measure import Average, FloatArray, measures
from citespan.pipelines.evaluation.outcome import Outcome
from citespan.pipelines.evaluation.sentence_overlap import official_sentence_counts


@measures.register
class OfficialSentencePrecisionMacro:
    name = "official_sentence_precision_macro"
    description = "Like sentence_precision_macro, over the records that the 2018 scorer keeps"
    source = "CL-SciSumm 2018, task1_eval.py"
    average: Average = "macro"

    def counts(self, outcomes: Sequence[Outcome]) -> FloatArray:
        """Sentences found, retrieved and marked, and 1; zeros for the records lost."""
        return official_sentence_counts(outcomes)

    def value(self, sums: FloatArray) -> FloatArray:
        """From sums over each topic's citances."""
        return macro(sums).precision
