"""Sentence recall, macro average, over all citances."""

from collections.abc import Sequence

from citespan.pipelines.evaluation.averages import macro
from citespan.pipelines.evaluation.measure import Average, FloatArray, measures
from citespan.pipelines.evaluation.outcome import Outcome
from citespan.pipelines.evaluation.sentence_overlap import sentence_counts


@measures.register
class SentenceRecallMacro:
    name = "sentence_recall_macro"
    description = "Share of the sentences marked that are retrieved, mean over topics"
    source = "CL-SciSumm 2018, over all citances"
    average: Average = "macro"

    def counts(self, outcomes: Sequence[Outcome]) -> FloatArray:
        """Sentences found, retrieved and marked, and 1."""
        return sentence_counts(outcomes)

    def value(self, sums: FloatArray) -> FloatArray:
        """From sums over each topic's citances."""
        return macro(sums).recall
