"""The words of a sentence as a reader sees them: each name of a gene or chemical in one piece.

`lucene.find_words` finds the words of the index, which are smaller: it splits "TGF-β1" at the
hyphen and "5'-UTR" at both marks, as the server does. Noun phrases, weights of terms and what is
shown to users need the name as a whole: the three words of a phrase are three names, stop words
are looked up as they are written ("e.g", "isn't"), and a background corpus counts "PU.1" and
"IL-2", not "2". Queries may use these words freely, for the server analyses what is sent to it.
"""

from citespan.pipelines.text.patterns import compile_once

_LETTER = r"[^\W_\u0300-\u036f]|[\u0300-\u036f]"
_CHARACTER = rf"(?:{_LETTER})"
# What joins characters into one name: "TGF-β1", "Crohn's", "5'-UTR", "PU.1", "1,25-vitamin", "e.g".
_JOINT = r"(?:['’′″]?[-‐‑–]|['’′]|\.(?=\d)|(?<=\b[^\W\d_])\.(?=[^\W\d_]\b)|(?<=\d),(?=\d))"
_WORD = rf"{_CHARACTER}++(?:{_JOINT}{_CHARACTER}++)*+"


def words(text: str) -> list[str]:
    """Return the words in order, as they stand in the text, without the punctuation around them."""
    return compile_once(_WORD).findall(text)


def word_offsets(text: str) -> list[tuple[int, int]]:
    """Return where the words of `words` stand: (start, end) of each."""
    return [match.span() for match in compile_once(_WORD).finditer(text)]


def is_number(word: str) -> bool:
    """Whether a word is a numeric value ("12", "3.5", "1,000", "10-15"): it has no letter."""
    return not any(character.isalpha() for character in word)
