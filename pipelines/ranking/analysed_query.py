"""A query as features see it: its terms, and the parts that it has."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from functools import lru_cache

from citespan.pipelines.citing.marker_patterns import remove_markers
from citespan.pipelines.text.lucene import find_terms

MOST_TERMS = 256
"""Different terms of a query that count, the first ones; a citing sentence has some twenty."""
_MOST_CHARACTERS = 20_000

_MARKED_UP = re.compile(r"</?[A-Za-z][^<>]{0,200}>")
_BETWEEN_PARTS = re.compile(
    r"[:;,()\[\]—?!]\s|\s[([–-]|\.\s"
    r"|\b(?:compared (?:with|to)|versus|vs\.?|relative to|rather than|in (?:the )?(?:patients|"
    r"people|children|adults|women|men|subjects|participants|mice|rats))\b",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class AnalysedQuery:
    """A query of T different terms.

    Attributes:
        text: without citation markers and tags.
        tokens: all terms in order.
        terms: (T,), each once, with how often it occurs.
        parts: the terms of each part that has any, in order.
    """

    text: str
    tokens: tuple[str, ...]
    terms: tuple[tuple[str, int], ...]
    parts: tuple[frozenset[str], ...]


@lru_cache(maxsize=8)
def analyse_query(query: str) -> AnalysedQuery:
    """Analyse a citing sentence or question; of a long one the first 20,000 characters, and the
    first 256 different terms, count."""
    text = remove_markers(_MARKED_UP.sub(" ", query[:_MOST_CHARACTERS]))
    tokens = find_terms(text)
    terms = dict(Counter(tokens).items())
    kept = dict(list(terms.items())[:MOST_TERMS])
    tokens = [term for term in tokens if term in kept]
    parts = (frozenset(find_terms(part)) & kept.keys() for part in _BETWEEN_PARTS.split(text))
    return AnalysedQuery(
        text, tuple(tokens), tuple(kept.items()), tuple(filter(None, parts)) or (frozenset(),)
    )
