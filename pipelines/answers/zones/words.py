"""The words of sentences: n-grams, and cosine similarity with titles and questions.

Both are features of paper B, section 3.1.2."""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from itertools import pairwise
from math import sqrt

from citespan.pipelines.text.abbreviations import find_abbreviations
from citespan.pipelines.text.nltk_import import load_stemmer

# A word keeps its hyphens and its apostrophe; signs that carry numbers are words of their own.
_TOKEN = re.compile(r"[^\W_]+(?:[-'’.][^\W_]+)*|[%=<>±≤≥]")
NUMBER = "0"


def tokenize(text: str) -> list[str]:
    """Return the lower-cased words and the signs of numbers, in order."""
    return _TOKEN.findall(text.lower())


def replace_numbers(words: Sequence[str]) -> list[str]:
    """Replace each word that starts with a digit by the same sign."""
    return [NUMBER if word[0].isdecimal() else word for word in words]


def stem(words: Sequence[str]) -> list[str]:
    """Stem the words with Porter's stemmer."""
    return [_stem_word(word) for word in words]


def make_ngrams(words: Sequence[str]) -> list[str]:
    """Return each different unigram and bigram once."""
    return list(dict.fromkeys([*words, *map(" ".join, pairwise(words))]))


@lru_cache(maxsize=100_000)
def _stem_word(word: str) -> str:
    return str(load_stemmer().stem(word))


def compare_with_title(text: str, title: str, sentences: Iterable[str]) -> list[float]:
    """Return the cosine of the title's and each sentence's word counts, from 0 to 1.

    Long forms that `text` abbreviates (Schwartz and Hearst 2003) count as their short forms,
    so that both are the same word.

    Args:
        text: title and abstract, where the abbreviations are defined.
    """
    return compare_with_texts(text, [title], sentences)[0]


def compare_with_texts(
    text: str, others: Iterable[str], sentences: Iterable[str]
) -> list[list[float]]:
    """Return the cosines of each sentence with several texts, such as title and question.

    Returns:
        A list for each of the texts, with a cosine for each sentence.
    """
    tokenizer = _AbbreviatingTokenizer(find_abbreviations(text))
    bags = [Counter(tokenizer.tokenize(sentence)) for sentence in sentences]
    other_bags = [Counter(tokenizer.tokenize(other)) for other in others]
    return [[compute_cosine(own, bag) for bag in bags] for own in other_bags]


def compute_cosine(bag: Mapping[str, int], other: Mapping[str, int]) -> float:
    """Return the cosine of two bags of words; 0 if either is empty."""
    both = sum(count * other[word] for word, count in bag.items() if word in other)
    if not both:
        return 0.0
    squares = [sum(count * count for count in bag.values()) for bag in (bag, other)]
    return both / sqrt(squares[0] * squares[1])


class _AbbreviatingTokenizer:
    """Tokenizes texts, long forms as their abbreviations."""

    def __init__(self, short_forms: Mapping[str, str]) -> None:
        self._short = {long.lower(): short for short, long in short_forms.items()}
        longest_first: Sequence[str] = sorted(self._short, key=len, reverse=True)
        either = "|".join(map(re.escape, longest_first))
        self._long = re.compile(rf"(?<!\w)(?:{either})(?!\w)", re.IGNORECASE) if either else None

    def tokenize(self, text: str) -> list[str]:
        if self._long is not None:
            text = self._long.sub(lambda match: self._short[match[0].lower()], text)
        return tokenize(text)
