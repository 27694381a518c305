"""Phrases that begin in one sentence and end in a later one of the same span.

The server counts phrases inside sentences. Where the words around a boundary may make one of
the phrases, the sentences' texts are looked at.
"""

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate

import numpy as np
from numpy.typing import NDArray

from citespan.pipelines.retrieval.clauses import Phrase
from citespan.pipelines.text.analyzer import Token

Run = tuple[int, int]
"""Numbers of the first and last of consecutive sentences, both included."""


@dataclass(frozen=True, slots=True)
class Crossing:
    """An occurrence of a phrase from sentence `first`, where it begins at the character `start`,
    to sentence `last`."""

    phrase: Phrase
    first: int
    last: int
    start: int


def runs(
    phrase: Phrase, occurs: NDArray[np.bool_], lengths: NDArray[np.int64], longest: int
) -> Iterator[Run]:
    """Where a phrase may cross boundaries; any words may stand in its gaps.

    Args:
        occurs: (S, n), which of the phrase's terms, in their order, each sentence has.
        lengths: (S,), of the sentences in terms.
        longest: sentences of the longest span.
    """
    count = len(occurs)
    for first in np.flatnonzero(occurs[:-1, 0]).tolist():
        between = 0
        for last in range(first + 1, min(first + longest, count)):
            if occurs[last, -1] and occurs[first : last + 1].any(axis=0).all():
                yield first, last
            between += int(lengths[last])
            if between >= phrase.places[-1]:
                break


def crossings(
    run: Run, texts: Sequence[str], tokens: Sequence[Token], phrases: Sequence[Phrase]
) -> Iterator[Crossing]:
    """The phrases that cross a boundary inside a run of sentences.

    Args:
        texts: of the run's sentences, with the white space behind each.
        tokens: of these texts joined.
    """
    starts = [0, *accumulate(len(text) for text in texts)]
    at = {token.position: token for token in tokens}
    beginning: dict[str, list[Phrase]] = defaultdict(list)
    for phrase in phrases:
        beginning[phrase.terms[0]].append(phrase)
    for token in tokens:
        for phrase in beginning.get(token.term, ()):
            standing = phrase.standing(token.position, at)
            if not standing:
                continue
            first, last = (bisect_right(starts, one.start) - 1 for one in (token, standing[-1]))
            if first < last:
                yield Crossing(phrase, run[0] + first, run[0] + last, token.start - starts[first])
