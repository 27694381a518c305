"""How alike a sentence and its abstract's title are (paper B, section 3.1.2)."""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from math import sqrt

from citespan.pipelines.answers.ngrams import tokens
from citespan.pipelines.text.abbreviations import abbreviations


def title_similarities(text: str, title: str, sentences: Iterable[str]) -> list[float]:
    """Cosine of the word counts of the title and of each sentence, from 0 to 1.

    Long forms that `text` abbreviates (Schwartz and Hearst 2003) count as their short forms,
    so that both are one word.

    Args:
        text: where abbreviations are defined, title and abstract.
    """
    return similarities(text, [title], sentences)[0]


def similarities(text: str, others: Iterable[str], sentences: Iterable[str]) -> list[list[float]]:
    """The same for several texts beside the title, such as a question: a list for each."""
    shortened = _Shortened(abbreviations(text))
    bags = [Counter(shortened.tokens(sentence)) for sentence in sentences]
    counted = [Counter(shortened.tokens(other)) for other in others]
    return [[cosine(one, bag) for bag in bags] for one in counted]


def cosine(one: Mapping[str, int], other: Mapping[str, int]) -> float:
    """Cosine of two bags of words; 0 where one is empty."""
    both = sum(count * other[word] for word, count in one.items() if word in other)
    if not both:
        return 0.0
    squares = [sum(count * count for count in bag.values()) for bag in (one, other)]
    return both / sqrt(squares[0] * squares[1])


class _Shortened:
    """Tokens of texts whose long forms have been replaced."""

    def __init__(self, short_forms: Mapping[str, str]) -> None:
        self._short = {long.lower(): short for short, long in short_forms.items()}
        longest_first: Sequence[str] = sorted(self._short, key=len, reverse=True)
        either = "|".join(map(re.escape, longest_first))
        self._long = re.compile(rf"(?<!\w)(?:{either})(?!\w)", re.IGNORECASE) if either else None

    def tokens(self, text: str) -> list[str]:
        if self._long is not None:
            text = self._long.sub(lambda match: self._short[match[0].lower()], text)
        return tokens(text)
