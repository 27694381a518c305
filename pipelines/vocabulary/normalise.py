"""What makes two spellings one term, by the same rules as the project's analyzer.

`es_mappings/analysis.py` says what Elasticsearch does; this is the same in Python, so that a
vocabulary, a citance and the indexed spans agree on what is one term: words by Unicode's
boundaries, Greek letters by name, lower case, accents and typographic variants folded,
possessive 's off, Lucene's English stop words dropped, the S-stemmer (Harman 1991, as in Lucene's
EnglishMinimalStemmer). Then one step more: what the server holds together by a dot, comma, colon
or apostrophe is taken apart, so that "1,25" is "1 25". Texts that the server analyses to the same
tokens have the same keys; the other way round need not hold.

NLM's `norm` (Lexical Variant Generation) also uninflects verbs and irregular nouns with the
SPECIALIST lexicon and drops "NOS". Not here: the server knows nothing of either, and a term
found in the citance that the index can't find is of no use. Its last step, sorting the words,
is an option of the store (`builder.build`), for the same reason not the default.
"""

import re
from functools import lru_cache

from citespan.es_mappings.analysis import STOP_WORDS
from citespan.pipelines.text.plural_stemmer import stemmed
from citespan.pipelines.vocabulary.folding import fold

# Combining marks, soft hyphens and joiners belong to the character before them.
_MARKS = r"\u0300-\u036f\u00ad\u200c\u200d\u2060\ufeff"
# Superscripts and fractions separate words, though Python takes them for digits.
_NO_DIGITS = "²³¹¼½¾⁰⁴-⁹₀-₉⅐-⅟↉①-⒛⓪-⓿❶-➓"
# Each of these is a word of its own: ideographs, and kana, which the server joins in part.
_EACH_A_WORD = r"\u3005-\u30ff\u3400-\u9fff\uf900-\ufaff"
_CIRCLED = "Ⓐ-Ⓩⓐ-ⓩ"
_PLAIN = rf"[^\W{_NO_DIGITS}{_EACH_A_WORD}]"
_LETTER = rf"(?:[^\W\d_{_NO_DIGITS}{_EACH_A_WORD}]|[{_CIRCLED}])"
_BEHIND_LETTER = rf"(?:(?<={_LETTER})|(?<={_LETTER}[{_MARKS}]))"
_BEHIND_DIGIT = rf"(?:(?<=\d)|(?<=\d[{_MARKS}]))"
_JOINT = (
    rf"(?:{_BEHIND_LETTER}[:·.'‘’․＇．][{_MARKS}]*+(?={_LETTER})"
    rf"|{_BEHIND_DIGIT}[.,;'‘’․＇．][{_MARKS}]*+(?=\d))"
)
_RUN = rf"(?:{_PLAIN}|[{_CIRCLED}])(?:{_PLAIN}++|[{_CIRCLED}{_MARKS}]++)*+"
_WORD = re.compile(rf"{_RUN}(?:{_JOINT}{_RUN})*+|[{_EACH_A_WORD}]")
# The same as far as ASCII goes, at three times the speed.
_ASCII_WORD = re.compile(
    r"\w++(?:[:.',;](?:(?<=[A-Za-z][:.'])(?=[A-Za-z])|(?<=[0-9][.,;'])(?=[0-9]))\w++)*+",
    re.ASCII,
)

_POSSESSIVE = re.compile(r"['‘’＇][sSｓＳ]\Z")
_MARK = re.compile(rf"[{_MARKS}]")
_PART = re.compile(r"[^\W_]+")
_PART_WITH_MARKS = re.compile(rf"(?:[^\W_]|[{_CIRCLED}{_MARKS}])+")
_INNER_CAPITAL = re.compile(r"\w[A-Z]")


Token = tuple[str, int, int]
"""A token's key, and where it starts and ends in the text."""


def normalise(text: str) -> list[Token]:
    """The tokens of a text in order; offsets are of characters in `text`."""
    found: list[Token] = []
    for word in _word(text).finditer(text):
        written, (start, end) = word[0], word.span()
        if written.isascii() and written.isalnum():
            lower = written.lower()
            if lower not in STOP_WORDS:
                found.append((stemmed(lower), start, end))
        else:
            found += [(key, start + first, start + last) for key, first, last in _tokens(written)]
    return found


def keys(text: str) -> list[str]:
    """The keys of `normalise` without the places."""
    return [key for part in text.split() for key in _keys_of(part)]


@lru_cache(maxsize=1 << 16)
def _keys_of(part: str) -> tuple[str, ...]:
    """The keys of what stands between white space, which no word reaches across; the parts of an
    article are mostly met before."""
    return tuple(token[0] for word in _word(part).findall(part) for token in _tokens(word))


def _word(text: str) -> re.Pattern[str]:
    return _ASCII_WORD if text.isascii() else _WORD


def is_acronym(text: str) -> bool:
    """Whether a capital stands inside one of its words, as in "CAT", "mRNA" or "TGF-beta"."""
    return _INNER_CAPITAL.search(text) is not None


@lru_cache(maxsize=1 << 16)
def _tokens(word: str) -> tuple[Token, ...]:
    """The tokens of what the server takes for one word, mostly one; none for a stop word."""
    if word.isascii() and word.isalnum():
        lower = word.lower()
        return () if lower in STOP_WORDS else ((stemmed(lower), 0, len(word)),)
    bare = _POSSESSIVE.sub("", word)
    folded = fold(bare)
    if folded in STOP_WORDS:
        return ()
    parts = _PART.findall(_MARK.sub("", stemmed(folded)))
    if len(parts) == 1:
        return ((parts[0], 0, len(bare)),)
    places = [part.span() for part in _PART_WITH_MARKS.finditer(bare)]
    if len(parts) > len(places):
        places = [(0, len(bare))] * len(parts)
    return tuple(
        (stemmed(part), *place)
        for part, place in zip(parts, places, strict=False)
        if part not in STOP_WORDS
    )
