"""NLTK's Punkt, as the offsets at which sentences start.

NLTK finds the places at which a sentence may end and decides on each by objects for the tokens
around it. Most need no weighing: before the full stop stands a word that is no abbreviation,
initial or number. Here those are told first, and the rest is left to NLTK; the sentences are the
same (`tests/unit/test_sentences_punkt.py`).
"""

import re
import string
from collections.abc import Callable, Iterator
from enum import Enum, auto
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Any

from citespan.pipelines.text.nltk_punkt import nltk_punkt
from citespan.pipelines.text.punkt_parameters import shipped

if TYPE_CHECKING:
    from nltk.tokenize.punkt import PunktSentenceTokenizer

_DIGIT = re.compile(r"\d")
_INITIAL = re.compile(r"[^\W\d]")
_OTHER_SPACE = re.compile(rf"[{string.whitespace.replace(' ', '')}]")


class _Ending(Enum):
    """What a word with an end mark says of whether a sentence ends with it."""

    SURE = auto()  # it does, whatever comes next
    UNLESS_CAPITAL = auto()  # not if what comes next has no capital: an abbreviation
    OPEN = auto()


class _Punkt:
    """Punkt with certain parameters."""

    def __init__(self, tokenizer: "PunktSentenceTokenizer") -> None:
        language: Any = tokenizer._lang_vars
        # without NLTK's wrappers, which ask for the time at every match
        self._ends: Any = _pattern(language.period_context_re())
        self._closing: Any = _pattern(language.re_boundary_realignment)
        self._words: Callable[[str], list[str]] = _pattern(language._word_tokenizer_re()).findall
        self._weigh: Callable[[str], bool] = tokenizer.text_contains_sentbreak
        parameters = tokenizer._params
        firsts = {first for first, _ in parameters.collocations}
        self._abbreviations = parameters.abbrev_types
        self._undecided = self._abbreviations | firsts
        self._marks = {".", "?", "!"} - firsts
        self._ending: Callable[[str], _Ending] = lru_cache(1 << 15)(self._find_ending)

    def starts(self, paragraph: str) -> list[int]:
        """Offsets at which sentences start, that of the first one included."""
        found = []
        start = moved = 0
        breaks = self._breaks(paragraph)
        last = len(paragraph.rstrip())
        ends = [*(end for end, _ in breaks), last]
        for number, (end, following) in enumerate(breaks, 1):
            first = start + moved
            moved = self._closed(paragraph, following, ends[number])
            if moved or first < end:
                found.append(first)
            start = following
        if start + moved < last:
            found.append(start + moved)
        return found

    def _closed(self, paragraph: str, start: int, end: int) -> int:
        """How many characters at the start of a sentence belong to the one before."""
        closing = self._closing.match(paragraph, start, end)
        return closing.end() - start if closing else 0

    def _breaks(self, paragraph: str) -> list[tuple[int, int]]:
        """Where each sentence but the last ends, and what follows it starts."""
        found = []
        for word, match in self._places(paragraph):
            mark, after, following = match.group(0, "after_tok", "next_tok")
            if self._is_break(word + mark, after, following):
                end = match.end()
                found.append((end, match.start("next_tok") if following else end))
        return found

    def _places(self, paragraph: str) -> Iterator[tuple[str, Any]]:
        """Where a sentence may end: the word before it, and the match of its last character."""
        with_lines = _OTHER_SPACE.search(paragraph) is not None
        word_start = word_end = 0
        before = None
        for match in self._ends.finditer(paragraph):
            at = match.start()
            space = _last_space(paragraph, word_end, at, with_lines)
            start = space + 1 if space > word_end else word_start
            if before is not None and word_end <= start:
                yield paragraph[word_start:word_end], before
            before, word_start, word_end = match, start, at
        if before is not None:
            yield paragraph[word_start:word_end], before

    def _is_break(self, head: str, after: str, following: str | None) -> bool:
        if following is None or not ("\n" in after or _ends_within(following)):
            ending = self._ending(head)
            if ending is _Ending.SURE:
                return True
            if following and ending is _Ending.UNLESS_CAPITAL and not following[0].isupper():
                return False
        return self._weigh(head + after)

    def _find_ending(self, head: str) -> _Ending:
        """Of a word with its end mark."""
        if head[:-1].isalpha() and head[-1] == ".":
            end = head
        else:
            # The first token with a mark decides; a space for what comes next.
            tokens = self._words(f"{head} x")[:-1]
            end = next((w for w in tokens if w[-1] in ".?!"), "")
            if end in self._marks:
                return _Ending.SURE
            if end[-1:] != ".":
                return _Ending.OPEN
            if end is not tokens[-1]:  # what comes next is known
                found = self._ending_of(end[:-1])
                return found if found is _Ending.SURE else _Ending.OPEN
        return self._ending_of(end[:-1])

    def _ending_of(self, word: str) -> _Ending:
        """Of a word before a full stop. It is sure where Punkt has nothing to weigh: no
        abbreviation, initial or number, nor the first word of a collocation."""
        if word[-1:] in ("", ".") or _DIGIT.search(word) or _INITIAL.fullmatch(word):
            return _Ending.OPEN
        word = word.lower()
        if word not in self._undecided and word.rpartition("-")[2] not in self._abbreviations:
            return _Ending.SURE
        return _Ending.UNLESS_CAPITAL if word in self._abbreviations else _Ending.OPEN


def _pattern(wrapped: Any) -> Any:
    return getattr(wrapped, "_rx", wrapped)


def _ends_within(token: str) -> bool:
    return "." in token or "?" in token or "!" in token


def _last_space(paragraph: str, start: int, end: int, with_lines: bool) -> int:
    if not with_lines:
        return paragraph.rfind(" ", start, end)
    return max(paragraph.rfind(space, start, end) for space in string.whitespace)


@cache
def _punkt(trained: bool) -> _Punkt:
    return _Punkt(nltk_punkt().PunktSentenceTokenizer(shipped() if trained else None))


def trained_starts(paragraph: str) -> list[int]:
    """Offsets of the sentences in a paragraph, by the parameters shipped with citespan."""
    return _punkt(True).starts(paragraph)


def untrained_starts(paragraph: str) -> list[int]:
    """Offsets of the sentences in a paragraph, by Punkt without parameters."""
    return _punkt(False).starts(paragraph)
