"""Citation markers: finding and removing what only says which article is cited.

Paper A removes "the actual indicator of the citation" from every citance (section 2.3.1). Here
that is
- numbers in brackets, behind "ref.", as Unicode superscripts, and glued to words where the word
  tells that they are no part of it, so some stay ("p53.12") rather than that a name is damaged;
- names and years in brackets, alone or beside other matter ("(Figure 3; Lee et al., 2001)" keeps
  "(Figure 3)"), with what introduces them ("see", "reviewed in");
- labels as BibTeX's style alpha makes them, in square brackets ("[RDB+07]");
- names and years in running text: the authors of "Smith et al. (2006) showed" are never words of
  the article that they wrote, so they are part of the marker.

What is not a marker stays: "(p53)", "(n = 12)", "(Figure 3)", "(10 mg)", "(1H)", "H2O2", "10⁶".

All patterns are bounded, and names are matched without backtracking, so the time is linear in the
text.
"""

import re
import unicodedata
from collections.abc import Iterator
from functools import cache, lru_cache

from citespan.pipelines.corpus.paragraphs import RAISED_DIGIT
from citespan.pipelines.corpus.reference_text import ET_AL, WIDE
from citespan.pipelines.patterns import compile_once

_ANY_DIGIT = re.compile(r"[\d⁰¹²³⁴⁵⁶⁷⁸⁹]")
_DASH = r"[-‐‑‒–—−]"
_JOIN = rf"(?:,\s?and\b|,\s?&|,|;|{_DASH}|\band\b|&)"
# No item starts with 0: "[0, 1]" is an interval and "(1,000)" a number.
_NUMBERS = rf"(?>[1-9]\d{{0,3}}(?:\s{{0,3}}{_JOIN}\s{{0,3}}[1-9]\d{{0,3}}){{0,40}})"
_LETTERED = rf"(?>[1-9]\d{{0,3}}[a-e]?(?:\s{{0,3}}{_JOIN}\s{{0,3}}[1-9]\d{{0,3}}[a-e]?){{0,40}})"

_BRACKETS = rf"\[\s{{0,3}}{_LETTERED}\s{{0,3}}\]"
_BRACKETED = rf"{_BRACKETS}(?:\s{{0,3}}[,;–-]?\s{{0,3}}{_BRACKETS}){{0,40}}"
_NAMED = rf"\b[Rr]ef(?:s?\.?|erences?)\s{{0,3}}\[?{_NUMBERS}\]?(?![\w/])"
_NUMERIC_IDENTIFIER = r"(?i)\b(?:PMC?ID|PubMed(?: ID)?|doi)\s{0,3}:?\s{0,3}\d[\w./-]{3,80}"

_NUMBER = r"[1-9]\d{0,2}"
_MORE = rf"(?:(?:,|{_DASH}){_NUMBER})"
_ENDS = r"(?=[\s.,;:)\]]|$)(?![.,]\d)"
_BEHIND_STOP = rf"(?:(?<=[a-z]{{3}})|(?<=[)\]”\"]))([.,;:]){_NUMBER}{_MORE}{{0,20}}{_ENDS}"
# Behind a name with digits only a list or a range: "PU.1" and "Nkx2.5" are names.
_BEHIND_NAME = rf"(?:(?<=[A-Za-z]\d)|(?<=[A-Za-z]\d\d))(\.){_NUMBER}{_MORE}{{1,20}}{_ENDS}"
# "^(3,15)" in the place of superscripts, as pandoc writes plain text; "10^(6)" is a power.
_CARET = (
    rf"(?<![\d)])(?:\^\({_NUMBER}(?:(?:,\s?|{_DASH}){_NUMBER}){{0,20}}\)"
    rf"|⁽{RAISED_DIGIT}(?:{RAISED_DIGIT}|[,⁻–-]\s?(?={RAISED_DIGIT}))*⁾)"
)
_ABBREVIATED = (
    r"(?i)\b(?:figs?|tables?|tabs?|nos?|approx|vols?|eqs?|secs?|chrs?|vers?|suppl|chap|cat|art)$"
)

_GLUED = rf"(?<![\w-])([A-Za-z]?[a-z]{{3,40}}+)({_NUMBER}{_MORE}{{0,20}}){_ENDS}"
_NUMBERED_WORD = (
    r"(?i)(?:in|ase|kine|gen|figs?|figures?|tables?|days?|weeks?|months?|years?|hours?|types?"
    r"|exons?|introns?|lanes?|panels?|steps?|groups?|phases?|stages?|grades?|class(?:es)?|sites?"
    r"|chromosomes?|residues?|positions?|domains?|sections?|equations?|cases?|patients?|models?"
    r"|versions?)$"
)
_INFLECTED_WORD = (
    r"(?:[oe]rs|ours|ies|ions?|ments?|ness|ings?|[^e]ed|ly|ity|isms?|ances?|ences?|cells?|mice"
    r"|tumou?rs?|cancers?|genes|humans?|diseases?|ogy|ical|ents|esis|ous|ive|able)$"
)

_UNICODE_SUPERSCRIPT = (
    rf"(?<!{RAISED_DIGIT})(?<!{RAISED_DIGIT}[,⁻–-]){RAISED_DIGIT}"
    rf"(?>(?:{RAISED_DIGIT}|[,⁻–-](?={RAISED_DIGIT}))*)(?![⁺⁻\w])"
)
# What a single number may be raised above: a base, a unit, a letter, or a charge.
_RAISED = r"(?<![\d.,])(?:10|\d)$|(?:^|[\s(\[/·×])(?:[kcdmnµμ]?m|[kmnµμ]?g|[^\W\d_])$|[⁺⁻+−-]$|^$"
_POWER_OF_TEN = r"(?<![\d.,])10$"
_WINDOW = 12  # characters looked back at; longer than any abbreviation or unit listed


def _window(found: re.Match[str]) -> str:
    return found.string[max(0, found.start() - _WINDOW) : found.start()]


def _without_glued(found: re.Match[str]) -> str:
    word, numbers = found.groups()
    listed = not numbers.isdigit()
    if compile_once(_NUMBERED_WORD).search(word) or not (
        listed or compile_once(_INFLECTED_WORD).search(word)
    ):
        return found.group()
    return word


def _without_number_behind_stop(found: re.Match[str]) -> str:
    return found.group() if compile_once(_ABBREVIATED).search(_window(found)) else found.group(1)


def _without_superscript(found: re.Match[str]) -> str:
    raised, before = found.group(), _window(found)
    is_number = before[-1:].isdigit() and len(raised) > 1
    pattern = _POWER_OF_TEN if is_number else _RAISED
    return raised if "," not in raised and compile_once(pattern).search(before) else ""


def is_reference_numbers(text: str) -> bool:
    """Whether `text` is a list of reference numbers and nothing else."""
    return compile_once(_NUMBERS).fullmatch(text) is not None


def find_reference_numbers(text: str) -> Iterator[tuple[int, int]]:
    """Find (start, end) of what `remove_reference_numbers` removes, in no particular order."""
    if not _ANY_DIGIT.search(text):
        return
    for pattern in (_BRACKETED, _NAMED, _CARET):
        yield from (found.span() for found in compile_once(pattern).finditer(text))
    for found in compile_once(_UNICODE_SUPERSCRIPT).finditer(text):
        if not _without_superscript(found):
            yield found.span()
    for found in compile_once(_BEHIND_STOP).finditer(text):
        if _without_number_behind_stop(found) != found.group():
            yield found.end(1), found.end()
    for found in compile_once(_BEHIND_NAME).finditer(text):
        yield found.end(1), found.end()
    for found in compile_once(_GLUED).finditer(text):
        if _without_glued(found) != found.group():
            yield found.start(2), found.end()


def remove_reference_numbers(text: str) -> str:
    """`text` without reference numbers; a space takes the place of those that stand alone.

    Numbers in round brackets stay, since only what stands beside them tells what they are.
    """
    if not _ANY_DIGIT.search(text):
        return text
    for pattern in (_BRACKETED, _NAMED, _CARET, _NUMERIC_IDENTIFIER):
        text = compile_once(pattern).sub(" ", text)
    text = compile_once(_UNICODE_SUPERSCRIPT).sub(_without_superscript, text)
    text = compile_once(_BEHIND_STOP).sub(_without_number_behind_stop, text)
    text = compile_once(_BEHIND_NAME).sub(r"\1", text)
    return compile_once(_GLUED).sub(_without_glued, text)


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
    r"(?:[Vv][ao]n|[Dd]e[nrls]?|[Dd]ell[ao]|[Dd][aiou]s?|[Ll][aeo]s?|[Tt]e[rn]?|[Aa]f|[Ee]l|[Bb]in"
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
    rf"(?>{_NAME}(?:\s(?:(?:of|the|for|on|d[aeo]|del|dos|l[ao]s?|im|van|von|der)\s){{0,2}}{_WORD}){{0,6}}"
    rf"(?:,?\s{_INITIALS})?{_JUNIOR})"
)
AND = r"\s(?:and|&|und|et|e|y)\s"
_AND = rf",?{AND}"
_ET_AL = rf"\s?,?\s(?:[Ee]t\.?\s?[Aa]l\b\.?|{ET_AL})"
_OTHERS = (
    rf"(?:{_ET_AL}|,?\s(?:and|&)\s(?:(?:his|her|their)\s)?"
    r"(?:colleagues|co-?workers|associates|others)\b)(?:['’]s?)?"
)

_YEAR = r"(?:(?:1[6-9]|20)\d\d[a-z]?\b|in\spress\b|submitted\b|unpublished(?:\sdata)?\b|n\.d\.)"
_FURTHER_YEARS = rf"(?:\s?(?:,|;|and|&|/|–|-)\s?(?:{_YEAR}|[a-h]\b(?!\.))){{0,12}}"
_PLACE = r"(?:\s?[,:]\s?(?:(?:pp?|[Ss])\.\s?)?\d{1,5}(?:[–-]\d{1,5}|\s?ff?\b\.?)?(?!\d))?"
_YEARS = rf"(?>{_YEAR}{_FURTHER_YEARS}{_PLACE})"
_YEARS_IN_BRACKETS = rf"[(\[]\s?{_YEARS}\s?[)\]]"

_SHORT_NAME = r"\[[A-Z][A-Za-z&-]{1,14}\]"  # "(World Health Organization [WHO], 2010)"

_CITATION = (
    rf"{_NO_MONTH}{_NAME_IN_BRACKETS}(?:(?:{_AND}|[,;]\s|\s?/\s?){_NAME_IN_BRACKETS}){{0,30}}"
    rf"(?:{_OTHERS})?(?:['’]s?)?(?:\s{_SHORT_NAME})?\s?,?\s?(?:{_YEARS}|{_YEARS_IN_BRACKETS})"
)
_CITATIONS = rf"{_CITATION}(?:,?\s(?:and\s)?{_CITATION}){{0,30}}"
# Every citation has a year, or a word for one that is to come, or for further authors. Looking
# for these first spares most texts the large patterns.
_YEARLIKE = re.compile(r"\d{4}|press|submitted|unpublished|n\.d\.")
_OTHERSLIKE = re.compile(rf"\b(?:[Ee]t)?[Aa]l\b|{ET_AL}|colleagues|workers|associates|others")

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


_LONGEST = 1000  # characters in a bracket; a longer one is prose
# A citance may be cut off within a bracket.
_BRACKET = re.compile(rf"(?<!\^)([(\[])((?:[^()\[\]]|{_SHORT_NAME}){{1,{_LONGEST}}})([)\]]|$)")
_INTRODUCTION = re.compile(
    r"(?>(?:(?:for|an?|the|and|but|see|also|as|e\.\s?g\.?|i\.\s?e\.?|cf\.?|reviewed|reviews?|in|by"
    r"|according|to|from|data|adapted|modified|after|following|described|reported|shown|recently"
    r"|previously|example|instance|compare|contra|with|citing|cited|references?|refs?\.?)[,:.]?\s)"
    r"{0,12})",
    re.IGNORECASE,
)
_CLOSING = re.compile(
    r"(?>,?\s(?:for|and|an?|in|the|recent|reviews?|references?|therein|details?|overview|examples?"
    r"|discussion|others|more|further|also)\b){1,8}$",
    re.IGNORECASE,
)
_IDENTIFIER = re.compile(r"(?:PMC?ID|PubMed(?:\sID)?|doi)\s?:?\s?[\w./-]{3,80}", re.IGNORECASE)

# "[RDB+07; Knu84]", the labels of BibTeX's style alpha; the first is none of a gene or isotope.
_LABEL = r"[^\W\d_]{1,8}[+⁺]?\d\d[a-z]?"
_LABELS = re.compile(
    rf"\[(?:[A-Z][a-z]{{2}}|[^\W\d_]{{1,8}}[+⁺])\d\d[a-z]?(?:[,;]\s?{_LABEL}){{0,40}}\]"
)
_SPACES = re.compile(r"\s+")
_SPACE_BEFORE_MARK = re.compile(r" (?=[.,;:!?)\]](?:\s|$))")


def is_label(text: str) -> bool:
    """Whether `text` is a label as BibTeX's style alpha makes them, such as "RDB+07"."""
    return re.fullmatch(_LABEL, text) is not None


def _is_marker(part: str) -> bool:
    """Whether a part of a bracket is nothing but a citation."""
    introduction = _INTRODUCTION.match(part + " ")
    assert introduction is not None
    rest = part[introduction.end() :]
    if not rest:
        return True
    rest = _CLOSING.sub("", rest).rstrip(" ,.").lstrip(" ,")
    return (
        is_author_years(rest)
        or is_years(rest)
        or is_reference_numbers(rest)
        or _IDENTIFIER.fullmatch(rest) is not None
    )


def is_citation(content: str) -> bool:
    """Whether what stands between two brackets is nothing but citations: "Okada 1999; see [3]"."""
    return all(_is_marker(part.strip()) for part in _split_parts(content))


def _split_parts(content: str) -> Iterator[str]:
    """Yield what stands between semicolons, but together the surnames in capitals that come before
    one year: "ROE; DOE, 2001"."""
    start = 0
    for at, letter in enumerate(content):
        if letter == ";" and not (
            content[start:at].isupper() and not _ANY_DIGIT.search(content, start, at)
        ):
            yield content[start:at]
            start = at + 1
    yield content[start:]


def _may_be_index(bracket: re.Match[str]) -> bool:
    """Whether a number in brackets may belong to a formula, as in "Mg(2)"."""
    before = bracket.string[max(0, bracket.start() - 4) : bracket.start()]
    in_prose = len(before) == 4 and before.isalpha() and before.islower()
    return bracket[2].isdigit() and before.rstrip("′″")[-1:].isalnum() and not in_prose


def _without_citations(bracket: re.Match[str]) -> str:
    opening, content, closing = bracket.groups()
    parts = [part.strip() for part in _split_parts(content)]
    kept = [part for part in parts if not _is_marker(part)]
    if len(kept) == len(parts) or _may_be_index(bracket):
        return bracket[0]
    return f"{opening}{'; '.join(kept)}{closing}" if kept else " "


def _without_citations_but_years(bracket: re.Match[str]) -> str:
    return bracket[0] if is_years(bracket[2].strip()) else _without_citations(bracket)


def find_brackets(text: str) -> Iterator[tuple[int, int]]:
    """Find (start, end) of the brackets that hold citations: of the whole bracket where it holds
    nothing else, else of each part of it that cites."""
    for bracket in _BRACKET.finditer(text):
        if _may_be_index(bracket):
            continue
        content = " ".join(bracket[2].split())
        if is_citation(content):
            yield bracket.span()
            continue
        start = bracket.start(2)
        for part in _split_parts(bracket[2]):
            bare = part.strip()
            if bare and _is_marker(" ".join(bare.split())):
                first = start + part.index(bare)
                yield first, first + len(bare)
            start += len(part) + 1


@lru_cache(maxsize=64)  # each part of a search asks for its citance
def remove_markers(citance: str) -> str:
    """Return the citance without its citation markers, every run of white space as one space.

    Takes time linear in the citance's length and never raises.
    """
    text = _LABELS.sub(" ", _SPACES.sub(" ", citance.translate(WIDE)))
    text = remove_reference_numbers(text)
    # A year in brackets belongs to the names before it, so those must still be there to go
    # with it; the second round also finds brackets that had brackets inside.
    text = _BRACKET.sub(_without_citations_but_years, text)
    text = _SPACES.sub(" ", remove_textual_citations(text))
    text = _BRACKET.sub(_without_citations, text)
    return _SPACE_BEFORE_MARK.sub("", _SPACES.sub(" ", text)).strip()
