"""Measures of a ranking, through ir-measures: what a reader meets first."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from citespan.pipelines.evaluation.measure import FloatArray, compute_mean, measures
from citespan.pipelines.evaluation.outcome import Outcome


@dataclass(frozen=True, slots=True)
class RankingMeasure:
    """The mean over citances of a measure of ir-measures.

    The documents are sentences, relevant if any annotator marked them. A span stands for its
    marked sentences that no better span has, or, without any, for one that nobody marked: readers
    see whole spans, so what else stands in one that they were looking for is no loss.
    """

    name: str
    description: str
    source: str
    of: str
    cutoff: int
    average: Literal["citances"] = "citances"

    def counts(self, outcomes: Sequence[Outcome]) -> FloatArray:
        """Return each citance's value, and 1."""
        import ir_measures  # slow to import, and of use to evaluations only

        measure: Any = getattr(ir_measures, self.of) @ self.cutoff
        qrels = {
            str(place): {str(number): 1 for number in outcome.gold_sentences}
            for place, outcome in enumerate(outcomes)
        }
        runs = {str(place): _rank(outcome) for place, outcome in enumerate(outcomes)}
        values = np.zeros(len(outcomes))
        if outcomes:
            for found in ir_measures.iter_calc([measure], qrels, runs):
                values[int(found.query_id)] = found.value
        return np.column_stack([values, np.ones_like(values)])

    def value(self, sums: FloatArray) -> FloatArray:
        """Return the mean."""
        return compute_mean(sums)


def _rank(outcome: Outcome) -> dict[str, float]:
    """Return a falling score for each sentence that a span stands for."""
    ranked: dict[str, float] = {}
    for place, span in enumerate(outcome.spans):
        numbers = range(span.first_sentence, span.last_sentence + 1)
        marked = [str(number) for number in numbers if number in outcome.gold_sentences]
        stands_for = marked or [f"unmarked {place}"]
        for document in stands_for:
            ranked.setdefault(document, -float(len(ranked)))
    return ranked


for name, of, cutoff, description in (
    ("success_1", "Success", 1, "Share of the citances whose first span has a marked sentence"),
    ("mrr_10", "RR", 10, "Mean of 1 / rank of the first of ten spans that has a marked sentence"),
    ("ndcg_10", "nDCG", 10, "Normalised discounted cumulative gain of the first ten spans"),
):
    measures.add(RankingMeasure(name, description, "TREC, by ir-measures", of, cutoff))
