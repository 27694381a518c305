"""The words of a sentence, each name of a gene or chemical in one piece."""

import re

_LETTER = r"[^\W_\u0300-\u036f]|[\u0300-\u036f]"
_CHARACTER = rf"(?:{_LETTER})"
# What joins characters into one name: "TGF-β1", "Crohn's", "5'-UTR", "PU.1", "1,25-vitamin", "e.g".
_JOINT = r"(?:['’′″]?[-‐‑–]|['’′]|\.(?=\d)|(?<=\b[^\W\d_])\.(?=[^\W\d_]\b)|(?<=\d),(?=\d))"
_WORD = re.compile(rf"{_CHARACTER}++(?:{_JOINT}{_CHARACTER}++)*+")


def words(text: str) -> list[str]:
    """The words in order, as they stand in the text, without the punctuation around them."""
    return _WORD.findall(text)


def word_offsets(text: str) -> list[tuple[int, int]]:
    """Where the words of `words` stand: (start, end) of each."""
    return [match.span() for match in _WORD.finditer(text)]


def is_number(word: str) -> bool:
    """Whether a word is a numeric value ("12", "3.5", "1,000", "10-15"): it has no letter."""
    return not any(character.isalpha() for character in word)
