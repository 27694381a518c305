"""Sentence recall, micro average, over all citances."""

from collections.abc import Sequence

from citespan.pipelines.evaluation.averages import micro
from citespan.pipelines.evaluation.measure import Average, FloatArray, measures
from citespan.pipelines.evaluation.outcome import Outcome
from citespan.pipelines.evaluation.sentence_overlap import sentence_counts


@measures.register
class SentenceRecallMicro:
    name = "sentence_recall_micro"
    description = "Share of the sentences marked that are retrieved, all citances pooled"
    source = "CL-SciSumm 2018, over all citances"
    average: Average = "micro"

    def counts(self, outcomes: Sequence[Outcome]) -> FloatArray:
        """Sentences found, retrieved and marked, and 1."""
        return sentence_counts(outcomes)

    def value(self, sums: FloatArray) -> FloatArray:
        """From sums over all citances."""
        return micro(sums).recall
