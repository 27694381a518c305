"""What makes two spellings one term, by the same rules as the project's analyzer.

`es_mappings/analysis.py` says what Elasticsearch does; this is the same in Python, so that a
vocabulary, a citance and the indexed spans agree on what is one term: words by Unicode's
boundaries, Greek letters by name, lower case, accents and typographic variants folded,
possessive 's off, Lucene's English stop words dropped, the S-stemmer (Harman 1991, as in Lucene's
EnglishMinimalStemmer), British spelling made American and numbers up to twelve digits
(`es_mappings/spelling.py`). Then one step more: what the server holds together by a dot, comma,
colon or apostrophe is taken apart, so that "1,25" is "1 25". Texts that the server analyses to the
same tokens have the same keys; the other way round need not hold.

NLM's `norm` (Lexical Variant Generation) also uninflects verbs and irregular nouns with the
SPECIALIST lexicon and drops "NOS". Not here: the server knows nothing of either, and a term
found in the citance that the index can't find is of no use. Nor is its last step here, sorting
the words, which has to look up every window of words.
"""

import re
from functools import lru_cache

from citespan.es_mappings.analysis import STOP_WORDS
from citespan.pipelines.text.lucene import (
    CIRCLED_LETTERS,
    MARKS,
    find_words,
    fold,
    split_words,
    unify,
)

_POSSESSIVE = re.compile(r"['‘’＇][sSｓＳ]\Z")
_MARK = re.compile(rf"[{MARKS}]")
_PART = re.compile(r"[^\W_]+")
_PART_WITH_MARKS = re.compile(rf"(?:[^\W_]|[{CIRCLED_LETTERS}{MARKS}])+")
_INNER_CAPITAL = re.compile(r"\w[A-Z]")


Token = tuple[str, int, int]
"""A token's key, and where it starts and ends in the text."""


def normalise(text: str) -> list[Token]:
    """Return the tokens of a text in order; offsets are of characters in `text`."""
    found: list[Token] = []
    for word in find_words(text):
        written, (start, end) = word[0], word.span()
        if written.isascii() and written.isalnum():
            lower = written.lower()
            if lower not in STOP_WORDS:
                found.append((unify(lower), start, end))
        else:
            found += [(key, start + first, start + last) for key, first, last in _tokens(written)]
    return found


def keys(text: str) -> list[str]:
    """Return the keys of `normalise` without the places."""
    return [key for part in text.split() for key in _keys_of(part)]


@lru_cache(maxsize=1 << 16)
def _keys_of(part: str) -> tuple[str, ...]:
    """Return the keys of what stands between white space, which no word reaches across; the parts
    of an article are mostly met before."""
    return tuple(token[0] for word in split_words(part) for token in _tokens(word))


def is_acronym(text: str) -> bool:
    """Whether a capital stands inside one of its words, as in "CAT", "mRNA" or "TGF-beta"."""
    return _INNER_CAPITAL.search(text) is not None


@lru_cache(maxsize=1 << 16)
def _tokens(word: str) -> tuple[Token, ...]:
    """Return the tokens of what the server takes for one word, mostly one; none for a stop word."""
    if word.isascii() and word.isalnum():
        lower = word.lower()
        return () if lower in STOP_WORDS else ((unify(lower), 0, len(word)),)
    bare = _POSSESSIVE.sub("", word)
    folded = fold(bare)
    if folded in STOP_WORDS:
        return ()
    parts = _PART.findall(_MARK.sub("", unify(folded)))
    if len(parts) == 1:
        return ((parts[0], 0, len(bare)),)
    places = [part.span() for part in _PART_WITH_MARKS.finditer(bare)]
    if len(parts) > len(places):
        places = [(0, len(bare))] * len(parts)
    return tuple(
        (unify(part), *place)
        for part, place in zip(parts, places, strict=False)
        if part not in STOP_WORDS
    )
