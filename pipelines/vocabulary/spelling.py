"""Terms with the same key: they count only where they stand as they are written.

A key leaves out stop words, capitals and punctuation, as the index does. So "protein A" has the
key of "protein", and "PCr" (phosphocreatine) that of "PCR"; and of "Ca2+" it has only "Ca2".
Three rules, all found on CRAFT's training part (benchmarks/concepts.py --split train):

- A stop word that a term begins or ends with, but for articles, must be there; a single letter in
  the same case.
- A term of at most three characters must be there in the same capitals.
- Marks such as + behind a term belong to the match where they are there too.

What these rules need of a term is its writing, a line of text. Few terms have one, and these
mostly the same: a store holds each writing once, and a number in the term's posting.
"""

import re

from citespan.pipelines.vocabulary.normalise import normalise

_SHORT = 3
_WORDS = re.compile(r"[^\W_]+")
_ARTICLES = re.compile(r"(?:the|an)\b|a\s", re.IGNORECASE)
_BETWEEN = r"[\W_]{0,2}"
_WIDEST_BETWEEN = 2
_MARKS = re.compile(r"[+*′″−-]+")
_CAPITALS = "="


def describe_writing(term: str) -> str:
    """How a term is written, as far as its key doesn't say; "" where the key says all.

    Args:
        term: without tabs and line breaks, and with a key.

    Returns:
        Four fields with tabs between: the words before the key's and those behind, the marks,
        and "=" with the key's letters where their capitals count.
    """
    tokens = normalise(term)
    start, end = tokens[0][1], tokens[-1][2]
    before, behind = term[:start], term[end:]
    short = len(term) <= _SHORT
    if not (before or behind or short):
        return ""
    marks = _MARKS.match(behind)
    fields = (
        _words_of(before),
        _words_of(behind),
        marks[0] if marks else "",
        _CAPITALS + "".join(_WORDS.findall(term[start:end])) if short else "",
    )
    return "\t".join(fields) if any(fields) else ""


def _words_of(edge: str) -> str:
    """Return the words without articles, lower-cased where the rules ignore case. Words that are
    not ASCII may grow in lower case."""
    found = _WORDS.findall(_ARTICLES.sub("", edge))
    return " ".join(word.lower() if word.isascii() and word[1:] else word for word in found)


class Spelling:
    """A writing, as places are compared with it.

    Args:
        writing: not empty.
    """

    __slots__ = ("_after", "_before", "_letters", "_marks", "_reach", "_short")

    def __init__(self, writing: str) -> None:
        before, behind, self._marks, capitals = writing.split("\t")
        first, last = before.split(), behind.split()
        self._before = re.compile(rf"(?<![^\W_]){_joined(first)}{_BETWEEN}\Z") if first else None
        self._after = re.compile(rf"{_BETWEEN}{_joined(last)}(?![^\W_])") if last else None
        self._reach = len(before) + _WIDEST_BETWEEN * len(first)
        self._short = capitals.startswith(_CAPITALS)
        self._letters = capitals.removeprefix(_CAPITALS)

    def place(self, text: str, start: int, end: int) -> tuple[int, int] | None:
        """Return where the term stands in a text that has its key at `text[start:end]`, with its
        stop words and the marks behind it; None if it doesn't."""
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
    """Return a pattern of the words in order; a single letter in its own case."""
    spelt = (re.escape(word) if len(word) == 1 else f"(?i:{word})" for word in words)
    return _BETWEEN.join(spelt)
