"""The citation markers of a text without mark-up, and the entries of the list that they name.

A marker is what `marker_patterns` finds: numbers in brackets or as superscripts, names and years in
brackets, and names with years in running text; and what stands in square brackets and begins with a
label of the list, "[RDB+07, Theorem 2]". A number names the entry with that label; in a list
without labels, a number in square brackets names the entry of that place. A name and a year name an
entry if it alone has that first author, or else that first word, and that year; a letter behind the
year, as in "2001b", chooses among several.
"""

import re
from collections.abc import Collection, Iterable, Iterator, Sequence

from citespan.pipelines.citing.marker_patterns import (
    AND,
    find_brackets,
    find_reference_numbers,
    find_textual_citations,
    is_label,
)
from citespan.pipelines.citing.markers import DASH, LONGEST_BRACKET, LONGEST_RANGE, Marker
from citespan.pipelines.corpus.publication import normalise_surname, normalise_title
from citespan.pipelines.corpus.reference_text import ET_AL, WIDE
from citespan.pipelines.corpus.references import Reference

_MOST_ALIKE = 100  # references of one first author and year; no list has more
_SUPERSCRIPT = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻", "0123456789-")
_NUMBERS = re.compile(r"([1-9]\d{0,3})(?:\s?\]?\s?[-‐‑‒–—−⁻]\s?\[?\s?([1-9]\d{0,3}))?(?!\d)")
_YEAR = re.compile(r"((?:1[6-9]|20)\d\d)([a-z])?\b|\b(in\spress|submitted|n\.d\.)")
_WIDEST_UNKNOWN = 10  # entries; "(18–60)" with numbers that the list has not is a range of ages
_LEAST_CITED = 0.5  # of the list, by the form that the markers of a text have
# Behind "F(1, 34)", and behind the "[6]" of [6]-gingerol.
_NOT_CITED = re.compile(r"\s{0,2}[=<>≤≥±~∼]|-[a-z]")
_IDENTIFIED = re.compile(r"(?i)doi|pmc?id")
_SPREAD = re.compile(rf"(?<![\w.,–-])(\d{{1,3}})\s\((\d{{1,3}})\s?{DASH}\s?(\d{{1,3}})\)\Z")
_ITEM_BEFORE = re.compile(r"(?:[,;:]|(?<!\bal)\.|\b(?:and|or))\s*\Z")
_SCALE = re.compile(r"\([01]\)\s(?:to|through)\s[\w'’ -]{2,40}\s(?=\(\d{1,2}\))")
_MOST_BEHIND = 0.5  # of the markers, behind punctuation, in a text that has lists in sentences
_WORD_BEHIND = re.compile(r"\s\w")
_LONGEST_ITEM = 1000  # characters from one item of a list to the next
_FURTHER = re.compile(r"\s?(?:,|;|and|&)\s?([a-h])\b")
_SQUARE = re.compile(r"\[([^\[\]]{1,200})\]")
_BETWEEN_LABELS = re.compile(r"[,;]\s{0,3}")
_NOTE = re.compile(  # on a place in what is cited
    r"(?i)(?:§{1,2}|(?:app(?:endix)?|ch(?:ap(?:ter)?)?|cor(?:ollary)?|def(?:inition)?|eqs?|equations?"
    r"|figs?|figures?|lemmas?|pp?|prop(?:osition)?|s|sec(?:tions?|s)?|tables?|theorems?|thms?)\b\.?)"
    r"\s{0,3}[\w.()–-]{1,20}"
)
_INITIAL = r"[^\W\d_a-z]"
_NAME = re.compile(
    rf"(?:(?:[Vv][ao]n|[Dd]e[nrls]?|[Dd]i|[Ll][ae])\s){{0,3}}(?!{_INITIAL}(?:[.\s]|-{_INITIAL}\b))[^\W\d_a-z][\w'’‐-]*"
)
_FIRST_WORD = re.compile(rf"(?:[^\W\d_A-Z]{{1,4}}\s|\W|\d){{0,12}}({_INITIAL}[\w'’‐-]{{1,60}})")
_GENITIVE = re.compile(r"['’]s\Z")  # "Roe's (2001)"
# "(J. Roe et al., 2001)"
_FIRST_INITIAL = re.compile(rf"[(\[\s,;]*({_INITIAL})(?:\.[\s-]?|\s|-){_INITIAL}")
_OTHERS = re.compile(rf"\bal\b|{ET_AL}|colleagues|workers|others")
_ET_AL = re.compile(r"\bet\.? al\b")
_JOINT = re.compile(rf"{_OTHERS.pattern}|{AND}")
_CAPITALISED = re.compile(r"\b[A-Z]\w")
_LONGEST_GROUP = 120  # characters
_BETWEEN_NAMES = re.compile(rf"[,;()\[\]]|{AND}")
_SKIPPED = frozenset(
    (
        *("see", "e", "also", "reviewed", "in", "cf", "and", "al", "etal", "others", "colleagues"),
        # "Similarly, Roe and Doe (2001)"
        *("additionally", "consequently", "conversely", "finally", "furthermore", "hence"),
        *("historically", "however", "importantly", "indeed", "instead", "interestingly", "later"),
        *("likewise", "moreover", "notably", "originally", "previously", "recently", "similarly"),
        *("specifically", "subsequently", "then", "thus"),
    )
)


def find_written_markers(text: str, references: Sequence[Reference], end: int) -> Iterator[Marker]:
    """Yield the markers in `text[:end]`, in order and without overlap, in the form that names most
    of the list: numbers in other brackets are ages, counts and items then, and where numbers cite,
    a single name that the list has not is that of a program or guideline. If no form names half of
    the list, all are yielded.

    Args:
        references: as in `Article.references`; without any, what markers name is unknown.
    """
    text = text.translate(WIDE)
    markers = list(_find_in_all_forms(text, references, end))
    form = _choose_form(markers, len(references))
    round_ = [marker for of, marker in markers if of == form == "round"]
    items = set(_find_items(text, round_))
    items |= {end for scale in _SCALE.finditer(text) for end in scale.span()}  # "no (1) to yes (5)"
    for (of, marker), (_, following) in zip(markers, [*markers[1:], ("", None)], strict=False):
        if of == "named":
            shown = text[marker.start : marker.end]
            cites = not form or form == of or bool(marker.keys or _JOINT.search(shown))
            is_again = following is not None and _is_said_again(text, marker, following)
            cites = cites and not (is_again and form != of)
        else:
            is_wide = len(marker.keys) + len(marker.unknown) > _WIDEST_UNKNOWN
            cites = not form or (of in ("", form) and not (is_wide and marker.unknown))
        if cites and marker.start not in items:
            yield marker


def _is_said_again(text: str, named: Marker, following: Marker) -> bool:
    """Whether a number behind names cites what these do: "Roe et al., 2001 [5]"."""
    between = text[named.end : following.start]
    return between.isspace() and bool(named.keys) and set(named.keys) <= set(following.keys)


def _find_in_all_forms(
    text: str, references: Sequence[Reference], end: int
) -> Iterator[tuple[str, Marker]]:
    """Yield what may be a marker with its form: "square", "round", "raised", "named", or "" for
    numbers behind "ref."."""
    labels, is_labelled = _index_labels(references)
    is_numbered = not labels or any(map(str.isdecimal, labels))
    names, has_groups = _index_names(references)
    last = 0
    labelled = dict(_find_labelled(text[:end], labels))
    found = dict.fromkeys(labelled, "label")
    found |= dict.fromkeys(find_reference_numbers(text[:end]), "number")
    found |= dict.fromkeys(find_brackets(text[:end]), "bracket")
    found |= dict.fromkeys(find_textual_citations(text[:end]), "textual")
    for start, stop in sorted(found, key=lambda place: (place[0], -place[1])):
        if start < last:
            continue
        shown = text[start:stop]
        if found[start, stop] == "label":
            form = "square"
            keys, unknown, problem = (*labelled[start, stop], "")
        elif found[start, stop] == "number" or not _YEAR.search(shown):
            if not is_numbered or not (is_labelled or shown.startswith("[")):
                continue
            if _is_of_other_kind(text, start, stop):
                continue
            form = _read_form(text, start, found[start, stop])
            keys, unknown, problem = _read_numbers(shown, labels)
        else:
            if has_groups:
                start = _find_group(text, last, start, stop, names)
                shown = text[start:stop]
            form = "named"
            keys, unknown, problem = _read_names(shown, names)
        if keys or unknown:
            yield form, Marker(start, stop, keys, unknown, 0, problem)
            last = stop


_Labelled = tuple[tuple[int, int], tuple[tuple[str, ...], tuple[str, ...]]]


def _find_labelled(text: str, labels: dict[str, list[Reference]]) -> Iterator[_Labelled]:
    """Yield (start, end) of the square brackets that have labels and notes on places alone, with
    the keys of the references and the labels that the list does not have."""
    has_made = any(map(is_label, labels))
    for bracket in _SQUARE.finditer(text):
        keys: list[str] = []
        unknown: list[str] = []
        for part in _BETWEEN_LABELS.split(bracket[1].strip()):
            label = part.replace("⁺", "+")
            if fitting := labels.get(label):
                keys += [reference.key for reference in fitting]
            elif has_made and is_label(label):
                unknown.append(label)
            elif not ((keys or unknown) and _NOTE.fullmatch(part)):
                break
        else:
            yield bracket.span(), (tuple(dict.fromkeys(keys)), tuple(dict.fromkeys(unknown)))


def _index_labels(references: Sequence[Reference]) -> tuple[dict[str, list[Reference]], bool]:
    """Return the references by label, or by place if none has one; and whether they have labels,
    which of no references is taken for granted."""
    is_labelled = not references or any(reference.label for reference in references)
    labels: dict[str, list[Reference]] = {}
    for number, reference in enumerate(references, 1):
        if label := reference.label if is_labelled else str(number):
            labels.setdefault(label, []).append(reference)
    return labels, is_labelled


def _index_names(
    references: Sequence[Reference],
) -> tuple[dict[tuple[str, str], list[Reference]], bool]:
    """Return the references by first author, or acronym of a group, and year; and whether any is
    a group's."""
    names: dict[tuple[str, str], list[Reference]] = {}
    has_groups = False
    for reference in references:
        publication = reference.publication
        year = str(publication.year or "")
        names.setdefault((publication.first_author, year), []).append(reference)
        if publication.authors and "," not in publication.authors[0]:
            has_groups = True
            if acronym := _make_acronym(publication.authors[0]):
                names.setdefault((acronym, year), []).append(reference)
    return _first_words(references, names) | names, has_groups


def _first_words(
    references: Sequence[Reference], known: Collection[tuple[str, str]]
) -> dict[tuple[str, str], list[Reference]]:
    """Return the references by the first word and the year of their entries, where no author is
    called so: authors may be written in a way that is not read, or surname first."""
    words: dict[tuple[str, str], list[Reference]] = {}
    for reference in references:
        if found := _FIRST_WORD.match(reference.text):
            key = normalise_surname(found[1]), str(reference.publication.year or "")
            if key not in known:
                words.setdefault(key, []).append(reference)
    return words


def _read_form(text: str, start: int, found: str) -> str:
    """Return the form of a marker with numbers; "" for one behind "ref."."""
    if found == "bracket":
        before = text[max(0, start - LONGEST_BRACKET) : start + 1]
        return "square" if before.rfind("[") > before.rfind("(") else "round"
    return "square" if text[start] == "[" else "" if text[start].isalpha() else "raised"


def _is_of_other_kind(text: str, start: int, stop: int) -> bool:
    """Whether numbers are an identifier, part of a statistic, or the range of the number before
    them, as in "14 (13–15) years"."""
    if _NOT_CITED.match(text, stop) or _IDENTIFIED.search(text, start, stop):
        return True
    found = _SPREAD.search(text, max(0, start - 5), stop)
    return found is not None and int(found[2]) <= int(found[1]) <= int(found[3])


def _choose_form(markers: Iterable[tuple[str, Marker]], listed: int) -> str:
    """Return the form that names most entries; "" if none names half of the list."""
    cited: dict[str, set[str]] = {}
    for form, marker in markers:
        cited.setdefault(form, set()).update(marker.keys)
    form = max(cited, key=lambda form: len(cited[form]), default="")
    is_clear = form and listed and len(cited[form]) >= _LEAST_CITED * listed
    return form if is_clear else ""


def _find_items(text: str, markers: Sequence[Marker]) -> Iterator[int]:
    """Yield where the items of lists in sentences start, such as "we (1) asked, (2) saw": behind
    punctuation or "and", with a word behind them, and the first with the second. A text that
    writes most of its markers behind punctuation has none."""
    behind = {
        marker.start
        for marker in markers
        if _ITEM_BEFORE.search(text, max(0, marker.start - 6), marker.start)
    }
    if len(behind) > _MOST_BEHIND * len(markers):
        return
    starts: dict[str, int] = {}
    for marker in markers:
        number = text[marker.start + 1 : marker.end - 1]
        if not number.isdecimal() or not _WORD_BEHIND.match(text, marker.end):
            continue
        before = starts.get(str(int(number) - 1), -_LONGEST_ITEM)
        is_next = marker.start - before < _LONGEST_ITEM
        if marker.start in behind and (number == "1" or is_next):
            yield marker.start
            if number == "2":
                yield before
        starts[number] = marker.start


def _make_acronym(group: str) -> str:
    """Return the capitals with which words of a name begin, as in "WHO", in lower case; "" for
    a single one."""
    initials = "".join(word[0] for word in group.split() if word[0].isupper())
    return initials.lower() if len(initials) > 1 else ""


def _find_group(
    text: str, least: int, start: int, stop: int, names: dict[tuple[str, str], list[Reference]]
) -> int:
    """Return where a citation in a sentence starts, at `least` or behind: before its first name
    where the name of a listed group, such as "World Bread Organization (2010)", ends with it."""
    year = _YEAR.search(text, start, stop)
    if year is None or (text[start] in "([" and year.start() > start + 1):
        return start
    for word in _CAPITALISED.finditer(text, max(least, start - _LONGEST_GROUP), start):
        name = normalise_title(text[word.start() : year.start()])
        if (name, year[1] or "") in names:
            return word.start()
    return start


def _read_numbers(
    shown: str, labels: dict[str, list[Reference]]
) -> tuple[tuple[str, ...], tuple[str, ...], str]:
    keys: list[str] = []
    unknown: list[str] = []
    problems = []
    for first, last in _NUMBERS.findall(shown.translate(_SUPERSCRIPT)):
        begin, end = int(first), int(last or first)
        if begin > end or end - begin > LONGEST_RANGE:
            problems.append(f'the range "{first}–{last}" does not ascend')
            numbers = [first, last]
        else:
            numbers = [str(number) for number in range(begin, end + 1)]
        for number in numbers:
            fitting = labels.get(number, ())
            keys += [reference.key for reference in fitting]
            unknown += [] if fitting else [number]
    return tuple(dict.fromkeys(keys)), tuple(dict.fromkeys(unknown)), "; ".join(problems)


def _read_names(
    shown: str, names: dict[tuple[str, str], list[Reference]]
) -> tuple[tuple[str, ...], tuple[str, ...], str]:
    keys: list[str] = []
    unknown: list[str] = []
    problems: list[str] = []
    authors: list[str] = []
    written_names = ""
    position = 0
    for year in _YEAR.finditer(shown):
        between = shown[position : year.start()]
        position = year.end()
        if named := _read_authors(between, year[1] or "", names):
            authors, written_names = named, between
        if not authors:  # "in our oven (2001)"
            continue
        written = " ".join((*authors[:1], year[0]))
        fitting = names.get((authors[0], year[1] or ""), [])
        if 1 < len(fitting) <= _MOST_ALIKE and not year[2]:
            fitting = _narrow(fitting, authors, written_names) or fitting
        letters = [year[2] or ""]
        while further := _FURTHER.match(shown, position):
            letters.append(further[1])
            position = further.end()
        for letter in letters:
            at = ord(letter) - ord("a") if letter else 0
            if not fitting or at >= len(fitting):
                unknown.append(written)
            elif letter or len(fitting) == 1:
                keys.append(_choose_lettered(fitting, year[1], letter) or fitting[at].key)
            else:
                unknown.append(written)
                problems.append(f"{len(fitting)} references are {written}; none is chosen")
    return tuple(dict.fromkeys(keys)), tuple(dict.fromkeys(unknown)), "; ".join(problems)


def _read_authors(
    between: str, year: str, names: dict[tuple[str, str], list[Reference]]
) -> list[str]:
    """Return the surnames that a marker has before a year; those of the list where they are of two
    words, or the name of a group."""
    named = (name for name in _NAME.findall(between) if name.lower() not in _SKIPPED)
    authors = [normalise_surname(_GENITIVE.sub("", name.rpartition(" ")[2])) for name in named]
    for phrases in ([between], _BETWEEN_NAMES.split(between)) if authors else ():
        written = [phrase.strip(" ,;()[]") for phrase in phrases]
        whole = [normalise_surname(phrase) for phrase in written]
        whole = [name for name in whole if name and name not in _SKIPPED]
        if whole and (whole[0], year) in names:
            authors = whole
        # of "Lopes Krüger et al. 2016" where the list has "R Lopes Krüger"
        last = normalise_surname(next(filter(None, written), "").rpartition(" ")[2])
        if last in authors and (authors[0], year) not in names and (last, year) in names:
            authors = authors[authors.index(last) :]
    return authors


def _choose_lettered(fitting: Sequence[Reference], year: str, letter: str) -> str:
    """Return the key of the reference that has the letter behind its year, "2001a"; "" if none
    has, so that the order of the list decides."""
    dated = year + letter
    return next((each.key for each in fitting if letter and dated in each.text), "")


def _narrow(fitting: list[Reference], authors: list[str], written: str) -> list[Reference]:
    """Return the references whose authors are those that a marker names, as it writes them: the
    first ones where it leaves out some, and with the first one's initial where it has one."""
    narrowed = []
    are_some_left_out = _OTHERS.search(written) is not None
    initial = _FIRST_INITIAL.match(written)
    for reference in fitting:
        listed = list(map(normalise_surname, reference.publication.authors))
        has_more = len(listed) > len(authors) or _ET_AL.search(reference.text) is not None
        is_whole = has_more if are_some_left_out else len(listed) == len(authors) and not has_more
        given = next(iter(reference.publication.authors), "").partition(",")[2].strip()
        is_called_so = not initial or given.startswith(initial[1])
        if is_whole and is_called_so and all(name in listed for name in authors):
            narrowed.append(reference)
    return narrowed
