"""NLTK's Punkt, as the offsets at which sentences start.

NLTK finds the places at which a sentence may end and decides on each by objects for the tokens
around it. Most need no weighing: before the full stop stands a word that is no abbreviation,
initial or number. Here those are told first, and the rest is left to NLTK; the sentences are the
same (`tests/unit/test_sentences_punkt.py`).
"""

import re
import string
from collections.abc import Callable, Iterator
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Any

from citespan.pipelines.text.nltk_punkt import nltk_punkt
from citespan.pipelines.text.punkt_parameters import shipped

if TYPE_CHECKING:
    from nltk.tokenize.punkt import PunktSentenceTokenizer

_DIGIT = re.compile(r"\d")
_OTHER_SPACE = re.compile(rf"[{string.whitespace.replace(' ', '')}]")


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
        self._surely_ends: Callable[[str], bool] = lru_cache(1 << 15)(self._ends_surely)

    def starts(self, paragraph: str) -> list[int]:
        """Offsets at which sentences start, that of the first one included."""
        breaks = list(self._breaks(paragraph))
        starts = [0, *(start for _, start in breaks)]
        ends = [*(end for end, _ in breaks), len(paragraph.rstrip())]
        found = []
        moved = 0
        for number, (start, end) in enumerate(zip(starts, ends, strict=True)):
            first = start + moved
            moved = 0
            if number < len(breaks):
                moved = self._closed(paragraph, starts[number + 1], ends[number + 1])
            if moved or first < end:
                found.append(first)
        return found

    def _closed(self, paragraph: str, start: int, end: int) -> int:
        """How many characters at the start of a sentence belong to the one before."""
        closing = self._closing.match(paragraph, start, end)
        return closing.end() - start if closing else 0

    def _breaks(self, paragraph: str) -> Iterator[tuple[int, int]]:
        """Where each sentence but the last ends, and what follows it starts."""
        for word, match in self._places(paragraph):
            following = match["next_tok"]
            if self._is_break(word + match[0], match["after_tok"], following):
                yield match.end(), match.start("next_tok") if following else match.end()

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
        alone = following is None or not ("\n" in after or _ends_within(following))
        return (alone and self._surely_ends(head)) or self._weigh(head + after)

    def _ends_surely(self, head: str) -> bool:
        """Whether a word with its full stop ends a sentence, whatever comes next."""
        if head[:-1].isalpha() and head[-1] == ".":
            return self._is_plain(head[:-1])
        # The first token with a mark decides; a space for what comes next.
        end = next((w for w in self._words(f"{head} x")[:-1] if w[-1] in ".?!"), "")
        return end in self._marks or (end[-1:] == "." and self._is_plain(end[:-1]))

    def _is_plain(self, word: str) -> bool:
        """Whether a word before a full stop leaves Punkt nothing to weigh: it is no abbreviation,
        initial or number, and the first word of no collocation."""
        word = word.lower()
        return (
            word not in self._undecided
            and word[-1:] not in ("", ".")
            and not _DIGIT.search(word)
            and not (len(word) == 1 and word.isalpha())
            and word.rpartition("-")[2] not in self._abbreviations
        )


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
