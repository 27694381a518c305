"""Case, accents, typographic variants and Greek letters: what the server's filters `lowercase`,
`asciifolding` and `greek_names` unify (`es_mappings/analysis.py`) is unified here."""

import re
import unicodedata
from functools import lru_cache

from citespan.es_mappings.analysis import GREEK

_NAMES = str.maketrans(dict(GREEK))
# Letters that Unicode doesn't decompose, by a word of their names; all others have their letter
# in the name ("LATIN SMALL LETTER O WITH STROKE").
_NAMED = {
    "SHARP S": "ss", "SCHWA": "a", "ETH": "d", "ENG": "n", "THORN": "th", "KRA": "q",
    "YOGH": "z", "WYNN": "w", "HWAIR": "hv",
}  # fmt: skip
_NAMED_LETTER = re.compile(rf"LATIN .*\b({'|'.join(_NAMED)})\b")
_LETTER_IN_NAME = re.compile(r"LATIN .*?\b(?:LETTER|LIGATURE|CAPITAL)\b.*?\b([A-Z]{1,2})\b")


def fold(word: str) -> str:
    """The word in lower case, of ASCII letters as far as it is Latin or Greek.

    Combining marks that stand alone stay, as they do on the server. Letters of other scripts
    lose their accents, which the server leaves them.
    """
    if word.isascii():
        return word.lower()
    return "".join(map(_folded, word.translate(_NAMES)))


@lru_cache(maxsize=1 << 10)
def _folded(character: str) -> str:
    if unicodedata.combining(character):
        return character
    decomposed = unicodedata.normalize("NFKD", character)
    plain = "".join(part for part in decomposed if not unicodedata.combining(part))
    plain = plain.translate(_NAMES)
    if not plain.isascii():
        name = unicodedata.name(plain if len(plain) == 1 else character, "")
        if named := _NAMED_LETTER.match(name):
            plain = _NAMED[named[1]]
        elif letter := _LETTER_IN_NAME.match(name):
            plain = letter[1]
    return plain.lower()
