"""The authors of an entry of a reference list that is text, as lists of many styles write them:
with initials or with given names in full, before or behind the surname; or a group.
"""

import re
from collections.abc import Sequence

from citespan.pipelines.corpus.entry_title import CAPITAL, SMALL, TITLE_START, has_title
from citespan.pipelines.corpus.publication import is_named_as_group
from citespan.pipelines.patterns import compile_once

_YEAR_AFTER_AUTHORS = re.compile(
    r"^(.{2,600}?)(?:(?<![\s,.])[\s,.]++)?\(((?:1[6-9]|20)\d\d)[a-z]?"
    r"(?:,\s[A-Z][a-z]{2,8}\.?(?:\s\d{1,2})?)?\)[\s.:,]*"
)
# All have a full stop or none has: "Roe, L. A trial of yeast" has one.
_INITIALS = (
    rf"(?:{CAPITAL}{{1,4}}(?:-{CAPITAL}{{1,4}}){{1,2}}(?![\w'’.-])"
    rf"|{CAPITAL}{{2,4}}+(?![\w'’])\.?[\s-]?|(?:{CAPITAL}(?:-{CAPITAL})?\.[\s-]?){{1,4}}"
    rf"|(?:{CAPITAL}(?![\w'’.])[\s-]?){{0,3}}{CAPITAL}(?![\w'’])\.?[\s-]?)"
)
_PARTICLES = r"(?:(?!(?:and|en|et|och|og|und|ve|y)\s)(?:[a-z]{1,4}|[dDlO]['’]|['’‘]t)\s?){0,3}"
_SURNAME = (
    rf"(?:[DLTV][aeiou]\w?\s(?=[a-z]))?{_PARTICLES}[^\W\d_a-z][\w'’‐–-]{{1,60}}+"
    r"(?:\s(?:(?:d[aeo]|del|dos|in|van|von|y)\s(?:l[ao]s?\s|de[nr]\s|['’‘]t\s)?)?"
    r"(?![A-Z]{1,3}[,.;])[A-Z][\w'’-]{1,60}+){0,2}"
)
_NO_INITIALS = (  # "JA Roe, B Doe" and "J-A Roe, B Doe" have no "Roe, B"
    rf"(?!{CAPITAL}(?:-?{CAPITAL}){{1,3}}\s{CAPITAL}{SMALL})"
)
_PARTICLES_BEHIND = (  # "Beek E van der", "Mari J de J"
    r"(?:(?:\s?(?:\b(?:d[aeiou]s?|de[nr]|del|e(?=,)|l[ae]|te[nr]|v[ao]n|zu|VAN|DE[NR]?)\b|['’]t\b)){1,3}"
    rf"(?:(?<=[a-z])\s(?:{CAPITAL}{{1,4}}(?![\w'’.])|(?:{CAPITAL}\.[\s-]?){{1,4}}))?){{0,2}}"
)
_AUTHOR = (
    rf"(?:{_NO_INITIALS}{_SURNAME},?\s{_INITIALS}{_PARTICLES_BEHIND}"
    rf"|(?!A\s{CAPITAL}{SMALL}[\w-]{{0,40}}\s(?!and|et)\w)"  # "A Randomised Trial of Bread"
    rf"{_INITIALS}{_SURNAME})(?:,?\s(?:Jr\b\.?|Sr\b\.?|2nd|3rd|4th))?"
)
_LEFT_OUT = r"(?:…|\.\s?\.\s?\.)\s"  # "Roe, J., Doe, A., … Zed, B."
_COMMA = rf"(?:\s?[,;]\s(?:{_LEFT_OUT}(?:&\s)?)?|\s{_LEFT_OUT})"
_AND = rf"[,;]?\s(?:and|AND|&|et(?!\sal)|und|[aeiy]|en|och|og|ve)\s(?:{_LEFT_OUT})?"
_BETWEEN = rf"(?:{_AND}|{_COMMA})"
_BEHIND = (
    r"(?:[,;]?\s(?:et al\.?|and others))?(?:,?\s\(?[Ee]d(?:itor)?s?\b\.?\)?)?"
    rf"(?>(?:[\s.,:–—]|-(?=\s))+)(?=\W{{0,2}}(?:{TITLE_START}))"
)
# Each author is settled before the next one is read: an author may be read in several ways, and a
# list of n in 2^n.
_GOES_ON = rf"(?={_BETWEEN}{_AUTHOR}|{_BEHIND})"
# What a comma divides from those that "and" joins is the title: "A Roe and B Doe, A New Bread".
_AUTHORS = (
    rf"((?>{_AUTHOR}{_GOES_ON})(?>{_COMMA}{_AUTHOR}{_GOES_ON}){{0,100}}"
    rf"(?>{_AND}{_AUTHOR}{_GOES_ON}){{0,100}}){_BEHIND}"
)
_LAST_NAMED = re.compile(rf"{_AND}|\set al\b")  # no further author follows
_ONE_AUTHOR = (
    rf"\b(?!(?:VAN\s)?(?:VAN|DE[NR]?)[;,.])(?:{_NO_INITIALS}({_SURNAME}),?\s"
    rf"({_INITIALS})(?=[,;.:\s&]|$)|({_INITIALS})({_SURNAME}))"
)

# Given names in full: "Carol van Dyke", or "Van Dyke, Carol" where the list begins so.
_MOST_AUTHORS = 100
_PAIR = 2
_INITIAL = rf"{CAPITAL}(?:[.‐-]{{0,2}}{CAPITAL}){{0,3}}(?!\w)\.?"
_NAME = rf"{CAPITAL}['’]?[\w‐-]{{0,40}}{SMALL}(?:[\w‐-]|['’](?=\w)){{0,40}}"
_LARGE_NAME = rf"{CAPITAL}(?>(?:{CAPITAL}|['’‐-]){{1,40}})(?!\w)"
_PARTICLE = r"(?!(?:al|and|et|for|from|in|of|on|the|to|und|with)\s)[a-z]{1,4}"
_NATURAL = rf"(?:{_INITIAL}|{_NAME})(?:\s(?:{_INITIAL}|{_NAME}|{_PARTICLE})){{0,6}}\s{_NAME}(?!\w)"
# Inside of a name.
_OF = r"(?:d[aeiou]s?|de[nrl](?:\sl[ao]s?)?|dell?[ao]|e|l[ae]s?|v[ao]n(?:\sde[nr]?)?|von|y|zu)"
_LARGE_INVERTED = rf"{_LARGE_NAME}(?>(?:\s{_LARGE_NAME})*),"
_LARGE_NATURAL = (  # behind "ROE, Jane and": ISO 690
    rf"(?:{_INITIAL}|{_NAME})(?:(?!{_AND})\s(?:{_INITIAL}|{_NAME}|{_PARTICLE})){{0,4}}"
    rf"\s{_LARGE_NAME}"
    rf"(?:\s{_LARGE_NAME}){{0,3}}(?!\w)"
)
_INVERTED = (
    rf"(?:{_PARTICLE}\s|['’‘]t\s|[DLTV][aeiou]\w?\s(?=[a-z])){{0,3}}(?:{_NAME}(?:\s(?:{_OF}\s)?{_NAME}){{0,2}}"
    rf"|{_LARGE_NAME}(?:\s{_LARGE_NAME}){{0,2}}),\s"
    rf"(?:(?:{_INITIAL}\s?){{1,3}}(?:\s?{_NAME}(?=[,;]\s|\s(?:and|&)\s|\.?\s\(?[12]\d{{3}}))?"
    rf"|{_NAME}(?:\s(?:{_OF}\s)?{_NAME}){{0,3}}(?:\s{_INITIAL}){{0,3}}(?:\s{_OF}(?=\W))?"
    rf"|(?<={CAPITAL}{{2}},\s){_LARGE_NAME}(?:\s{_LARGE_NAME}){{0,2}}(?:\s{_INITIAL}){{0,3}})(?!\w)"
)
_BOTH_FORMS = ((_INVERTED, _NATURAL), (_INVERTED,))
_LARGE_FORMS = ((_INVERTED, _LARGE_NATURAL, _INVERTED),)
_IN_FULL = re.compile(rf"{SMALL}|{CAPITAL}{{5}}")
_GIVEN = re.compile(_NAME)
_FULL_BETWEEN = re.compile(_BETWEEN)
_WITH_INITIAL = re.compile(rf"(?:^|\s){_INITIAL}(?:\s|$)")
_LARGE_PARTICLE = re.compile(r"(?:V[ao]n|Ter?|De[nrls]?|Del[al]a?|D[aiou]s?|L[aeo]s?|El|Mac|St\.?)")
_YEAR_BEHIND = re.compile(
    r"(?:[,;]?\s(?:et al\.?|and others))?,?(?:\s\(?(?:[Ee]ditors?|[Ee]ds?\.?)\)?)?[.,:]?\s?"
    r"(?:[(\[](?:1[6-9]|20)\d\d[a-z]?[)\]][.,:;]?\s?"
    r"|(?:1[6-9]|20)\d\d[a-z]?(?:\s?[.,:;]\s|\s(?=[\"“‘«„]?[A-Z])))"
)
_TITLE_BEHIND = re.compile(
    r"(?:[,;]?\s(?:et al\.?|and others))?(?:,?\s\(?(?:[Ee]ditors?|[Ee]ds?\.?)\)?)?"
    rf"(?:\.|(?<=\.),?|\s[–—-])\s(?=[\"“'‘«„]?(?:{TITLE_START}))"
)
# "Jane Roe and Ann Doe, ‘Title’"
_QUOTE_BEHIND = re.compile(r"(?:[,;]?\s(?:et al\.?|and others))?(?:[,:]\s(?=[“\"‘«„])|\s(?=「))")
# "Roe, Jane et al.: Title"
_COLON_BEHIND = re.compile(
    rf"(?:[,;]?\s(?:;\s)?(?:et al\.?|and others))?\s?:\s(?=[\"“'‘«»„]?{CAPITAL})"
)
_GROUP_BEFORE_YEAR = re.compile(
    r"([A-Z][^.()\d]{1,150}?)(?:[.,]\s|[.,]?\s\()(?:1[6-9]|20)\d\d[a-z]?\)?[.,:;]?\s"
)
_GROUP_BEFORE_TITLE = re.compile(
    rf"([A-Z][^.:()\d“\"]{{1,150}}?)(?:[.:]\s(?={CAPITAL})|,\s(?=[“\"]))"
)
_ACRONYM = range(3, 7)  # letters of one before a title: "NICE. Depression in adults"


_Names = tuple[tuple[str, ...], int]


def read_authors(entry: str, names_first: bool) -> _Names:
    """Return the authors at the beginning of an entry, each as "Surname, Given names", and where
    they end.

    Args:
        names_first: whether a single name may be an author with given names first.
    """
    return _read_full_names(entry, names_first) or _read_group(entry) or _read_initials(entry)


def _read_initials(entry: str) -> _Names:
    """Return the authors with initials at the beginning of an entry, and where they end."""
    named = compile_once(_AUTHORS).match(entry)
    dated = _YEAR_AFTER_AUTHORS.match(entry)
    if dated and named and _LAST_NAMED.search(named[0]) and named.end() < dated.end(1):
        dated = None
    if dated and named and has_title(entry, named.end(), dated.end(1)):
        dated = None  # the year stands behind the journal
    found = dated or named
    if found is None:
        return (), 0
    authors = []
    for name in compile_once(_ONE_AUTHOR).finditer(entry[: found.end(1) + 1]):
        surname, initials = (name[1], name[2]) if name[1] else (name[4], name[3])
        authors.append(f"{surname}, {initials.strip()}")
    return tuple(authors), found.end()


def _read_group(entry: str) -> _Names | None:
    """Return the group at the beginning of an entry, if it is named so, or is one word before a
    year or an acronym."""
    dated = _GROUP_BEFORE_YEAR.match(entry)
    found = dated or _GROUP_BEFORE_TITLE.match(entry)
    if found is None:
        return None
    is_word = " " not in found[1] and (dated or (found[1].isupper() and len(found[1]) in _ACRONYM))
    if not is_word and not is_named_as_group(found[1]):
        return None
    return (found[1].strip(),), found.end()


def _read_full_names(entry: str, names_first: bool) -> _Names | None:
    """Return the authors at the beginning of an entry, and where they end; None unless they are
    written with given names in full, or with initials before all surnames."""
    if found := read_joint_names(entry):
        return found
    names, end, _ = _read_list(entry, (_NATURAL,))
    stop = _YEAR_BEHIND.match(entry, end) if names else None
    if stop is None and names:
        stop = _find_title(entry, end, names) if names_first else _find_quote(entry, end, names)
    if stop is None:
        large = compile_once(_LARGE_INVERTED).match(entry)
        for forms in _LARGE_FORMS if large else _BOTH_FORMS:
            names, end, _ = _read_list(entry, forms)
            if any(_IN_FULL.search(name.partition(",")[2] or name) for name in names):
                behind = (_YEAR_BEHIND, _TITLE_BEHIND, _COLON_BEHIND, _QUOTE_BEHIND)
                stop = next(filter(None, (form.match(entry, end) for form in behind)), None)
            if stop:
                break
    return (tuple(map(_invert, names)), stop.end()) if stop else None


def read_joint_names(entry: str) -> _Names | None:
    """Return the authors at the beginning of an entry, and where they end; None unless they are
    several with given names before the surnames, and the title is behind them."""
    names, end, joint = _read_list(entry, (_NATURAL,))
    # "Jane Roe, Ann Doe, Bo Zed. Title" can't be pairs of surnames and given names
    is_list = len(names) > _PAIR and len(names) % _PAIR and all(map(_GIVEN.match, names))
    if not joint and not is_list:
        return None
    # "Roe A. Yeast and Bread. Old recipes" has one author
    if (
        len(names) == _PAIR
        and not _WITH_INITIAL.search(names[1])
        and _WITH_INITIAL.search(names[0])
    ):
        return None
    stop = _find_title(entry, end, names)
    return (tuple(map(_invert, names)), stop.end()) if stop else None


def _find_title(entry: str, end: int, names: Sequence[str]) -> re.Match[str] | None:
    """Return what divides names with given names first from the title behind them."""
    return _TITLE_BEHIND.match(entry, end) or _find_quote(entry, end, names)


def _find_quote(entry: str, end: int, names: Sequence[str]) -> re.Match[str] | None:
    """Return what divides names, of which some are in full, from a title in quotation marks."""
    return _QUOTE_BEHIND.match(entry, end) if any(map(_GIVEN.match, names)) else None


def _read_list(entry: str, forms: Sequence[str]) -> tuple[list[str], int, str]:
    """Return the names at the beginning of an entry, the first of which is written in the first of
    the forms; where they end; and what is written before the last."""
    names: list[str] = []
    joint = ""
    end = 0
    found = compile_once(forms[0]).match(entry)
    while found is not None:
        names.append(found[0])
        end = found.end()
        between = _FULL_BETWEEN.match(entry, end)
        written = between[0].strip(",; ") if between else ""
        if between is None or (joint and not written) or len(names) == _MOST_AUTHORS:
            break
        # Only behind a semicolon, "Roe Doe, Jane" can't be "Roe Doe" and "Jane …".
        ordered = forms if ";" in between[0] else forms[::-1]
        others = (compile_once(form).match(entry, between.end()) for form in ordered)
        found = next(filter(None, others), None)
        joint = written if found else joint
    return names, end, joint


def _invert(name: str) -> str:
    """Return a name as "Surname, Given names"; that of a group as it is."""
    if "," in name or is_named_as_group(name):
        return name
    words = name.split()
    last = len(words) - 1
    particles = (
        at
        for at, word in enumerate(words[1:last], 1)
        if word[0].islower()
        or _LARGE_PARTICLE.fullmatch(word)
        or (re.fullmatch(_LARGE_NAME, word) and words[last].isupper())
    )
    at = next(particles, last)
    return f"{' '.join(words[at:])}, {' '.join(words[:at])}"
