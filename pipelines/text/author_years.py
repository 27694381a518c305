"""Names and years that cite: "(Okada and Smith 1999)", "Brown et al. (1993)".

All patterns are bounded, and names are matched without backtracking, so the time is linear in
the text.
"""

import re
import unicodedata
from collections.abc import Iterator
from functools import cache

from citespan.pipelines.text.patterns import compile_once


def _list_capitals(until: int) -> str:
    """Return the class of the capitals below a code point."""
    return f"[{''.join(c for c in map(chr, range(until)) if unicodedata.category(c) == 'Lu')}]"


_CAPITAL, _LATIN_1_CAPITAL = _list_capitals(0x250), _list_capitals(0x100)
_BEYOND_LATIN_1 = re.compile("[\u0100-\u024f]")
_NO_NAME = (
    r"(?!(?:Figs?|Figures?|Tables?|Version|Sections?|Equations?|Chapter|Since|In|Until|From|Refs?"
    r"|See|For|Reviewed)\b)"
)
# May and August are surnames too, but none that a citation starts with.
_NO_MONTH = (
    r"(?!(?:Jan(?:uary)?|Feb(?:ruary)?|Mar(?:ch)?|Apr(?:il)?|May|June?|July?|Aug(?:ust)?"
    r"|Sept?(?:ember)?|Oct(?:ober)?|Nov(?:ember)?|Dec(?:ember)?)\b)"
)
_PARTICLE = (
    r"(?:[Vv][ao]n|[Dd]e[nrls]?|[Dd]ell[ao]|[Dd][aiou]s?|[Ll][ae]|[Tt]e[rn]?|[Aa]f|[Ee]l|[Bb]in"
    r"|[Ii]bn|[Zz]u[mr]?|St\.)"
)
_WORD = (
    rf"(?>{_NO_NAME}(?:[dDOlL]['’])?{_CAPITAL}(?:[^\W\d_]|\xad){{0,30}}"
    r"(?:['-][^\W\d_]{2,30}|[’‐‑][^\W\d_]{2,30}){0,3})"
)
_INITIALS = rf"(?>{_CAPITAL}(?:\.\s?-?{_CAPITAL}){{0,3}}\.)"
_JUNIOR = r"(?:,?\s(?:Jr\.?|Sr\.?|I{2,3}|[23][nr]d))?"
_NAME = rf"(?>(?:{_INITIALS}\s?){{0,2}}(?:{_PARTICLE}\s){{0,3}}{_WORD})"
# In brackets a name may have several words and initials behind it ("Cancer Genome Atlas
# Network", "Smith J."); in running text the words before it are the sentence's.
_NAME_IN_BRACKETS = (
    rf"(?>{_NAME}(?:\s(?:(?:of|the|for|on|de|im|van|von|der)\s){{0,2}}{_WORD}){{0,6}}"
    rf"(?:,?\s{_INITIALS})?{_JUNIOR})"
)
_AND = r",?\s(?:and|&|und|et)\s"
_ET_AL = r"\s?,?\s[Ee]t\.?\s?[Aa]l\b\.?"
_OTHERS = (
    rf"(?:{_ET_AL}|,?\s(?:and|&)\s(?:(?:his|her|their)\s)?"
    r"(?:colleagues|co-?workers|associates|others)\b)(?:['’]s?)?"
)

_YEAR = r"(?:(?:1[6-9]|20)\d\d[a-z]?\b|in\spress\b|submitted\b|unpublished(?:\sdata)?\b|n\.d\.)"
_FURTHER_YEARS = rf"(?:\s?(?:,|;|and|&|/|–|-)\s?(?:{_YEAR}|[a-h]\b(?!\.))){{0,12}}"
_PLACE = r"(?:\s?[,:]\s?(?:pp?\.\s?)?\d{1,5}(?:[–-]\d{1,5})?(?!\d))?"
_YEARS = rf"(?>{_YEAR}{_FURTHER_YEARS}{_PLACE})"
_YEARS_IN_BRACKETS = rf"[(\[]\s?{_YEARS}\s?[)\]]"

_CITATION = (
    rf"{_NO_MONTH}{_NAME_IN_BRACKETS}(?:(?:{_AND}|,\s){_NAME_IN_BRACKETS}){{0,30}}(?:{_OTHERS})?(?:['’]s?)?"
    rf",?\s?(?:{_YEARS}|{_YEARS_IN_BRACKETS})"
)
_CITATIONS = rf"{_CITATION}(?:,?\s(?:and\s)?{_CITATION}){{0,30}}"
# Every citation has a year, or a word for one that is to come, or for further authors. Looking
# for these first spares most texts the large patterns.
_YEARLIKE = re.compile(r"\d{4}|press|submitted|unpublished|n\.d\.")
_OTHERSLIKE = re.compile(r"\b(?:[Ee]t)?[Aa]l\b|colleagues|workers|associates|others")

_SUPERSCRIPT = r"[1-9]\d{0,2}(?:[,–-][1-9]\d{0,2}){0,20}(?!\w)"
_BOUNDED = r"(?<![\w-])"
_ANY_YEARS = rf"(?:,?\s?(?:{_YEARS_IN_BRACKETS}|{_YEARS}))"
_TEXTUAL = (
    rf"{_BOUNDED}{_NAME}(?:{_AND}{_NAME})?{_OTHERS}(?:{_ANY_YEARS}|{_SUPERSCRIPT})?"
    rf"|\b[Ee]t\.?\s?[Aa]l\b\.?{_ANY_YEARS}?"
    # "In Xenopus, Okada and Smith (1999)" has two authors, not three.
    rf"|{_BOUNDED}(?<!\b[Ii]n\s)(?<!\b[Ff]or\s){_NAME}(?:,\s{_NAME}){{1,6}}{_AND}{_NAME}{_ANY_YEARS}"
    rf"|{_BOUNDED}{_NO_MONTH}{_NAME}{_AND}{_NAME}(?:['’]s?)?{_ANY_YEARS}"
    rf"|{_BOUNDED}(?![A-Z]{{2,}}\b){_NAME}(?:['’]s?)?\s?{_YEARS_IN_BRACKETS}"
)


def _compile_for(text: str, pattern: str) -> re.Pattern[str]:
    """Return a pattern, with the capitals of Latin-1 alone if that is the same for a text: it is
    compiled in a fraction of the time."""
    return compile_once(pattern if _BEYOND_LATIN_1.search(text) else _in_latin_1(pattern))


@cache
def _in_latin_1(pattern: str) -> str:
    return pattern.replace(_CAPITAL, _LATIN_1_CAPITAL)


def is_years(text: str) -> bool:
    """Whether `text` is one year or several ("2001a, b; 2003") and nothing else."""
    return compile_once(_YEARS).fullmatch(text) is not None


def is_author_years(text: str) -> bool:
    """Whether `text`, from a bracket, is names and years and nothing else."""
    if not _YEARLIKE.search(text):
        return False
    return _compile_for(text, _CITATIONS).fullmatch(text) is not None


def find_textual_citations(text: str) -> Iterator[tuple[int, int]]:
    """Find (start, end) of each citation with a year that is part of a sentence."""
    if _YEARLIKE.search(text):
        for found in _compile_for(text, _TEXTUAL).finditer(text):
            if _YEARLIKE.search(found.group()):
                yield found.span()


def remove_textual_citations(text: str) -> str:
    """`text` with a space for each citation that is part of a sentence, names included."""
    return _compile_for(text, _TEXTUAL).sub(" ", text) if _may_cite(text) else text


def _may_cite(text: str) -> bool:
    """Whether `text` has anything that every citation that is part of a sentence has."""
    return bool(_YEARLIKE.search(text) or _OTHERSLIKE.search(text))
