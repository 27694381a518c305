"""Citation markers: finding and removing what only says which article is cited.

Paper A removes "the actual indicator of the citation" from every citance (section 2.3.1). Here
that is
- numbers in brackets, behind "ref.", as Unicode superscripts, and glued to words where the word
  tells that they are no part of it;
- names and years in brackets, alone or beside other matter ("(Figure 3; Lee et al., 2001)" keeps
  "(Figure 3)"), with what introduces them ("see", "reviewed in");
- names and years in running text: the authors of "Smith et al. (2006) showed" are never words of
  the article that they wrote, so they are part of the marker.

What is not a marker stays: "(p53)", "(n = 12)", "(Figure 3)", "(10 mg)", "(1H)", "H2O2", "10⁶".
"""

import re
from collections.abc import Iterator

from citespan.pipelines.text.author_years import (
    is_author_years,
    is_years,
    remove_textual_citations,
)
from citespan.pipelines.text.reference_numbers import (
    is_reference_numbers,
    remove_reference_numbers,
)

_LONGEST = 1000  # characters in a bracket; a longer one is prose
# A citance may be cut off within a bracket.
_BRACKET = re.compile(rf"([(\[])([^()\[\]]{{1,{_LONGEST}}})([)\]]|$)")
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

_SPACES = re.compile(r"\s+")
_SPACE_BEFORE_MARK = re.compile(r" (?=[.,;:!?)\]](?:\s|$))")


def _is_marker(part: str) -> bool:
    """Whether a part of a bracket is nothing but a citation."""
    introduction = _INTRODUCTION.match(part + " ")
    assert introduction is not None
    rest = part[introduction.end() :]
    if not rest:
        return True
    rest = _CLOSING.sub("", rest).strip(" ,.")
    return (
        is_author_years(rest)
        or is_years(rest)
        or is_reference_numbers(rest)
        or _IDENTIFIER.fullmatch(rest) is not None
    )


def is_citation(content: str) -> bool:
    """Whether what stands between two brackets is nothing but citations: "Okada 1999; see [3]"."""
    return all(_is_marker(part.strip()) for part in content.split(";"))


def _may_be_index(bracket: re.Match[str]) -> bool:
    """Whether a number in brackets may belong to a formula, as in "Mg(2)"."""
    before = bracket.string[max(0, bracket.start() - 4) : bracket.start()]
    in_prose = len(before) == 4 and before.isalpha() and before.islower()
    return bracket[2].isdigit() and before[-1:].isalnum() and not in_prose


def _without_citations(bracket: re.Match[str]) -> str:
    opening, content, closing = bracket.groups()
    parts = [part.strip() for part in content.split(";")]
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
        for part in bracket[2].split(";"):
            bare = part.strip()
            if bare and _is_marker(" ".join(bare.split())):
                first = start + part.index(bare)
                yield first, first + len(bare)
            start += len(part) + 1


def remove_markers(citance: str) -> str:
    """Return the citance without its citation markers, every run of white space as one space.

    Takes time linear in the citance's length and never raises.
    """
    text = _SPACES.sub(" ", citance)
    text = remove_reference_numbers(text)
    # A year in brackets belongs to the names before it, so those must still be there to go
    # with it; the second round also finds brackets that had brackets inside.
    text = _BRACKET.sub(_without_citations_but_years, text)
    text = _SPACES.sub(" ", remove_textual_citations(text))
    text = _BRACKET.sub(_without_citations, text)
    return _SPACE_BEFORE_MARK.sub("", _SPACES.sub(" ", text)).strip()
