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

from collections.abc import Callable
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
