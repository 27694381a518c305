"""ROUGE-L, equal to the rouge-score library's `rougeL` without stemming."""

from collections.abc import Sequence
from typing import NamedTuple

from rouge_score.scoring import fmeasure
from rouge_score.tokenize import tokenize

from citespan.pipelines.evaluation.common_subsequence import common_subsequence_length


class PrecisionRecallF1(NamedTuple):
    """Each from 0 to 1."""

    precision: float
    recall: float
    f1: float


def rouge_l(retrieved: str, references: Sequence[str]) -> PrecisionRecallF1:
    """ROUGE-L (Lin 2004) of a text against the texts that the annotators marked.

    With several references the one of the best F1 counts, for all three figures: the rule of
    the library's `RougeScorer.score_multi`. Its tokenizer keeps runs of a-z and 0-9 only, so
    that Greek letters are lost here as they are in any figure published with it. Zero where
    either side has no token.
    """
    tokens: list[str] = tokenize(retrieved, None)
    best = PrecisionRecallF1(0.0, 0.0, 0.0)
    for reference in references:
        marked: list[str] = tokenize(reference, None)
        common = common_subsequence_length(marked, tokens)
        if not common:
            continue
        precision, recall = common / len(tokens), common / len(marked)
        f1: float = fmeasure(precision, recall)
        if f1 > best.f1:
            best = PrecisionRecallF1(precision, recall, f1)
    return best
