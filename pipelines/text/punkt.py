"""NLTK's Punkt, as the offsets at which sentences start."""

from functools import cache
from typing import TYPE_CHECKING

from citespan.pipelines.text.nltk_punkt import nltk_punkt
from citespan.pipelines.text.punkt_parameters import shipped

if TYPE_CHECKING:
    from nltk.tokenize.punkt import PunktSentenceTokenizer


@cache
def _tokenizer(trained: bool) -> "PunktSentenceTokenizer":
    tokenizer: PunktSentenceTokenizer = nltk_punkt().PunktSentenceTokenizer(
        shipped() if trained else None
    )
    return tokenizer


def trained_starts(paragraph: str) -> list[int]:
    """Offsets of the sentences in a paragraph, by the parameters shipped with citespan."""
    return [start for start, _ in _tokenizer(True).span_tokenize(paragraph)]


def untrained_starts(paragraph: str) -> list[int]:
    """Offsets of the sentences in a paragraph, by Punkt without parameters."""
    return [start for start, _ in _tokenizer(False).span_tokenize(paragraph)]
