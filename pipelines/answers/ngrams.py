"""Uni- and bigrams of sentences, as the zone models count them."""

import re
from collections.abc import Sequence
from functools import lru_cache
from itertools import pairwise
from typing import Any

# A word keeps its hyphens and its apostrophe; signs that carry numbers are words of their own.
_TOKEN = re.compile(r"[^\W_]+(?:[-'’.][^\W_]+)*|[%=<>±≤≥]")
NUMBER = "0"


def tokens(text: str) -> list[str]:
    """The lower-cased words and the signs of numbers, in order."""
    return _TOKEN.findall(text.lower())


def with_numbers_as_one(words: Sequence[str]) -> list[str]:
    """The words, each that starts with a digit replaced by the same sign."""
    return [NUMBER if word[0].isdecimal() else word for word in words]


def stemmed(words: Sequence[str]) -> list[str]:
    """The words by Porter's stemmer."""
    return [_stem(word) for word in words]


def ngrams(words: Sequence[str]) -> list[str]:
    """Each different unigram and bigram once."""
    return list(dict.fromkeys([*words, *map(" ".join, pairwise(words))]))


@lru_cache(maxsize=1)
def _stemmer() -> Any:
    from nltk.stem.porter import PorterStemmer

    return PorterStemmer()


@lru_cache(maxsize=100_000)
def _stem(word: str) -> str:
    return str(_stemmer().stem(word))
