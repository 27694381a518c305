"""Lucene's analysis of English in Python: the words and the terms that the server makes of a text.

`es_mappings/analysis.py` configures the server: the standard tokenizer (word boundaries of UAX
#29), Greek letters by name, lower case, accents folded, possessive 's removed, stop words removed,
plurals reduced to singulars, in American spelling. The same steps are here, one function each.
`find_words`, `fold`, `stem` and `unify` take any text. `tokenise` and `count_terms` are certain to
agree with the server for the characters of which nearly all articles in English consist; for a
text with any other character `covers` says no, and `pipelines/store/analysis.py` asks the server.
"""

import re
import unicodedata
from collections.abc import Callable, Iterator
from functools import lru_cache
from itertools import chain
from typing import NamedTuple, TypeVar

from citespan.es_mappings import spelling
from citespan.es_mappings.analysis import GREEK, STOP_WORDS
from citespan.pipelines.patterns import compile_once

T = TypeVar("T")

# Combining marks, soft hyphens and joiners belong to the character before them.
MARKS = r"\u0300-\u036f\u00ad\u200c\u200d\u2060\ufeff"
CIRCLED_LETTERS = "Ⓐ-Ⓩⓐ-ⓩ"
# Superscripts and fractions separate words, though Python takes them for digits.
_LATIN_NO_DIGITS = "²³¹¼½¾"
_NO_DIGITS = "⁰⁴-⁹₀-₉⅐-⅟↉①-⒛⓪-⓿❶-➓"
# Each of these is a word of its own: ideographs, and kana, which the server joins in part.
_EACH_A_WORD = r"\u3005-\u30ff\u3400-\u9fff\uf900-\ufaff"
_WIDE_JOINTS = "＇．"


def _make_word(no_words: str, letters: str = "", marks: str = "", joints: str = "") -> str:
    """Return the pattern of a word.

    Args:
        no_words: what Python takes for a part of words, though it is none.
        letters: what it does not take for letters.
        marks: what belongs to the character before it.
        joints: what joins letters, and digits, beside the usual characters.
    """
    plain, letter = rf"[^\W{no_words}]", rf"[^\W\d_{no_words}]"
    more, behind_letter, behind_digit = rf"{plain}*+", rf"(?<={letter})", r"(?<=\d)"
    if letters:
        letter, first = rf"(?:{letter}|[{letters}])", rf"(?:{plain}|[{letters}])"
        more, plain = rf"(?>(?:{plain}++|[{letters}{marks}]++)*)", first
        behind_letter = rf"(?:(?<={letter})|(?<={letter}[{marks}]))"
        behind_digit = rf"(?:(?<=\d)|(?<=\d[{marks}]))"
    also = rf"[{marks}]*+" if marks else ""
    # Small classes compile in a tenth of the time of one that has all.
    joint = (
        rf"(?:{behind_letter}(?:[:·.']{also}(?={letter})|[‘’․{joints}]{also}(?={letter}))"
        rf"|{behind_digit}(?:[.,;']{also}(?=\d)|[‘’․{joints}]{also}(?=\d)))"
    )
    return rf"{plain}{more}(?>(?:{joint}{plain}{more})*)"


_COMMON_WORD = _make_word(_LATIN_NO_DIGITS)
_RARE = rf"[{MARKS}{CIRCLED_LETTERS}{_NO_DIGITS}]"
_RARE_FROM = "\u3005"  # any character from here on may be rare
_ANY_WORD = (
    _make_word(_LATIN_NO_DIGITS + _NO_DIGITS + _EACH_A_WORD, CIRCLED_LETTERS, MARKS, _WIDE_JOINTS)
    + rf"|[{_EACH_A_WORD}]"
)
# The same as far as ASCII goes, at three times the speed.
_ASCII_WORD = re.compile(
    r"\w++(?>(?:[:.',;](?:(?<=[A-Za-z][:.'])(?=[A-Za-z])|(?<=[0-9][.,;'])(?=[0-9]))\w++)*)",
    re.ASCII,
)
# Most parts of a text between white space: one word, at most with punctuation around it.
_ONE_WORD = re.compile(r"[(\[]?([A-Za-z0-9]{1,200}+)[%,.:;)\]]{0,50}+", re.ASCII)

_LATIN = range(0xC0, 0x180)
_NOT_ONE_STEP = "İĲĳŉſĿŀ"  # whose lower case or folding is more than one step
_LETTERS = "A-Za-z" + "".join(
    letter
    for letter in (*map(chr, _LATIN), *GREEK)
    if letter.isalpha() and letter not in _NOT_ONE_STEP
)
_SPELLING_PATTERNS = [(re.compile(pattern), text) for pattern, text in spelling.PATTERNS.values()]
_QUOTES = "'‘’"
_BREAKS = "\t\n\r\u00a0\u2003\u2002\u2009 –—−“”„«»…•×÷±°≥≤≈≠∼→←§†‡¶′″∞∗‰€£"
_COVERED = rf"[{_LETTERS}0-9{_QUOTES}·{_BREAKS}!-/:-@\[-^`{{-~]*+\Z"
_ASCII_COVERED = re.compile(r"[\t\n\r -^`-~]*+\Z")
_TOO_LONG = re.compile(r"\S{256}")  # the standard tokenizer cuts words of more characters
_JOINING_SPACE = "\u202f"  # unlike all other white space, it separates no words
_CACHED = 1 << 16
_MOST_PARTS = 1 << 17
_UNKNOWN = -(1 << 40)  # less than any text is long

_TO_ASCII = str.maketrans({**GREEK, **dict.fromkeys("‘’＇", "'")})
# Letters that Unicode doesn't decompose, by a word of their names; all others have their letter
# in the name ("LATIN SMALL LETTER O WITH STROKE").
_NAMED = {
    "SHARP S": "ss", "SCHWA": "a", "ETH": "d", "ENG": "n", "THORN": "th", "KRA": "q",
    "YOGH": "z", "WYNN": "w", "HWAIR": "hv",
}  # fmt: skip
_NAMED_LETTER = re.compile(rf"LATIN .*\b({'|'.join(_NAMED)})\b")
_LETTER_IN_NAME = re.compile(r"LATIN .*?\b(?:LETTER|LIGATURE|CAPITAL)\b.*?\b([A-Z]{1,2})\b")


class Token(NamedTuple):
    """A term of the index; its position among the words, stop words counted; where it stands in
    the text, in characters."""

    term: str
    position: int
    start: int
    end: int


def find_words(text: str) -> Iterator[re.Match[str]]:
    """Find the words that Lucene's `StandardTokenizer` makes of a text (UAX #29, Unicode word
    boundaries), in order."""
    return _pattern(text).finditer(text)


def split_words(text: str) -> tuple[str, ...]:
    """Return the words of `find_words` as they stand in the text."""
    return tuple(_pattern(text).findall(text))


def _pattern(text: str) -> re.Pattern[str]:
    if text.isascii():
        return _ASCII_WORD
    rare = max(text) >= _RARE_FROM or compile_once(_RARE).search(text)
    return compile_once(_ANY_WORD if rare else _COMMON_WORD)


def fold(word: str) -> str:
    """Return the word in lower case, in ASCII as far as it is Latin or Greek: what the filters
    `greek_names`, `lowercase` and `asciifolding` (Lucene's `ASCIIFoldingFilter`) do.

    Combining marks that stand alone stay, as they do on the server. Letters of other scripts
    lose their accents, which the server leaves them.
    """
    if word.isascii():
        return word.lower()
    return "".join(map(_fold_character, word.translate(_TO_ASCII)))


@lru_cache(maxsize=1 << 10)
def _fold_character(character: str) -> str:
    if unicodedata.combining(character):
        return character
    decomposed = unicodedata.normalize("NFKD", character)
    plain = "".join(part for part in decomposed if not unicodedata.combining(part))
    plain = plain.translate(_TO_ASCII)
    if not plain.isascii():
        name = unicodedata.name(plain if len(plain) == 1 else character, "")
        if named := _NAMED_LETTER.match(name):
            plain = _NAMED[named[1]]
        elif letter := _LETTER_IN_NAME.match(name):
            plain = letter[1]
    return plain.lower()


def stem(word: str) -> str:
    """Return the singular of a word in lower case, as far as its ending tells.

    Harman's S-stemmer (1991), as in Lucene's `EnglishMinimalStemmer`.
    """
    if len(word) < 3 or word[-1] != "s" or word[-2] in "us":
        return word
    if word[-2] == "e":
        if len(word) > 3 and word[-3] == "i" and word[-4] not in "ae":
            return word[:-3] + "y"
        if word[-3] in "iaoe":
            return word
    return word[:-1]


@lru_cache(maxsize=_CACHED)
def unify(word: str) -> str:
    """Return the term of a word that `fold` has folded: its singular, in American spelling, a
    number up to twelve in digits (`es_mappings/spelling.py`)."""
    singular = stem(word)
    term = spelling.SPELLINGS.get(singular, singular)
    for pattern, replacement in _SPELLING_PATTERNS:
        term = pattern.sub(replacement, term)
    return term


@lru_cache(maxsize=_CACHED)
def find_term(word: str) -> str:
    """Return the term that a word is in the index; "" for a stop word."""
    folded = fold(word).removesuffix("'s")
    return "" if folded in STOP_WORDS else unify(folded)


def _is_term(word: str) -> bool:
    """Return whether a word is a term of the index, thus no stop word."""
    return fold(word).removesuffix("'s") not in STOP_WORDS


def find_terms(text: str) -> list[str]:
    """Return the terms of any text in order: as `tokenise` does, without their places. Terms with
    characters that `covers` doesn't know may be others on the server."""
    if _JOINING_SPACE in text:
        return list(_split_terms(text))
    return list(chain.from_iterable(map(_TERMS.__getitem__, text.split())))


def covers(text: str) -> bool:
    """Return whether the server's analysis of a text is known here."""
    covered = _ASCII_COVERED if text.isascii() else compile_once(_COVERED)
    return covered.match(text) is not None and not _TOO_LONG.search(text)


def tokenise(text: str) -> list[Token]:
    """Return the tokens that the server indexes of a text, in order.

    Raises:
        ValueError: if `covers` says no.
    """
    if not covers(text):
        raise ValueError("characters whose analysis only the server knows")
    found = []
    for position, word in enumerate(find_words(text)):
        term = find_term(word[0])
        if term:
            found.append(Token(term, position, word.start(), word.end()))
    return found


def count_terms(text: str) -> int | None:
    """Return how many terms the server indexes of a text; None where only the server knows."""
    if _JOINING_SPACE in text:
        return None
    total = sum(map(_LENGTHS.__getitem__, text.split()))
    return total if total >= 0 else None


def _count_part(part: str) -> int:
    """Return how many terms a part between white space has."""
    alone = _ONE_WORD.fullmatch(part)
    if alone:
        return int(alone[1].lower() not in STOP_WORDS)
    if covers(part):
        return sum(map(_is_term, _pattern(part).findall(part)))
    return _UNKNOWN


def _split_terms(text: str) -> tuple[str, ...]:
    alone = _ONE_WORD.fullmatch(text)
    if alone:
        word = alone[1].lower()
        return () if word in STOP_WORDS else (unify(word),)
    return tuple(term for term in map(find_term, split_words(text)) if term)


class _Parts(dict[str, T]):
    """What is known of the parts between white space; most parts of a text were met before."""

    def __init__(self, find: Callable[[str], T]) -> None:
        self._find = find

    def __missing__(self, part: str) -> T:
        if len(self) >= _MOST_PARTS:
            self.clear()
        found = self[part] = self._find(part)
        return found


_LENGTHS = _Parts(_count_part)
_TERMS = _Parts(_split_terms)
