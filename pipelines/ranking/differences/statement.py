"""A statement as it is compared with another: its words, numbers, directions and negations."""

import re
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import pairwise, takewhile
from typing import Final, NamedTuple

from citespan.pipelines.ranking.differences.lexicon import (
    NOUN_NEGATORS,
    SYNONYMS,
    Sense,
    find_groups,
    find_senses,
    is_negator,
)
from citespan.pipelines.ranking.differences.numbers import Number, find_numbers, lower
from citespan.pipelines.ranking.short_forms import NO_SHORT_FORMS, ShortForms
from citespan.pipelines.text.lucene import unify
from citespan.pipelines.text.nltk_import import load_stemmer
from citespan.pipelines.text.words import is_stop_word

MOST_WORDS: Final = 600
"""Of one statement; further ones are not read."""
_AROUND: Final = 4  # content words on each side that are a word's surroundings
_SCOPE: Final = 6  # words that a negator reaches
_SHORT_SCOPE: Final = 3  # what "lack of" and the like reach
_LONG_SCOPE: Final = 14  # what "neither … nor …" reach, past commas
_SHOWN: Final = 8  # words that a negator is shown with at most
_WORD: Final = re.compile(
    r"\d++(?>(?:[.,·]\d++)*)|[^\W\d_]++(?>(?:['’][^\W\d_]++)?(?:-?\d++)*)|[.,;:()%<>=!?]"
)
_OBJECT: Final = 5  # words beside a verb that may be its object
_BEHIND_NOUNS: Final = frozenset(  # words before which nouns that belong together end
    (
        *("after", "among", "at", "before", "between", "by", "during", "for", "from", "in", "of"),
        *("on", "than", "that", "to", "when", "which", "who", "with", "within", "without", "and"),
    )
)
_BUT: Final = frozenset(("but", "though", "although"))
_LEFT_OUT: Final = 7  # words behind "but not"
_LESS: Final = frozenset(("less", "fewer", "lower", "least", "fewest", "reduced", "decreased"))
_LESS_OFTEN: Final = frozenset(("less", word) for word in ("often", "frequently", "likely"))
_COMPARATIVES: Final = frozenset(
    ("better", "worse", "more", "less", "fewer", "greater", "higher", "lower", "larger", "smaller")
)
ENDS: Final = frozenset((".", ";", ":", "!", "?", "but", "although", "however", "whereas", "while"))
"""Words and signs at which what stands before ends."""
_SENTENCE: Final = re.compile(r"(?<=[.!?])\s+(?=[A-Z0-9(\[\"“])")


_NO = r"(?:\b(?:no|not|neither|without|little|lacks?|fail(?:s|ed|ing)? to)|n['’]t)"
_OUTCOME = (
    r"(?:differ|effect|affect|impact|associat|relat|correlat|chang|influenc|benefi|improv|increas|"
    r"reduc|significan|evidence|link|alter|role)"
)
_NULL: Final = re.compile(
    rf"(?:{_NO}\b(?:[ -][^\W_]{{1,20}}){{0,4}}[ -]{_OUTCOME}|\b(?:similar|comparable|unchanged|"
    r"unaffected|unrelated|equal|same|nonsignificant|independent|equivalent to|"
    r"(?:be|been|is|are|was|were) equivalent))[^\W_]*+"
)

_ASKS: Final = re.compile(
    r"\b(?:whether|hypothe[sz]i[sz]ed?|(?:aim(?:ed|s)?|goal|objectives?|purpose) (?:is|of|to|was)"
    r"|to (?:assess|compare|determine|evaluate|examine|explore|investigate|study|test)"
    r"|(?:analysis|authors|stud(?:ies|y)|trials?|we) (?:[a-z]{1,12} ){0,3}"
    r"(?:assessed|compared|evaluated|examined|explored|investigated|studied|tested))\b"
)
_ANSWERS: Final = re.compile(
    r"\b(?:conclude|demonstrat|found|observed|revealed|show|significan|suggest)|p ?[<=>]|\d%"
)


class Word(NamedTuple):
    """A word in lower case with its offsets.

    Attributes:
        key: its stem; "" for function words and signs.
        negated: whether a negator before reaches it.
    """

    text: str
    start: int
    end: int
    key: str
    negated: bool
    senses: tuple[Sense, ...]

    @property
    def span(self) -> tuple[int, int]:
        """(start, end)."""
        return self.start, self.end


class Cue(NamedTuple):
    """A word on one side of a scale.

    Attributes:
        side: 1 or -1, the other one where it is negated.
    """

    place: int
    side: int
    negated: bool


@dataclass(frozen=True, eq=False)
class Statement:
    """A sentence or clause.

    Attributes:
        offset: of its text in what it is a part of.
    """

    text: str
    words: Sequence[Word]
    offset: int = 0

    @cached_property
    def places(self) -> dict[str, list[int]]:
        """The places of each content word, by its stem."""
        found: dict[str, list[int]] = {}
        for place, word in enumerate(self.words):
            if word.key:
                found.setdefault(word.key, []).append(place)
        return found

    @cached_property
    def cues(self) -> dict[str, list[Cue]]:
        """The cues on each scale."""
        found: dict[str, list[Cue]] = {}
        for place, word in enumerate(self.words):
            for sense in word.senses:
                side = -sense.side if word.negated else sense.side
                if sense.scale == "value" and self._is_lessened(place):
                    side = -side
                found.setdefault(sense.scale, []).append(Cue(place, side, word.negated))
        return found

    def _is_lessened(self, place: int) -> bool:
        """Whether there is less of what a word says: "fewer failures", "fails less often"."""
        before = self.words[place - 1].text if place else ""
        behind = [word.text for word in self.words[place + 1 : place + 4]]
        return before in _LESS or any(pair in _LESS_OFTEN for pair in pairwise(behind))

    @cached_property
    def numbers(self) -> list[Number]:
        """See `find_numbers`."""
        return find_numbers(self.text)

    @cached_property
    def negators(self) -> list[int]:
        """The places of words that negate others."""
        return [place for place, word in enumerate(self.words) if is_negator(word.text)]

    @cached_property
    def exceptions(self) -> list[tuple[int, int]]:
        """The places (first, last + 1) of what "but not" leaves out: "but not in boys"."""
        found = []
        for place in self.negators:
            if self.words[place].text == "not" and self.words[place - 1].text in _BUT:
                behind = takewhile(_is_not_the_end, self.words[place + 1 : place + 1 + _LEFT_OUT])
                if size := len(list(behind)):
                    found.append((place + 1, place + 1 + size))
        return found

    @cached_property
    def written(self) -> list[Word]:
        """Its words and signs outside of brackets, without what short forms stand for."""
        lowered, depth, found = lower(self.text), 0, []
        for word in self.words:
            depth += (word.text == "(") - (word.text == ")")
            if depth <= 0 and word.text != ")" and word.text == lowered[word.start : word.end]:
                found.append(word)
        return found

    @cached_property
    def populations(self) -> list[tuple[tuple[str, str], int]]:
        """The groups of people or animals that it names, each with its place."""
        return [
            (group, place)
            for place, word in enumerate(self.words)
            for group in find_groups(word.text)
        ]

    @cached_property
    def nulls(self) -> list[tuple[int, int]]:
        """Where it says "no effect", "did not differ", "similar" or the like."""
        return [found.span() for found in _NULL.finditer(lower(self.text))]

    @property
    def asks(self) -> bool:
        """Whether it says what is studied, and not what was found."""
        lowered = lower(self.text)
        return _ASKS.search(lowered) is not None and not _ANSWERS.search(lowered)

    @property
    def null(self) -> tuple[int, int] | None:
        """The first of these places; None if there is none."""
        return next(iter(self.nulls), None)

    def find_object(self, place: int) -> list[str]:
        """Return the stems of what a verb or noun of effect is about: "pulse wave velocity" in "it
        reduced pulse wave velocity within days" and in "pulse wave velocity was reduced"."""
        start = place + 1
        if start < len(self.words) and self.words[start].text in ("in", "of", "on"):
            start += 1
        after = self.words[start : start + _OBJECT]
        before = self.words[max(0, place - _OBJECT) : place][::-1]
        found = ([w.key for w in takewhile(_goes_on, near) if w.key] for near in (after, before))
        return next(filter(None, found), [])

    @cached_property
    def _contents(self) -> list[int]:
        return [place for place, word in enumerate(self.words) if word.key]

    @cached_property
    def _surroundings(self) -> dict[int, frozenset[str]]:
        return {}

    def find_surroundings(self, place: int) -> frozenset[str]:
        """Return the stems of the four content words on each side of a place."""
        found = self._surroundings.get(place)
        if found is None:
            at = bisect_left(self._contents, place)
            near = self._contents[max(0, at - _AROUND) : at + _AROUND + 1]
            found = frozenset(self.words[beside].key for beside in near if beside != place)
            self._surroundings[place] = found
        return found

    def find_span(self, place: int) -> tuple[int, int]:
        """Return (start, end) of a word, from the negator on that reaches it if there is one."""
        word = self.words[place]
        near = [negator for negator in self.negators if place - _SHOWN <= negator < place]
        return self.words[near[-1]].start if word.negated and near else word.start, word.end

    def may_be_negated(self, place: int) -> bool:
        """Whether a negator stands before a word, be it out of reach, with no end between."""
        first = max(0, place - _LONG_SCOPE)
        return any(
            first <= negator < place
            and not any(word.text in ENDS for word in self.words[negator:place])
            for negator in self.negators
        )

    def find_place(self, start: int) -> int:
        """Return the place of the word at or after an offset."""
        return bisect_left(self.words, start, key=lambda word: word.start)


def read_statement(
    text: str, offset: int = 0, short_forms: ShortForms = NO_SHORT_FORMS
) -> Statement:
    """Return the words of a text, the first 600; takes linear time.

    Args:
        short_forms: what stands for other words, which are added behind it in its place; only in
            capitals, since "cat" is a word.
    """
    lowered = lower(text)
    words: list[Word] = []
    reach, behind = 0, ""
    for match in _WORD.finditer(lowered):
        if len(words) >= MOST_WORDS:
            break
        word = match[0]
        if word in ENDS or word == "than":
            reach = 0
        elif word == "," and reach <= _SCOPE:  # of "without milk, yeast grew" the end
            reach = min(reach, 0 if reach < _SHORT_SCOPE else 2)
        if not word[0].isalnum():
            words.append(Word(word, *match.span(), "", negated=False, senses=()))
            continue
        # In "diet-induced" and "rate-limiting" nothing is said of a direction.
        joined = (
            lowered[max(0, match.start() - 1) : match.start()] == "-"
            and word.endswith(("ed", "ing"))
            and not is_negator(behind)
        )
        bound = behind == "at" and word in ("least", "most")
        senses = () if joined or bound else find_senses(word)
        words.append(Word(word, *match.span(), find_key(word), negated=reach > 0, senses=senses))
        if word in short_forms and not text[match.start() : match.end()].islower():
            words += [
                Word(term, *match.span(), find_key(term), negated=reach > 0, senses=())
                for term in sorted(short_forms[word])
            ]
        if is_negator(word):
            reach = max(reach, _find_scope(word))
        else:  # "no better" negates one word
            reach = 0 if behind == "no" and word in _COMPARATIVES else max(0, reach - 1)
        behind = word
    return Statement(text, words, offset)


def _find_scope(negator: str) -> int:
    if negator in NOUN_NEGATORS:
        return _SHORT_SCOPE
    return _LONG_SCOPE if negator in ("neither", "nor") else _SCOPE


def _goes_on(word: Word) -> bool:
    return word.text not in _BEHIND_NOUNS and word.text not in ENDS and word.text != ","


def _is_not_the_end(word: Word) -> bool:
    return word.text not in ENDS and word.text not in (",", "(")


def split_statements(text: str, short_forms: ShortForms = NO_SHORT_FORMS) -> list[Statement]:
    """Return the sentences of a passage."""
    found, start = [], 0
    for gap in _SENTENCE.finditer(text):
        found.append(read_statement(text[start : gap.start()], start, short_forms))
        start = gap.end()
    return [*found, read_statement(text[start:], start, short_forms)]


@lru_cache(maxsize=50_000)
def find_key(word: str) -> str:
    """Return the stem of a content word in lower case, in American spelling, by Porter's stemmer;
    "" for any other."""
    if (len(word) < 2 and not word.isdigit()) or is_stop_word(word):
        return ""
    term = unify(word)
    return str(load_stemmer().stem(SYNONYMS.get(word, SYNONYMS.get(term, term))[:40]))
