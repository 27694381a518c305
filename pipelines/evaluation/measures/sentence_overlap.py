"""Sentence overlap as CL-SciSumm counts it: over all citances, and as its 2018 scorer does."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from citespan.pipelines.evaluation.measure import FloatArray, divide, measures
from citespan.pipelines.evaluation.outcome import Outcome

Part = Literal["precision", "recall", "f1"]


@dataclass(frozen=True, slots=True)
class SentenceOverlap:
    """Precision, recall or F1 over sentences.

    A sentence is marked if any annotator marked a character of it that isn't white space.

    Attributes:
        average: "micro" pools all citances. "macro" takes the means over topics of each topic's
            precision and recall, and as F1 the harmonic mean of those two, which is what
            CL-SciSumm's scorer reports (not the mean of topics' F1).
        official: whether only the citances count that CL-SciSumm's 2018 scorer keeps.
    """

    name: str
    description: str
    source: str
    average: Literal["micro", "macro"]
    part: Part
    official: bool = False

    def counts(self, outcomes: Sequence[Outcome]) -> FloatArray:
        """Return the sentences found, retrieved and marked, and 1; zeros for citances not kept."""
        counts = [
            (
                len(outcome.retrieved_sentences & outcome.gold_sentences),
                len(outcome.retrieved_sentences),
                len(outcome.gold_sentences),
                1,
            )
            for outcome in outcomes
        ]
        every = np.array(counts, dtype=np.float64).reshape(-1, 4)
        return every * _kept_by_scorer(outcomes) if self.official else every

    def value(self, sums: FloatArray) -> FloatArray:
        """Return the figure from sums of shape (..., topics, 4)."""
        pooled = self.average == "micro"
        found, retrieved, marked, _ = np.moveaxis(sums.sum(axis=-2) if pooled else sums, -1, 0)
        if pooled:
            if self.part == "f1":
                return divide(2 * found, retrieved + marked)
            return divide(found, retrieved if self.part == "precision" else marked)
        topics = (sums[..., 3] > 0).sum(axis=-1).astype(np.float64)
        precision = divide(divide(found, retrieved).sum(axis=-1), topics)
        recall = divide(divide(found, marked).sum(axis=-1), topics)
        if self.part == "f1":
            return divide(2 * precision * recall, precision + recall)
        return precision if self.part == "precision" else recall


def _kept_by_scorer(outcomes: Sequence[Outcome]) -> FloatArray:
    """Return 1 for each citance that CL-SciSumm's 2018 scorer keeps, else 0; a column.

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
    return kept


_FAMILY: tuple[tuple[Part, Literal["micro", "macro"], str], ...] = (
    ("precision", "micro", "Share of the sentences retrieved that are marked, all citances pooled"),
    ("precision", "macro", "Share of the sentences retrieved that are marked, mean over topics"),
    ("recall", "micro", "Share of the sentences marked that are retrieved, all citances pooled"),
    ("recall", "macro", "Share of the sentences marked that are retrieved, mean over topics"),
    ("f1", "micro", "Harmonic mean of sentence precision and recall, all citances pooled"),
    ("f1", "macro", "Harmonic mean of the means over topics of sentence precision and recall"),
)

for part, average, description in _FAMILY:
    name = f"sentence_{part}_{average}"
    measures.add(
        SentenceOverlap(name, description, "CL-SciSumm 2018, over all citances", average, part)
    )
    measures.add(
        SentenceOverlap(
            f"official_{name}",
            f"Like {name}, over the records that the 2018 scorer keeps",
            "CL-SciSumm 2018, task1_eval.py",
            average,
            part,
            official=True,
        )
    )
