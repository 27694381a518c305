"""Citation markers in a text without mark-up, and the entries of its reference list that they name.

What a marker looks like is said in `citation_markers` and the two modules below it: numbers in
brackets or as superscripts, names and years in brackets, and names with years in running text. A
number names the entry with that label; in a list without labels, a number in square brackets names
the entry of that place. A name and a year name an entry if it alone has that first
author and that year; a letter behind the year, as in "2001b", chooses among several.
"""

import re
from collections.abc import Iterator, Sequence

from citespan.pipelines.corpus.publication import normalise_title
from citespan.pipelines.corpus.references import Reference
from citespan.pipelines.text.author_years import find_textual_citations
from citespan.pipelines.text.citation_markers import find_brackets
from citespan.pipelines.text.markers import Marker
from citespan.pipelines.text.reference_numbers import find_reference_numbers

_LONGEST_RANGE = 200
_MOST_ALIKE = 100  # references of one first author and year; no list has more
_SUPERSCRIPT = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻", "0123456789-")
_NUMBERS = re.compile(r"([1-9]\d{0,3})(?:\s?[-‐‑‒–—−⁻]\s?([1-9]\d{0,3}))?(?!\d)")
_YEAR = re.compile(r"((?:1[6-9]|20)\d\d)([a-z])?\b|\b(in\spress|submitted|n\.d\.)")
_FURTHER = re.compile(r"\s?(?:,|;|and|&)\s?([a-h])\b")
_NAME = re.compile(r"(?:(?:[Vv][ao]n|[Dd]e[nrls]?|[Dd]i|[Ll][ae])\s){0,3}[^\W\d_a-z][\w'’‐-]*")
_OTHERS = re.compile(r"\bal\b|colleagues|workers|others")
_SKIPPED = frozenset(("see", "e", "also", "reviewed", "in", "cf", "and"))


def find_written_markers(text: str, references: Sequence[Reference], end: int) -> Iterator[Marker]:
    """Yield the markers in `text[:end]`, in order and without overlap.

    Args:
        references: as in `Article.references`; without any, what markers name is unknown.
    """
    labels: dict[str, list[Reference]] = {}
    names: dict[tuple[str, str], list[Reference]] = {}
    for number, reference in enumerate(references, 1):
        labels.setdefault(reference.label or f"[{number}]", []).append(reference)
        publication = reference.publication
        names.setdefault((publication.first_author, str(publication.year or "")), []).append(
            reference
        )
    is_labelled = not references or any(reference.label for reference in references)
    last = 0
    found = dict.fromkeys(find_reference_numbers(text[:end]), "number")
    found |= dict.fromkeys(find_brackets(text[:end]), "bracket")
    found |= dict.fromkeys(find_textual_citations(text[:end]), "textual")
    for start, stop in sorted(found, key=lambda place: (place[0], -place[1])):
        if start < last:
            continue
        shown = text[start:stop]
        if found[start, stop] == "number" or not _YEAR.search(shown):
            if not is_labelled and not shown.startswith("["):
                continue
            keys, unknown, problem = _read_numbers(shown, labels, "{}" if is_labelled else "[{}]")
        else:
            keys, unknown, problem = _read_names(shown, names)
        if keys or unknown:
            yield Marker(start, stop, keys, unknown, 0, problem)
            last = stop


def _read_numbers(
    shown: str, labels: dict[str, list[Reference]], called: str
) -> tuple[tuple[str, ...], tuple[str, ...], str]:
    keys: list[str] = []
    unknown: list[str] = []
    problems = []
    for first, last in _NUMBERS.findall(shown.translate(_SUPERSCRIPT)):
        begin, end = int(first), int(last or first)
        if begin > end or end - begin > _LONGEST_RANGE:
            problems.append(f'the range "{first}–{last}" does not ascend')
            numbers = [first, last]
        else:
            numbers = [str(number) for number in range(begin, end + 1)]
        for number in numbers:
            fitting = labels.get(called.format(number), ())
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
    position = 0
    for year in _YEAR.finditer(shown):
        between = shown[position : year.start()]
        position = year.end()
        if named := [name for name in _NAME.findall(between) if name.lower() not in _SKIPPED]:
            authors = [normalise_title(name.rpartition(" ")[2]) for name in named]
        written = " ".join((*authors[:1], year[0]))
        fitting = names.get((authors[0] if authors else "", year[1] or ""), [])
        if 1 < len(fitting) <= _MOST_ALIKE and not year[2]:
            fitting = _narrow(fitting, authors, _OTHERS.search(between) is not None) or fitting
        letters = [year[2] or ""]
        while further := _FURTHER.match(shown, position):
            letters.append(further[1])
            position = further.end()
        for letter in letters:
            at = ord(letter) - ord("a") if letter else 0
            if not fitting or at >= len(fitting):
                unknown.append(written)
            elif letter or len(fitting) == 1:
                keys.append(fitting[at].key)
            else:
                unknown.append(written)
                problems.append(f"{len(fitting)} references are {written}; none is chosen")
    return tuple(dict.fromkeys(keys)), tuple(dict.fromkeys(unknown)), "; ".join(problems)


def _narrow(
    fitting: list[Reference], authors: list[str], are_some_left_out: bool
) -> list[Reference]:
    """Return the references whose authors are those that a marker names, the first ones of them
    where it leaves out some."""
    narrowed = []
    for reference in fitting:
        listed = [normalise_title(one.partition(",")[0]) for one in reference.publication.authors]
        is_whole = are_some_left_out or len(listed) == len(authors)
        if is_whole and all(name in listed for name in authors):
            narrowed.append(reference)
    return narrowed
