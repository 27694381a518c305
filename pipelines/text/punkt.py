"""NLTK's Punkt, as the offsets at which sentences start."""

import re
from functools import cache
from typing import TYPE_CHECKING

from citespan.pipelines.text.nltk_punkt import nltk_punkt
from citespan.pipelines.text.punkt_parameters import shipped

if TYPE_CHECKING:
    from nltk.tokenize.punkt import PunktSentenceTokenizer


_TWO_WORDS = re.compile(r"([^\W\d_]{2,})\.\s+[^\W\d_]+\Z")
_DIGIT = re.compile(r"\d")


@cache
def _tokenizer(trained: bool) -> "PunktSentenceTokenizer":
    tokenizer: PunktSentenceTokenizer = nltk_punkt().PunktSentenceTokenizer(
        shipped() if trained else None
    )
    decide, words = tokenizer.text_contains_sentbreak, tokenizer._lang_vars.word_tokenize
    abbreviations = tokenizer._params.abbrev_types
    marks = {".", "?", "!"} - {first for first, _ in tokenizer._params.collocations}
    undecided = abbreviations | {first for first, _ in tokenizer._params.collocations}

    def ends_a_sentence(word: str) -> bool:
        """Whether a word before a full stop leaves Punkt nothing to weigh: it is no abbreviation,
        initial or number, and the first word of no collocation."""
        word = word.lower()
        return (
            word not in undecided
            and word[-1:] not in ("", ".")
            and not _DIGIT.search(word)
            and not (len(word) == 1 and word.isalpha())
            and word.rpartition("-")[2] not in abbreviations
        )

    def contains_sentence_break(context: str) -> bool:
        """NLTK's decision, without its objects for tokens where they decide nothing."""
        plain = _TWO_WORDS.match(context)
        if plain and ends_a_sentence(plain[1]):
            return True
        if not plain and "\n" not in context:
            ends = [word for word in words(context)[:-1] if word[-1] in ".?!"]
            if not ends:
                return False
            if ends[0] in marks or (ends[0][-1] == "." and ends_a_sentence(ends[0][:-1])):
                return True
        found: bool = decide(context)
        return found

    tokenizer.text_contains_sentbreak = contains_sentence_break
    return tokenizer


def trained_starts(paragraph: str) -> list[int]:
    """Offsets of the sentences in a paragraph, by the parameters shipped with citespan."""
    return [start for start, _ in _tokenizer(True).span_tokenize(paragraph)]


def untrained_starts(paragraph: str) -> list[int]:
    """Offsets of the sentences in a paragraph, by Punkt without parameters."""
    return [start for start, _ in _tokenizer(False).span_tokenize(paragraph)]
