"""Matching with abbreviations: a short form stands for the concept of its long form."""

import re
from bisect import bisect_right
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from citespan.pipelines.vocabulary.matching import Match, Matcher


@dataclass(frozen=True, slots=True)
class _Written:
    """A short form at `text[start:end]`, and what it stands for."""

    start: int
    end: int
    long: str


def match_with_abbreviations(
    matcher: Matcher, text: str, abbreviations: Mapping[str, str]
) -> list[Match]:
    """Find what `matcher` finds in `text`, with each short form read as its long form too.

    Long forms are written out, so that a greedy longest match reaches across them: with AD for
    "Alzheimer disease", "late AD" can be "late Alzheimer disease". Both readings are matched,
    and from left to right the longest match counts; of two of the same words that of the long
    form, as the text's own definition. A match that covers only part of a long form is none:
    the "bone" of a "bone morphogenetic protein" is not what BMP says.

    Args:
        text: the citance.
        abbreviations: short form to long form, as `text.abbreviations` finds them
            of the article and the citance. A short form counts where it stands between
            characters that are neither letters nor digits, in the same capitals, also with the
            s of the plural.

    Returns:
        Matches in order, without overlap; offsets and `text` are those of the text given.
    """
    as_written = matcher.matches(text)
    written = _written(text, abbreviations)
    if not written:
        return as_written
    expanded, places = _expand(text, written)
    written_out = [
        match._replace(start=start, end=end, text=text[start:end])
        for match in matcher.matches(expanded)
        for start, end in _in_original(match, expanded, written, places)
    ]
    either = sorted([*written_out, *as_written], key=lambda match: (match.start, -match.end))
    found: list[Match] = []
    for match in either:
        if not found or match.start >= found[-1].end:
            found.append(match)
    return found


def _written(text: str, abbreviations: Mapping[str, str]) -> list[_Written]:
    known = {_singular(short): long for short, long in abbreviations.items()}
    known.update(abbreviations)
    present = sorted((short for short in known if short in text), key=len, reverse=True)
    if not present:
        return []
    choices = "|".join(map(re.escape, present))
    pattern = re.compile(rf"(?<![^\W_])({choices})s?(?![^\W_])")
    return [_Written(m.start(), m.end(), known[m[1]]) for m in pattern.finditer(text)]


def _singular(short: str) -> str:
    """MSC of MSCs; a small s after a capital or digit is the plural's."""
    before = short[-2:-1]
    return short[:-1] if short.endswith("s") and (before.isupper() or before.isdigit()) else short


def _expand(text: str, written: list[_Written]) -> tuple[str, list[tuple[int, int]]]:
    """Return the text with long forms written out, and where in it these are."""
    pieces: list[str] = []
    places: list[tuple[int, int]] = []
    end = last = 0
    for one in written:
        pieces += (text[last : one.start], one.long)
        start = end + one.start - last
        end, last = start + len(one.long), one.end
        places.append((start, end))
    pieces.append(text[last:])
    return "".join(pieces), places


def _in_original(
    match: Match, expanded: str, written: list[_Written], places: list[tuple[int, int]]
) -> Iterator[tuple[int, int]]:
    """Yield the match's place in the text as written; none for a part of a long form."""
    first = bisect_right(places, match.start, key=lambda place: place[1])
    last = bisect_right(places, match.end - 1, key=lambda place: place[0]) - 1
    start, end = match.start, match.end
    if first <= last:
        outside = expanded[places[first][0] : start] + expanded[end : places[last][1]]
        if any(map(str.isalnum, outside)):
            return
    yield _original(start, written, places), _original(end - 1, written, places, 1)


def _original(
    place: int, written: list[_Written], places: list[tuple[int, int]], after: int = 0
) -> int:
    """Return where a character of the expanded text, or (`after` 1) the place behind it, is in the
    text as written."""
    number = bisect_right(places, place, key=lambda start_end: start_end[0]) - 1
    if number < 0:
        return place + after
    if place < places[number][1]:
        return written[number].end if after else written[number].start
    return written[number].end + place - places[number][1] + after
