"""Weighted recall, precision and F1 over characters: paper A, section 3, equation 1."""

from citespan.pipelines.evaluation.intervals import shared, size
from citespan.pipelines.evaluation.outcome import Outcome
from citespan.pipelines.evaluation.rouge import PrecisionRecallF1


def weighted_overlap(outcome: Outcome) -> PrecisionRecallF1:
    """The three figures of one citance.

    Recall is the sum over annotators of |S∩G_i| by the sum of |G_i|, precision the former by
    M·|S|, F1 their harmonic mean. M counts the annotators who marked nothing too. Zero where
    nothing was retrieved or nothing was marked.
    """
    found = sum(shared(outcome.retrieved, marked) for marked in outcome.gold)
    if not found:
        return PrecisionRecallF1(0.0, 0.0, 0.0)
    recall = found / sum(size(marked) for marked in outcome.gold)
    precision = found / (len(outcome.gold) * size(outcome.retrieved))
    return PrecisionRecallF1(precision, recall, 2 * precision * recall / (precision + recall))
