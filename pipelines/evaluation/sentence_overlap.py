"""Sentence overlap as CL-SciSumm counts it: over all citances, and as its 2018 scorer does."""

from collections.abc import Sequence

import numpy as np

from citespan.pipelines.evaluation.measure import FloatArray
from citespan.pipelines.evaluation.outcome import Outcome


def sentence_counts(outcomes: Sequence[Outcome]) -> FloatArray:
    """Of each citance, shape (citances, 4): sentences found, retrieved and marked, and 1.

    A sentence is marked if any annotator marked a character of it that isn't white space.
    """
    counts = [
        (
            len(outcome.retrieved_sentences & outcome.gold_sentences),
            len(outcome.retrieved_sentences),
            len(outcome.gold_sentences),
            1,
        )
        for outcome in outcomes
    ]
    return np.array(counts, dtype=np.float64).reshape(-1, 4)


def official_sentence_counts(outcomes: Sequence[Outcome]) -> FloatArray:
    """`sentence_counts`, all zero for the citances which CL-SciSumm's 2018 scorer loses.

    The scorer (task1_eval.py of the corpus) sets the offset of every citation marker to zero.
    It then keys records by topic and citing article alone, and of the records that share a
    key the last one, of the gold standard as of a submission, overwrites those before it.
    """
    last = {
        (outcome.citance.topic, outcome.citance.citing_article): place
        for place, outcome in enumerate(outcomes)
    }
    kept = np.zeros((len(outcomes), 1))
    kept[list(last.values())] = 1
    return sentence_counts(outcomes) * kept
