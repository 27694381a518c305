"""Confusion matrix, precision, recall and F1 of answer detection (paper B, tables 3 and 4)."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple


class Judged(NamedTuple):
    """A sentence: whether it is an answer, and whether it was taken for one."""

    gold: bool
    found: bool


@dataclass(frozen=True, slots=True)
class ClassScore:
    """Of one class; `sentences` is how many are in it. A ratio with nothing below it is 0."""

    precision: float
    recall: float
    f1: float
    sentences: int


@dataclass(frozen=True, slots=True)
class AnswerScores:
    """Counts of sentences, as a confusion matrix, and what follows from them."""

    answers_found: int
    answers_missed: int
    others_taken: int
    others_left: int

    @property
    def answer(self) -> ClassScore:
        """Of the sentences that are answers."""
        return _score(self.answers_found, self.others_taken, self.answers_missed)

    @property
    def other(self) -> ClassScore:
        """Of those that are not."""
        return _score(self.others_left, self.answers_missed, self.others_taken)

    @property
    def overall(self) -> ClassScore:
        """Both, weighted by their numbers of sentences, as in table 4."""
        both = (self.answer, self.other)
        count = sum(one.sentences for one in both)
        precision, recall, f1 = (
            sum(getattr(one, name) * one.sentences for one in both) / count if count else 0.0
            for name in ("precision", "recall", "f1")
        )
        return ClassScore(precision, recall, f1, count)


def answer_scores(judged: Iterable[Judged]) -> AnswerScores:
    """Scores of all sentences together."""
    counts = {(gold, found): 0 for gold in (True, False) for found in (True, False)}
    for one in judged:
        counts[one] += 1
    return AnswerScores(
        counts[True, True], counts[True, False], counts[False, True], counts[False, False]
    )


def _score(right: int, wrong: int, missed: int) -> ClassScore:
    precision = right / (right + wrong) if right + wrong else 0.0
    recall = right / (right + missed) if right + missed else 0.0
    f1 = 2 * right / (2 * right + wrong + missed) if right else 0.0
    return ClassScore(precision, recall, f1, right + missed)
