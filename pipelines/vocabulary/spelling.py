"""Terms that a key doesn't tell apart: they count only where they stand as they are written.

A key leaves out stop words, capitals and punctuation, as the index does. So "protein A" has the
key of "protein", and "PCr" (phosphocreatine) that of "PCR"; and of "Ca2+" it has only "Ca2".
Three rules, all found on CRAFT's training part (benchmarks/concepts.py --split train):

- A stop word that a term begins or ends with, but for articles, must be there; a single letter in
  the same case.
- A term of at most three characters must be there in the same capitals.
- Marks such as + behind a term belong to the match where they are there too.
"""

import re

from citespan.pipelines.vocabulary.normalise import normalise

_SHORT = 3
_WORDS = re.compile(r"[^\W_]+")
_ARTICLES = re.compile(r"(?:the|an)\b|a\s", re.IGNORECASE)
_BETWEEN = r"[\W_]{0,2}"
_MARKS = re.compile(r"[+*′″−-]+")


class Spelling:
    """How one term is written, as far as its key doesn't say.

    Attributes:
        matters: whether a place with the term's key need not be the term, or its match ends
            elsewhere.
    """

    __slots__ = ("_after", "_before", "_letters", "_marks", "_reach", "_short", "matters")

    def __init__(self, term: str) -> None:
        tokens = normalise(term)
        before, behind = term[: tokens[0][1]], term[tokens[-1][2] :]
        first, last = (_WORDS.findall(_ARTICLES.sub("", edge)) for edge in (before, behind))
        marks = _MARKS.match(behind)
        self._before = re.compile(rf"(?<![^\W_]){_joined(first)}{_BETWEEN}\Z") if first else None
        self._after = re.compile(rf"{_BETWEEN}{_joined(last)}(?![^\W_])") if last else None
        self._marks = marks[0] if marks else ""
        self._short = len(term) <= _SHORT
        self._letters = "".join(_WORDS.findall(term))
        self._reach = 2 * len(term)
        self.matters = bool(self._short or first or last or marks)

    def place(self, text: str, start: int, end: int) -> tuple[int, int] | None:
        """Where the term stands in a text that has its key at `text[start:end]`, with its stop
        words and the marks behind it; None if it doesn't."""
        if self._short and not self._has_capitals_of(text[start:end]):
            return None
        if self._before is not None:
            found = self._before.search(text, max(0, start - self._reach), start)
            if not found:
                return None
            start = found.start()
        if self._after is not None:
            found = self._after.match(text, end)
            if not found:
                return None
            end = found.end()
        if self._marks and text.startswith(self._marks, end):
            end += len(self._marks)
        return start, end

    def _has_capitals_of(self, words: str) -> bool:
        """But for the s of a plural, and the capital that begins a sentence."""
        spelt, there = self._letters, words if words.isalnum() else "".join(_WORDS.findall(words))
        if spelt == there:
            return True
        if there[1:].islower():
            spelt, there = spelt[:1].lower() + spelt[1:], there.lower()
        return there in (spelt, f"{spelt}s", spelt.removesuffix("s"))


def _joined(words: list[str]) -> str:
    """A pattern of the words in order; a single letter in its own case."""
    spelt = (re.escape(word) if len(word) == 1 else f"(?i:{word})" for word in words)
    return _BETWEEN.join(spelt)
