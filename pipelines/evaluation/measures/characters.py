"""Recall, precision and F1 over characters, weighted over annotators.

A. Cohan, L. Soldaini, N. Goharian, "Matching citation text and cited spans in biomedical
literature: a search-oriented approach", NAACL 2015 (paper A), section 3, equation 1.
"""

from functools import partial

from citespan.pipelines.evaluation.measure import MeanOverCitances, measures
from citespan.pipelines.evaluation.outcome import Outcome
from citespan.pipelines.intervals import count_characters, count_shared
from citespan.pipelines.precision_recall import PrecisionRecallF1

_SOURCE = "Cohan et al. 2015, equation 1"


def weighted_overlap(outcome: Outcome) -> PrecisionRecallF1:
    """Return the three figures of one citance.

    Recall is the sum over annotators of |S∩G_i| by the sum of |G_i|, precision the former by
    M·|S|, F1 their harmonic mean. M counts the annotators who marked nothing too. Zero where
    nothing was retrieved or nothing was marked.
    """
    found = sum(count_shared(outcome.retrieved, marked) for marked in outcome.gold)
    if not found:
        return PrecisionRecallF1(0.0, 0.0, 0.0)
    recall = found / sum(count_characters(marked) for marked in outcome.gold)
    precision = found / (len(outcome.gold) * count_characters(outcome.retrieved))
    return PrecisionRecallF1(precision, recall, 2 * precision * recall / (precision + recall))


def _take(part: str, outcome: Outcome) -> float:
    return float(getattr(weighted_overlap(outcome), part))


for name, description in (
    ("recall", "Share of the annotators' characters that are retrieved"),
    ("precision", "Share of the characters retrieved that annotators marked, mean over annotators"),
    ("f1", "Harmonic mean of each citance's weighted recall and precision"),
):
    measures.add(MeanOverCitances(name, description, _SOURCE, partial(_take, name)))
