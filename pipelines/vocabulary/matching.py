"""Which concepts a text names, by greedy longest match (Cohan et al. 2015, section 2.3.2).

From left to right, the longest run of tokens that is a term of the vocabulary is a match, and
the search continues behind it. Punctuation and stop words don't count, as in the index, but where
only they distinguish a term from another (`spelling`).

A term may belong to several concepts. One is chosen, always the same, by the first of these
rules that decides:
1. A term with capitals inside its words is an acronym, and goes with such a text; one without
   goes with a text without ("CAT" is not a cat, and "cat" is no tomography).
2. A concept whose preferred name the term is.
3. The source that comes earlier in the filter, or in the vocabulary if the filter names none.
4. The concept of more terms in the vocabulary, as the better known.
5. The lower CUI.
"""

import re
from bisect import bisect_right
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from itertools import accumulate
from typing import NamedTuple

from citespan.pipelines.vocabulary.normalise import is_acronym, normalise
from citespan.pipelines.vocabulary.spelling import Spelling
from citespan.pipelines.vocabulary.store import Concept, Vocabulary
from citespan.pipelines.vocabulary.store_format import (
    ACRONYM,
    ANY_WRITING,
    PREFERRED,
    concept_of,
    source_of,
    writing_of,
)
from citespan.pipelines.vocabulary.terms import ConceptFilter

_CACHED = 1 << 12  # more gains nothing on articles, and costs where hardly a term comes twice
SHORTEST = 3
"""Least number of characters of a match. Shorter ones ("ES", "O2", "bp") were wrong nine times of
ten on CRAFT's training part: most are the "al" of "et al.", a unit, or the number of a figure.
Matching those that are written exactly as the term is lowers F1 too, unless units, titles and
figures are excluded one by one."""

_Postings = tuple[int, ...]
_Writings = tuple[tuple[Spelling | None, _Postings], ...]
"""The postings of a key that count, by how their terms are written; None where that doesn't
matter."""


class Match(NamedTuple):
    """A run of words that names a concept.

    Attributes:
        start, end: character offsets in the text.
        text: the words there.
        number: of the concept chosen, in the vocabulary.
        other_numbers: of those that the words may name too, the better first.
        vocabulary: in which they are looked up when they are asked for.
    """

    start: int
    end: int
    text: str
    number: int
    other_numbers: tuple[int, ...]
    vocabulary: Vocabulary

    @property
    def concept(self) -> Concept:
        """The concept chosen."""
        return self.vocabulary.concept(self.number)

    @property
    def others(self) -> tuple[str, ...]:
        """CUIs of those that the words may name too."""
        return tuple(self.vocabulary.concept(number).cui for number in self.other_numbers)


class Matcher:
    """Finds the concepts of one vocabulary, as far as a filter lets their terms count.

    Raises:
        UnknownNameError: if the vocabulary lacks a source or semantic type of the filter.
    """

    def __init__(self, vocabulary: Vocabulary, filter: ConceptFilter) -> None:  # noqa: A002
        self.vocabulary = vocabulary
        self.filter = filter
        names = list(vocabulary.sources)
        trusted = vocabulary.sources_of(filter)
        self._source_ranks = {names.index(name): rank for rank, name in enumerate(trusted)}
        self._types = vocabulary.types_in(filter)
        self._longest = vocabulary.header.longest
        self._all_count = self._types is None and len(trusted) == len(names)
        self._writings = lru_cache(maxsize=_CACHED)(self._find_writings)
        self._spelling = lru_cache(maxsize=_CACHED)(self._find_spelling)
        self._ranked = lru_cache(maxsize=_CACHED)(self._rank)

    def matches(self, text: str) -> list[Match]:
        """Return the greedy longest matches, left to right, not overlapping."""
        tokens = normalise(text)
        keys_from = self._keys_from([key for key, _, _ in tokens])
        found: list[Match] = []
        place = 0
        while place < len(tokens):
            for key, key_number in reversed(keys_from(place)):
                writings = self._writings(key_number)
                if not writings:
                    continue
                behind = place + key.count(" ")
                start, end = tokens[place][1], tokens[behind - 1][2]
                spelling, postings = writings[0]
                if spelling or len(writings) > 1:
                    free = found[-1].end if found else 0
                    start, end, postings = _as_spelt(writings, text, free, start, end)
                if not postings or end - start < SHORTEST:
                    continue
                words = text[start:end]
                number, *others = self._choices(postings, words)
                found.append(Match(start, end, words, number, tuple(others), self.vocabulary))
                place = behind
                break
            else:
                place += 1
        return found

    def _find_spelling(self, writing: int) -> Spelling:
        return Spelling(self.vocabulary.writings[writing])

    def occurring(self, tokens: list[str]) -> set[int]:
        """Return the numbers of all concepts with a term anywhere in a text, be it inside another
        or across several.

        Args:
            tokens: the text's keys.
        """
        keys_from = self._keys_from(tokens)
        return {
            concept_of(posting)
            for place in range(len(tokens))
            for _, number in keys_from(place)
            for _, postings in self._writings(number)
            for posting in postings
        }

    def _keys_from(self, tokens: list[str]) -> Callable[[int], list[tuple[str, int]]]:
        """For a place among the tokens, the vocabulary's keys that begin there with their numbers,
        the shortest first."""
        starts = [0, *accumulate(len(token) + 1 for token in tokens)]
        ends = starts[self._longest :] + starts[-1:] * self._longest
        joined = " ".join([*tokens, ""])
        keys_at = self.vocabulary.keys_at
        return lambda place: keys_at(joined[starts[place] : ends[place]], tokens[place])

    def _find_writings(self, key: int) -> _Writings:
        postings = self.vocabulary.postings(key)
        if not self._all_count:
            postings = list(filter(self._counts, postings))
        if not any(map(ANY_WRITING.__and__, postings)):
            return ((None, tuple(postings)),) if postings else ()
        by_writing: dict[int, list[int]] = {}
        for posting in postings:
            by_writing.setdefault(writing_of(posting), []).append(posting)
        return tuple(
            (self._spelling(writing) if writing else None, tuple(theirs))
            for writing, theirs in by_writing.items()
        )

    def _counts(self, posting: int) -> bool:
        if self._types is not None:
            types = self.vocabulary.type_set(concept_of(posting))
            if types not in self._types:
                return False
        if posting & PREFERRED and self.filter.preferred:
            return True
        return source_of(posting) in self._source_ranks

    def _choices(self, postings: _Postings, words: str) -> tuple[int, ...]:
        """Return the numbers of the concepts that the words may name, first the one chosen."""
        if len(postings) == 1:
            return (concept_of(postings[0]),)
        return self._ranked(postings, is_acronym(words))

    def _rank(self, postings: _Postings, acronym: bool) -> tuple[int, ...]:
        """Return the concepts in the order of the rules; they are numbered in the order of CUIs."""
        ranks: dict[int, tuple[bool, bool, int]] = {}
        for posting in postings:
            rank = (
                bool(posting & ACRONYM) != acronym,
                not posting & PREFERRED,
                self._source_ranks.get(source_of(posting), len(self._source_ranks)),
            )
            number = concept_of(posting)
            ranks[number] = min(rank, ranks.get(number, rank))
        if len(set(ranks.values())) == len(ranks):
            return tuple(sorted(ranks, key=ranks.__getitem__))

        def with_fame(number: int) -> tuple[tuple[bool, bool, int], int, int]:
            return ranks[number], -self.vocabulary.concept(number).terms, number

        return tuple(sorted(ranks, key=with_fame))


def _as_spelt(
    writings: _Writings, text: str, free: int, start: int, end: int
) -> tuple[int, int, _Postings]:
    """Return the widest place from `free` on where terms of one key stand, and their postings."""
    standing: dict[tuple[int, int], _Postings] = {}
    for spelling, postings in writings:
        place = spelling.place(text, start, end) if spelling else (start, end)
        if place and place[0] >= free:
            standing[place] = standing.get(place, ()) + postings
    if not standing:
        return start, end, ()
    start, end = max(standing, key=lambda place: (place[1] - place[0], -place[0]))
    return start, end, standing[start, end]


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
    for abbreviation in written:
        pieces += (text[last : abbreviation.start], abbreviation.long)
        start = end + abbreviation.start - last
        end, last = start + len(abbreviation.long), abbreviation.end
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
