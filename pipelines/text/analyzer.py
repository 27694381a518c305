"""What the index's analyzer makes of a text, in Python, as far as that is certain to be the same.

`es_mappings/analysis.py` says what Elasticsearch does: words by Unicode's boundaries (UAX #29),
Greek letters by name, lower case, accents folded, possessive 's off, stop words out, plurals
unified (Harman 1991; org.apache.lucene.analysis.en.EnglishMinimalStemmer). Here are the
characters of which articles in English nearly all consist. A text with any other is not analysed
here: `pipelines/indexing/documents/server_analysis.py` asks the server.
"""

import re
import unicodedata
from functools import lru_cache
from typing import NamedTuple

from citespan.es_mappings.analysis import GREEK, STOP_WORDS
from citespan.pipelines.text.plural_stemmer import stemmed

_TOO_LONG = re.compile(r"\S{256}")  # the standard tokenizer cuts words of more characters
_NOT_DECOMPOSED = {
    "Æ": "ae", "æ": "ae", "Ð": "d", "ð": "d", "Ø": "o", "ø": "o", "Þ": "th", "þ": "th", "ß": "ss",
    "Đ": "d", "đ": "d", "Ħ": "h", "ħ": "h", "ı": "i", "ĸ": "q", "Ł": "l", "ł": "l", "Ŋ": "n",
    "ŋ": "n", "Œ": "oe", "œ": "oe", "Ŧ": "t", "ŧ": "t",
}  # fmt: skip
_ACCENTED = "".join(
    letter
    for letter in map(chr, range(0xC0, 0x180))
    if letter in _NOT_DECOMPOSED or unicodedata.decomposition(letter)[:4].isalnum()
)
_ODD = "İĲĳŉſĿŀ"  # whose lower case or folding is more than one step
_LETTERS = "A-Za-z" + "".join(c for c in (*_ACCENTED, *GREEK) if c not in _ODD)
_JOINING_SPACE = "\u202f"  # parts no words, unlike all other white space
_MOST_LENGTHS = 1 << 17
_UNKNOWN = -(1 << 40)  # less than any text is long
_QUOTES = "'‘’"
_BREAKS = "\t\n\r\u00a0\u2003\u2002\u2009 –—−“”„«»…•×÷±°≥≤≈≠∼→←§†‡¶′″∞∗‰€£"
_COVERED = re.compile(rf"[{_LETTERS}0-9{_QUOTES}·{_BREAKS}!-/:-@\[-^`{{-~]*+\Z")
_ASCII_COVERED = re.compile(r"[\t\n\r -^`-~]*+\Z")
_RUN = rf"[{_LETTERS}0-9]++"
_WORDS = re.compile(
    rf"{_RUN}(?:(?:(?<=[{_LETTERS}])[:.·{_QUOTES}](?=[{_LETTERS}])"
    rf"|(?<=[0-9])[.,;{_QUOTES}](?=[0-9])){_RUN})*+"
)
_ASCII_WORDS = re.compile(
    r"[A-Za-z0-9]++(?:(?:(?<=[A-Za-z])[:.'](?=[A-Za-z])|(?<=[0-9])[.,;'](?=[0-9]))[A-Za-z0-9]++)*+"
)
_FOLDED = str.maketrans(
    {
        **{c: unicodedata.normalize("NFD", c)[0].lower() for c in _ACCENTED},
        **_NOT_DECOMPOSED,
        **GREEK,
        **dict.fromkeys("‘’", "'"),
    }
)


class Token(NamedTuple):
    """A term of the index; its position among the words, stop words counted; where it stands in
    the text, in characters."""

    term: str
    position: int
    start: int
    end: int


def covers(text: str) -> bool:
    """Whether the analysis of a text is known here."""
    covered = _ASCII_COVERED if text.isascii() else _COVERED
    return covered.match(text) is not None and not _TOO_LONG.search(text)


def tokens(text: str) -> list[Token]:
    """The tokens of a text, in order.

    Raises:
        ValueError: if `covers` says no.
    """
    found = []
    for position, word in enumerate(_words(text).finditer(text)):
        term = _term(word[0])
        if term:
            found.append(Token(term, position, word.start(), word.end()))
    return found


def length(text: str) -> int | None:
    """How many terms a text has; None where only the server knows."""
    if _JOINING_SPACE in text:
        return None
    total = sum(map(_LENGTHS.__getitem__, text.split()))
    return total if total >= 0 else None


class _Lengths(dict[str, int]):
    """The lengths of what stands between white space, which parts words; most are met again."""

    def __missing__(self, part: str) -> int:
        if len(self) >= _MOST_LENGTHS:
            self.clear()
        known = covers(part)
        self[part] = sum(1 for w in _words(part).findall(part) if _term(w)) if known else _UNKNOWN
        return self[part]


_LENGTHS = _Lengths()


def _words(text: str) -> re.Pattern[str]:
    if not covers(text):
        raise ValueError("characters whose analysis only the server knows")
    return _ASCII_WORDS if text.isascii() else _WORDS


@lru_cache(maxsize=1 << 16)
def _term(word: str) -> str:
    """The term that a word is in the index; none for a stop word."""
    folded = (word if word.isascii() else word.translate(_FOLDED)).lower().removesuffix("'s")
    return "" if folded in STOP_WORDS else stemmed(folded)
