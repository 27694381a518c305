"""ROUGE (Lin 2004): -1, -2 and -L equal to the rouge-score library's without stemming, and -SU4."""

from collections import Counter
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from rouge_score.scoring import fmeasure
from rouge_score.tokenize import tokenize

from citespan.pipelines.precision_recall import PrecisionRecallF1

ROUGES: Final = ("rouge_1", "rouge_2", "rouge_l", "rouge_su4")
_SKIPPED = 4


@dataclass(frozen=True)
class RougeText:
    """A text as ROUGE counts it.

    Attributes:
        tokens: runs of a-z and 0-9, in order.
        pairs: bigrams.
        skipping: single tokens, and pairs in order with at most four tokens between them.
    """

    tokens: tuple[str, ...]
    pairs: Counter[Hashable]
    skipping: Counter[Hashable]

    @classmethod
    def of(cls, text: str) -> "RougeText":
        """Count a text."""
        tokens: list[str] = tokenize(text, None)
        skipping: Counter[Hashable] = Counter(tokens)
        for gap in range(1, _SKIPPED + 2):
            skipping.update(zip(tokens, tokens[gap:], strict=False))
        return cls(tuple(tokens), Counter(pairwise(tokens)), skipping)


def score_rouge(summary: RougeText, reference: RougeText) -> dict[str, PrecisionRecallF1]:
    """Score a summary against a reference by each of `ROUGES`.

    ROUGE-L takes either text as one sequence; ROUGE-SU4 counts unigrams too.
    """
    common = common_subsequence_length(reference.tokens, summary.tokens)
    return {
        "rouge_1": _compare(Counter(summary.tokens), Counter(reference.tokens)),
        "rouge_2": _compare(summary.pairs, reference.pairs),
        "rouge_l": _rate(common, len(summary.tokens), len(reference.tokens)),
        "rouge_su4": _compare(summary.skipping, reference.skipping),
    }


def _compare(found: Counter[Hashable], marked: Counter[Hashable]) -> PrecisionRecallF1:
    return _rate((found & marked).total(), found.total(), marked.total())


def _rate(common: int, found: int, marked: int) -> PrecisionRecallF1:
    if not common:
        return PrecisionRecallF1(0.0, 0.0, 0.0)
    precision, recall = common / found, common / marked
    return PrecisionRecallF1(precision, recall, fmeasure(precision, recall))


def rouge_l(retrieved: str, references: Sequence[str]) -> PrecisionRecallF1:
    """Score a text against the texts that the annotators marked (ROUGE-L, Lin 2004).

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
        rate = _rate(common, len(tokens), len(marked))
        if rate.f1 > best.f1:
            best = rate
    return best


def common_subsequence_length(left: Sequence[Hashable], right: Sequence[Hashable]) -> int:
    """Count the items of the longest common subsequence, by bit-parallel dynamic programming.

    H. Hyyrö, "Bit-parallel LCS-length computation revisited", AWOCA 2004. A table of the two
    lengths, as the rouge-score library fills it in Python, is too slow for whole collections.
    """
    places: dict[Hashable, int] = {}
    for place, item in enumerate(left):
        places[item] = places.get(item, 0) | 1 << place
    row = every = (1 << len(left)) - 1
    for item in right:
        matches = row & places.get(item, 0)
        row = (row + matches | row - matches) & every
    return len(left) - row.bit_count()
