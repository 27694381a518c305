"""Which concepts a text names, by greedy longest match (Cohan et al. 2015, section 2.3.2).

From left to right, the longest run of tokens that is a term of the vocabulary is a match, and
the search goes on behind it. Punctuation and stop words don't count, as in the index, but where
a term is told from another by them (`spelling`).

A term may belong to several concepts. One is chosen, always the same, by the first of these
rules that decides:
1. A term with capitals inside its words is an acronym, and goes with such a text; one without
   goes with a text without ("CAT" is not a cat, and "cat" is no tomography).
2. A concept whose preferred name the term is.
3. The source that comes earlier in the filter, or in the vocabulary if the filter names none.
4. The concept of more terms in the vocabulary, as the better known.
5. The lower CUI.
"""

from bisect import insort
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from itertools import accumulate

from citespan.pipelines.vocabulary.concept_filter import ConceptFilter
from citespan.pipelines.vocabulary.normalise import is_acronym, keys, normalise
from citespan.pipelines.vocabulary.spelling import Spelling
from citespan.pipelines.vocabulary.store import ConceptHead, Vocabulary
from citespan.pipelines.vocabulary.store_format import ACRONYM, PREFERRED, SPELT, source_of

_CACHED = 1 << 15
SHORTEST = 3
"""Characters of a match; shorter ones were wrong nine times of ten on CRAFT's training part."""


@dataclass(frozen=True, slots=True)
class Concept:
    """A concept of a vocabulary.

    Attributes:
        number: in this vocabulary.
        cui: its identifier.
        preferred: its preferred name.
        source: of the preferred name.
        semantic_types: as identifiers or names.
    """

    number: int
    cui: str
    preferred: str
    source: str
    semantic_types: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Match:
    """A run of words that names a concept.

    Attributes:
        start, end: character offsets in the text.
        text: the words there.
        concept: the one chosen.
        others: CUIs of those that the words may name too.
    """

    start: int
    end: int
    text: str
    concept: Concept
    others: tuple[str, ...]


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
        self._any_order = vocabulary.header.word_order == "any"
        self._counting = lru_cache(maxsize=_CACHED)(self._find_counting)
        self._spellings = lru_cache(maxsize=_CACHED)(self._find_spellings)
        self._choice = lru_cache(maxsize=_CACHED)(self._find_choice)

    def matches(self, text: str) -> list[Match]:
        """The greedy longest matches, left to right, not overlapping."""
        tokens = normalise(text)
        windows = self._windows([key for key, _, _ in tokens])
        found: list[Match] = []
        place = 0
        while place < len(tokens):
            for key in reversed(windows(place)):
                if postings := self._counting(key):
                    behind = place + key.count(" ")
                    start, end = tokens[place][1], tokens[behind - 1][2]
                    if self._spellings(key):
                        free = found[-1].end if found else 0
                        start, end, postings = self._as_spelt(key, text, free, start, end)
                    if not postings or end - start < SHORTEST:
                        continue
                    words = text[start:end]
                    concept, others = self._choice(postings, is_acronym(words))
                    found.append(Match(start, end, words, concept, others))
                    place = behind
                    break
            else:
                place += 1
        return found

    def _as_spelt(
        self, key: str, text: str, free: int, start: int, end: int
    ) -> tuple[int, int, tuple[int, ...]]:
        """The widest place from `free` on where terms of that key stand, and their postings."""
        standing: dict[tuple[int, int], list[int]] = {}
        for spelling, postings in self._spellings(key):
            place = spelling.place(text, start, end) if spelling else (start, end)
            if place and place[0] >= free:
                there = standing.setdefault(place, [])
                there += [posting for posting in postings if posting not in there]
        if not standing:
            return start, end, ()
        start, end = max(standing, key=lambda place: (place[1] - place[0], -place[0]))
        return start, end, tuple(standing[start, end])

    def _find_spellings(self, key: str) -> tuple[tuple[Spelling | None, tuple[int, ...]], ...]:
        """The postings of a key by how their terms are written, None for those of which that
        doesn't matter; empty if it matters of none."""
        postings = self._counting(key)
        spelt: dict[str, list[int]] = {}
        first = key.partition(" ")[0]
        beginning = first[: max(1, len(first) - 1)]  # which a plural has too
        for posting in {posting for posting in postings if posting & SPELT}:
            for term in self.vocabulary.record(posting >> 32).terms:
                text = term.text
                # a key costs more than a look whether this can be its term
                may_be = not text.isascii() or beginning in text.lower()
                if may_be and self._key_of(text) == key:
                    spelt.setdefault(text, []).append(posting)
        if not spelt:
            return ()
        plain = tuple(posting for posting in postings if not posting & SPELT)
        spellings = ((Spelling(text), tuple(theirs)) for text, theirs in spelt.items())
        return ((None, plain), *(one for one in spellings if one[0].matters))

    def _key_of(self, text: str) -> str:
        tokens = sorted(keys(text)) if self._any_order else keys(text)
        return " ".join([*tokens, ""])

    def occurring(self, text: str) -> set[int]:
        """The numbers of all concepts with a term anywhere in the text, be it inside another or
        across several."""
        tokens = keys(text)
        windows = self._windows(tokens)
        return {
            posting >> 32
            for place in range(len(tokens))
            for key in windows(place)
            for posting in self._counting(key)
        }

    def _windows(self, tokens: list[str]) -> Callable[[int], list[str]]:
        """For a place among the tokens, the keys that begin there and may be the vocabulary's,
        the shortest first."""
        if self._any_order:
            return lambda place: _sorted_windows(tokens[place : place + self._longest])
        starts = [0, *accumulate(len(token) + 1 for token in tokens)]
        ends = starts[self._longest :] + starts[-1:] * self._longest
        joined = " ".join([*tokens, ""])
        keys_at = self.vocabulary.keys_at
        return lambda place: keys_at(joined[starts[place] : ends[place]], tokens[place])

    def _find_counting(self, key: str) -> tuple[int, ...]:
        """The postings of a key that pass the filter."""
        return tuple(filter(self._counts, self.vocabulary.postings(key)))

    def _counts(self, posting: int) -> bool:
        if self._types is not None and self.vocabulary.type_set(posting >> 32) not in self._types:
            return False
        if posting & PREFERRED and self.filter.preferred:
            return True
        return source_of(posting) in self._source_ranks

    def _find_choice(
        self, postings: tuple[int, ...], acronym: bool
    ) -> tuple[Concept, tuple[str, ...]]:
        """The concept that the rules choose, and the CUIs of the others, the better first."""
        if len(postings) == 1:
            number = postings[0] >> 32
            return _concept(number, self.vocabulary.head(number)), ()
        heads = {number: self.vocabulary.head(number) for number in {one >> 32 for one in postings}}

        def rank(posting: int) -> tuple[bool, bool, int, int, str]:
            head = heads[posting >> 32]
            return (
                bool(posting & ACRONYM) != acronym,
                not posting & PREFERRED,
                self._source_ranks.get(source_of(posting), len(self._source_ranks)),
                -head.terms,
                head.cui,
            )

        best, *others = dict.fromkeys(posting >> 32 for posting in sorted(postings, key=rank))
        return _concept(best, heads[best]), tuple(heads[number].cui for number in others)


def _concept(number: int, head: ConceptHead) -> Concept:
    return Concept(number, head.cui, head.preferred, head.source, head.semantic_types)


def _sorted_windows(tokens: list[str]) -> list[str]:
    """The first token, the first two, and so on, the tokens of each sorted."""
    sorted_tokens: list[str] = []
    windows = []
    for token in tokens:
        insort(sorted_tokens, token)
        windows.append(" ".join([*sorted_tokens, ""]))
    return windows
