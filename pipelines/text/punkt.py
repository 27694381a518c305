"""NLTK's Punkt, as the offsets at which sentences start.

NLTK finds the places at which a sentence may end and decides on each by objects for the tokens
around it. Most need no weighing: before the full stop stands a word that is no abbreviation or
initial. Here those are decided first, and the rest is left to NLTK; the sentences are the
same (`tests/unit/text/test_sentences_punkt.py`).

What Punkt has learnt is stored as JSON with four members, each sorted, so that the same texts give
the same bytes: `abbreviations` (word types without their final full stop), `collocations` (pairs
of types whose first ends in a full stop), `sentence_starters` (types) and `orthographic_contexts`
(type to the bit mask that NLTK documents in `nltk.tokenize.punkt`).
"""

import json
import re
import string
from collections.abc import Callable, Iterable
from enum import Enum, auto
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Any, Final

from citespan.pipelines.text.nltk_import import import_from_nltk
from citespan.pipelines.text.shipped_models import check_shipped

if TYPE_CHECKING:
    from nltk.tokenize.punkt import PunktParameters, PunktSentenceTokenizer

_PUNKT: Final = "nltk.tokenize.punkt"
_SHIPPED: Final = "punkt-craft.json"
_NUMBER: Final = "##number##"  # the type of all numbers
_DIGIT = re.compile(r"\d")
_INITIAL = re.compile(r"[^\W\d]")
_INNER = re.compile(
    r"[?!](?!\Z)|\.(?!\Z|[^\W_])"
)  # end marks that may part a word in two sentences
_OTHER_SPACES = string.whitespace.replace(" ", "")
# NLTK's regular expressions don't count these separators as white space, as Python's own do.
_SPACE, _NO_SPACE = r"[^\S\x1c-\x1f]", r"[\S\x1c-\x1f]"
_WORD = re.compile(f"{_NO_SPACE}+")


class _Ending(Enum):
    """What a word with an end mark says of whether a sentence ends with it."""

    SURE = auto()  # it does, whatever comes next
    IF_CAPITAL = auto()  # if what comes next has a capital, else open: a number
    UNLESS_CAPITAL = auto()  # not if what comes next has no capital: an abbreviation
    OPEN = auto()


class _Punkt:
    """Punkt with certain parameters."""

    def __init__(self, tokenizer: "PunktSentenceTokenizer") -> None:
        language: Any = tokenizer._lang_vars
        # NLTK's `period_context_re` by Python's own regular expressions, which take half the time:
        # an end mark before a character that can't be in a word, or before white space (a group)
        self._ends = re.compile(
            rf"[.?!](?:(?={language._re_non_word_chars})|(?=({_SPACE}+){_NO_SPACE}))"
        )
        # without NLTK's wrappers, which ask for the time at every match
        self._closing: Any = _pattern(language.re_boundary_realignment)
        self._words: Callable[[str], list[str]] = _pattern(language._word_tokenizer_re()).findall
        self._is_number: Callable[[str], object] = _pattern(tokenizer._Token._RE_NUMERIC).match
        self._weigh: Callable[[str], bool] = lru_cache(1 << 12)(tokenizer.text_contains_sentbreak)
        parameters = tokenizer._params
        firsts = {first for first, _ in parameters.collocations}
        self._abbreviations = parameters.abbrev_types
        self._undecided = self._abbreviations | firsts
        self._marks = {".", "?", "!"} - firsts
        self._of_number = _Ending.OPEN if _NUMBER in firsts else _Ending.IF_CAPITAL
        self._ending: Callable[[str], _Ending] = lru_cache(1 << 15)(self._find_ending)

    def starts(self, paragraph: str) -> list[int]:
        """Return the offsets at which sentences start, that of the first one included."""
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
        """Return how many characters at the start of a sentence belong to the one before."""
        if paragraph[start].isalnum():
            return 0
        closing = self._closing.match(paragraph, start, end)
        return closing.end() - start if closing else 0

    def _breaks(self, paragraph: str) -> list[tuple[int, int]]:
        """Return where each sentence but the last ends, and what follows it starts."""
        found = []
        for start, match in self._places(paragraph):
            end, space = match.end(), match[1]
            following = end + len(space) if space else end
            head = paragraph[start:end]
            ending = _Ending.OPEN if space and "\n" in space else self._ending(head)
            if ending is _Ending.SURE or self._is_break(head, ending, paragraph, end, following):
                found.append((end, following))
        return found

    def _places(self, paragraph: str) -> list[tuple[int, re.Match[str]]]:
        """Return the places where a sentence may end: the start of the word before each, and the
        match of its last character. Of several in a word the last counts."""
        spaced = paragraph
        for space in _OTHER_SPACES:
            spaced = spaced.replace(space, " ")
        places: list[tuple[int, re.Match[str]]] = []
        word_start = word_end = 0
        for match in self._ends.finditer(paragraph):
            at = match.start()
            before = spaced.rfind(" ", word_end, at)
            start = before + 1 if before > word_end else word_start
            if places and start < word_end:
                places.pop()
            places.append((start, match))
            word_start, word_end = start, at
        return places

    def _is_break(
        self, head: str, ending: _Ending, paragraph: str, end: int, following: int
    ) -> bool:
        """Whether a sentence ends with a word where that is not sure.

        Args:
            head: the word.
            end, following: where it ends, and where in the paragraph the next one starts.
        """
        found = _WORD.match(paragraph, following) if following > end else None
        if found is None:
            return self._weigh(paragraph[end - len(head) : end + 1])
        word = found.group()
        capital = word[0].isupper()
        if capital and ending is _Ending.IF_CAPITAL:
            return True
        if not capital and ending is _Ending.UNLESS_CAPITAL and not _INNER.search(word):
            return False
        return self._weigh(head + paragraph[end:following] + word)

    def _find_ending(self, head: str) -> _Ending:
        """Of a word with its end mark."""
        if head[:-1].isalpha() and head[-1] == ".":
            end = head
        else:
            if len(head.split()) > 1:  # by a space that is none to Punkt: it may be an ellipsis
                return _Ending.OPEN
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
        if word[-1:] in ("", ".") or _INITIAL.fullmatch(word):
            return _Ending.OPEN
        word = word.lower()
        if word not in self._undecided and word.rpartition("-")[2] not in self._abbreviations:
            return self._of_number if self._is_number(word) else _Ending.SURE
        return _Ending.UNLESS_CAPITAL if word in self._abbreviations else _Ending.OPEN


def _pattern(wrapped: Any) -> Any:
    return getattr(wrapped, "_rx", wrapped)


@cache
def _punkt(trained: bool) -> _Punkt:
    return _Punkt(
        import_from_nltk(_PUNKT).PunktSentenceTokenizer(load_shipped() if trained else None)
    )


def find_starts(paragraph: str, *, trained: bool = True) -> list[int]:
    """Find where the sentences of a paragraph start, by the shipped parameters or without any."""
    return _punkt(trained).starts(paragraph)


def train_punkt(texts: Iterable[str]) -> "PunktParameters":
    """Learn parameters from texts without labels (Kiss and Strunk 2006).

    A type with a digit in it ("e17.5", "pu.1") is never kept as an abbreviation: in articles
    such words end sentences as often as any others do, and no word list tells them from
    abbreviations.
    """
    trainer = import_from_nltk(_PUNKT).PunktTrainer()
    trainer.train("\n\n".join(texts), finalize=False)
    trainer.finalize_training()
    parameters: PunktParameters = trainer.get_params()
    parameters.abbrev_types = {
        type_ for type_ in parameters.abbrev_types if not _DIGIT.search(type_)
    }
    return parameters


def parameters_to_json(parameters: "PunktParameters") -> str:
    """Return the parameters as JSON text, the same for equal parameters."""
    members = {
        "abbreviations": sorted(parameters.abbrev_types),
        "collocations": sorted(parameters.collocations),
        "sentence_starters": sorted(parameters.sent_starters),
        # A type of context 0 was only ever looked up, never learnt.
        "orthographic_contexts": {
            type_: mask for type_, mask in sorted(parameters.ortho_context.items()) if mask
        },
    }
    return json.dumps(members, ensure_ascii=False, indent=0, separators=(",", ":")) + "\n"


def parameters_from_json(text: str) -> "PunktParameters":
    """Return the parameters that `parameters_to_json` wrote."""
    members = json.loads(text)
    parameters: PunktParameters = import_from_nltk(_PUNKT).PunktParameters()
    parameters.abbrev_types = set(members["abbreviations"])
    parameters.collocations = {(first, second) for first, second in members["collocations"]}
    parameters.sent_starters = set(members["sentence_starters"])
    parameters.ortho_context.update(members["orthographic_contexts"])
    return parameters


@cache
def load_shipped() -> "PunktParameters":
    """Return the parameters shipped with citespan; `models/punkt-craft.md` describes them.

    Raises:
        MachineError: if the file is damaged.
    """
    return parameters_from_json(check_shipped(_SHIPPED).read_text(encoding="utf-8"))
