"""The citation markers of an article, and the entries of its reference list that they name.

In an article whose mark-up links markers to its reference list, a marker is a link, or several that
stand together: "[3–5,9]", "(Okada 1999; Smith et al. 2001)". The mark-up of a range links its two
ends; the references between them are cited too. Those of a text without mark-up are found by
`written_markers`.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from citespan.pipelines.citing.marker_patterns import is_citation
from citespan.pipelines.corpus.references import Link, Reference

DASH = r"[-‐‑‒–—−]"
_LONGEST_GAP = 80
LONGEST_RANGE = 200
LONGEST_BRACKET = 1000
_CLOSE = {"(": ")", "[": "]"}
_TOGETHER = re.compile(
    rf"\s{{0,3}}[\])]?\s{{0,3}}(?:[,;/&+]|{DASH}|,?\s?(?:and|or|to|through)\s|,\s?&)?\s{{0,3}}[\[(]?\s{{0,3}}"
)
_NAMES = re.compile(
    r"\s?[,;]\s(?>(?:and|&|et|al\.?|de[nrls]?|v[ao]n|d[aiou]s?|l[ae]|te[rn]?|[A-Z][\w.'’‐-]*)[,;]?\s?)+"
)
_RANGE = re.compile(rf"\s{{0,3}}\]?{DASH}\[?\s{{0,3}}")
_NUMBER = re.compile(r"\W{0,3}([1-9]\d{0,3})[a-z]?\W{0,3}")
_RANGE_IN_LINK = re.compile(rf"\W{{0,3}}([1-9]\d{{0,3}})\s?{DASH}\s?([1-9]\d{{0,3}})\W{{0,3}}")


@dataclass(frozen=True, slots=True)
class Marker:
    """A place in an article's text that cites.

    Attributes:
        start, end: `text[start:end]`, with the brackets that hold nothing else.
        keys: of the references that it cites, in order, each once.
        unknown: what it names and the reference list does not have.
        links: how many links of the mark-up it is made of; 0 where there is no mark-up.
        problem: what is wrong with it, in one line; "" for nothing.
    """

    start: int
    end: int
    keys: tuple[str, ...]
    unknown: tuple[str, ...] = ()
    links: int = 0
    problem: str = ""


def group_links(
    text: str, links: Sequence[Link], references: Sequence[Reference]
) -> Iterator[Marker]:
    """Yield the markers that the links of a text make, in order.

    Args:
        links: as in `Article.links`.
        references: as in `Article.references`.
    """
    places: dict[str, list[int]] = {}
    for number, reference in enumerate(references):
        for name in dict.fromkeys((*reference.names, reference.key)):
            places.setdefault(name, []).append(number)
    group: list[Link] = []
    for link in links:
        if group and not _is_together(text[group[-1].end : link.start]):
            yield _make_marker(text, group, references, places)
            group = []
        group.append(link)
    if group:
        yield _make_marker(text, group, references, places)


def _is_together(between: str) -> bool:
    if len(between) > _LONGEST_GAP or "\n" in between:
        return False
    return bool(_TOGETHER.fullmatch(between) or _NAMES.fullmatch(between))


def _make_marker(
    text: str, group: Sequence[Link], references: Sequence[Reference], places: dict[str, list[int]]
) -> Marker:
    cited: list[int] = []
    unknown: list[str] = []
    problems: list[str] = []
    before: Link | None = None
    for link in group:
        shown = text[link.start : link.end]
        found = [place for name in link.names for place in places.get(name, ())]
        unknown += [name for name in link.names if name not in places]
        if not link.names:
            unknown.append(shown)
        between = text[before.end : link.start] if before is not None else ""
        if before is not None and found and cited and _RANGE.fullmatch(between):
            ends = text[before.start : before.end], shown
            if all(_NUMBER.fullmatch(end) for end in ends):
                filled = _fill(cited[-1], found[0])
                if filled is None:
                    problems.append(f'the range "{ends[0]}–{ends[1]}" does not ascend')
                cited += filled or ()
        elif found and (written := _RANGE_IN_LINK.fullmatch(shown)):
            found, problem = _read_range(found, int(written[1]), int(written[2]), references)
            problems += [problem] if problem else []
        cited += found
        before = link
    start, end = _widen(text, group[0].start, group[-1].end)
    return Marker(
        start,
        end,
        tuple(dict.fromkeys(references[place].key for place in cited)),
        tuple(dict.fromkeys(unknown)),
        len(group),
        "; ".join(problems),
    )


def _fill(first: int, last: int) -> range | None:
    """Return the places between two of the reference list; None if they don't ascend, or are
    further apart than any range."""
    return range(first + 1, last) if first < last <= first + LONGEST_RANGE else None


def _read_range(
    found: list[int], first: int, last: int, references: Sequence[Reference]
) -> tuple[list[int], str]:
    """Return the places of a range that one link shows, and what is wrong with it."""
    if not first < last <= first + LONGEST_RANGE:
        is_years = first > len(references) and last > len(references)
        return found, "" if is_years else f'the range "{first}–{last}" does not ascend'
    reference = references[found[0]]
    number = int(reference.label) if reference.label.isdecimal() else found[0] + 1
    if len(found) == 1 and number == first and found[0] + last - first < len(references):
        return list(range(found[0], found[0] + last - first + 1)), ""
    if len(found) > 1 and (between := _fill(found[0], found[-1])) is not None:
        return [found[0], *between, *found[1:]], ""
    return found, ""


def _widen(text: str, start: int, end: int) -> tuple[int, int]:
    """Take in the brackets around a marker if there is nothing but citations in them."""
    before = text[max(0, start - LONGEST_BRACKET) : start]
    opening = max(before.rfind("("), before.rfind("["))
    if opening < 0:
        return start, end
    bracket = before[opening]
    closing = text.find(_CLOSE[bracket], end, end + LONGEST_BRACKET)
    if closing < 0:
        return start, end
    first = start - len(before) + opening
    around = text[first + 1 : start].strip(), text[end:closing].strip()
    if not any(around) or is_citation(text[first + 1 : closing]):
        return first, closing + 1
    return start, end
