"""What a sentence splitter is, the registry of all of them, and the paragraphs that they split.

Citation markers behind the full stop that they close are hidden from splitters: to these, the
number in "in yeast.23 AT1" or "in yeast. [23] We" is a part of the word before it or the first word
of the next sentence. Where the mark-up of an article says that it is a citation, or, in an article
without such mark-up, its brackets or superscripts do, a splitter need not see it.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final, Protocol

from citespan.pipelines.corpus.article import Article, Sentence
from citespan.pipelines.corpus.paragraphs import RAISED_DIGIT
from citespan.pipelines.corpus.references import Link
from citespan.pipelines.errors import CitespanError, InputError, MachineError
from citespan.pipelines.registry import Registry

# What `str.isspace` says yes to, and the byte-order mark, which is no letter of the text either.
_WHITE = frozenset(
    "\t\n\x0b\f\r\x1c\x1d\x1e\x1f \x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007"
    "\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000\ufeff"
)


class Splitter(Protocol):
    """Splits text into sentences.

    Attributes:
        name: as in `--splitter`.
        description: one line for `--help`.
    """

    name: str
    description: str

    def split(self, text: str) -> list[Sentence]:
        """Return the sentences, in order and without overlap.

        None has white space at either end, a byte-order mark counting as white space;
        together they hold every other character of the text. A blank line always parts two
        sentences.

        Raises:
            CitespanError: if the library that this splitter needs is not installed.
        """
        ...


splitters: Registry[Splitter] = Registry(
    "sentence splitter", "citespan.pipelines.text.splitters", "citespan.splitters", Splitter
)

DEFAULT: Final = "punkt"
MOST_SENTENCES: Final = 50_000
"""Of one article. Its documents take some 2 kB a sentence, so a bound on the text alone would not
bound the memory."""
_MOST_MARKS: Final = 6 * MOST_SENTENCES
"""Marks and lines that a sentence may end with; what has more is not split to be counted."""


def cut_sentences(text: str, starts: Callable[[str], Iterable[int]]) -> list[Sentence]:
    """Cut a text into sentences that keep a splitter's promises, whatever a library returns.

    Args:
        starts: for a paragraph, the offsets in it at which its sentences start, in any
            order; one outside of the paragraph is left out.
    """
    found = []
    for start, end in find_paragraphs(text):
        before = start
        for place in (*sorted(set(starts(text[start:end]))), end - start):
            if 0 < place <= end - start:
                first, last = trim(text, before, start + place)
                before = start + place
                if first < last:
                    found.append(Sentence(first, last))
    return found


@dataclass(slots=True)
class ParagraphSplitter:
    """A splitter of one paragraph after the other.

    Attributes:
        starts: as for `cut_sentences`.
    """

    name: str
    description: str
    starts: Callable[[str], Iterable[int]]

    def split(self, text: str) -> list[Sentence]:
        return cut_sentences(text, self.starts)


def split_article(article: Article, splitter: Splitter) -> tuple[Sentence, ...]:
    """Return the sentences of an article: those that its format brings, else those that
    `splitter` finds, which a citation marker behind a full stop does not mislead.

    Raises:
        InputError: for more than `MOST_SENTENCES`.
        CitespanError: from the splitter, if the library that it needs is not installed.
    """
    found = article.sentences
    if found is None:
        marks = sum(map(article.text.count, ".?!\n"))
        if marks > _MOST_MARKS:
            raise InputError(
                f"{marks:,} full stops and lines, more than any article has; at most "
                f"{MOST_SENTENCES:,} sentences are indexed; split it"
            )
        text = hide_closing_markers(article.text, article.links)
        found = tuple(splitter.split(text))
        if text is not article.text:
            found = _take_in(article.text, found)
    if len(found) > MOST_SENTENCES:
        raise InputError(
            f"{len(found):,} sentences, more than any article has; at most {MOST_SENTENCES:,} are "
            "indexed; split it"
        )
    return found


def _take_in(text: str, sentences: Sequence[Sentence]) -> tuple[Sentence, ...]:
    """Return the sentences, each extended to the markers in `text` that were hidden from the
    splitter."""
    nexts = [*(sentence.start for sentence in sentences[1:]), len(text)]
    return tuple(
        sentence
        if text[sentence.end : after].isspace()
        else Sentence(*trim(text, sentence.start, after))
        for sentence, after in zip(sentences, nexts, strict=True)
    )


def check_splitter(splitter: Splitter) -> None:
    """Check that a splitter can be used, before it is given articles.

    Raises:
        MachineError: if its model, or the library that it needs, is damaged.
        CitespanError: if the library that it needs is not installed.
    """
    try:
        splitter.split("One sentence. Another one.")
    except CitespanError:
        raise
    except Exception as error:
        reason = " ".join(f"{type(error).__name__}: {error}".split())[:300]
        raise MachineError(
            f"the sentence splitter '{splitter.name}' can't be used ({reason}); install citespan, "
            "or the library that it needs, again"
        ) from error


def trim(text: str, start: int, end: int) -> tuple[int, int]:
    """Return (start, end) of `text[start:end]` without the white space at either end.

    start = end where there is nothing but white space.
    """
    while start < end and text[start] in _WHITE:
        start += 1
    while end > start and text[end - 1] in _WHITE:
        end -= 1
    return start, end


def find_paragraphs(text: str) -> Iterator[tuple[int, int]]:
    """Find (start, end) of every paragraph, in order, without white space at either end.

    A line of nothing but white space parts two paragraphs; a line break alone does not.
    """
    start = end = -1
    position = 0
    while position <= len(text):
        stop = text.find("\n", position)
        stop = len(text) if stop < 0 else stop
        first, last = trim(text, position, stop)
        if first == last:
            if start >= 0:
                yield start, end
            start = -1
        else:
            start = first if start < 0 else start
            end = last
        position = stop + 1
    if start >= 0:
        yield start, end


_ENDED = re.compile(r"[a-zA-Z\d%)\]][.?!][)\]”\"’']?\s?[\[(]?$")
# "As Ito et al. [23] DNA …": the splitter knows better.
_ABBREVIATED = re.compile(
    r"(?i)\b(?:al|approx|ca|cf|drs?|e\.\s?g|etc|figs?|i\.\s?e|nos?|refs?|vs)\.\s?[\[(]?$"
)
_BETWEEN = re.compile(r"[\s,;()\[\]&‐‑‒–—−-]{0,6}(?:and\s)?")
_CLOSED = re.compile(r"[\])]?\s")
_NEXT = re.compile(r"[\])]?\s+(?:[^\W_a-z]|[(\[“‘\"'])")
_SUBJECT = re.compile(r"[\])]?\s+[a-z]{2,20}(?=\s)")
_NUMBERS = re.compile(r"[\d\s,;()\[\]a-e‐‑‒–—−-]*")
_LOOKED_BACK = 12
_RAISED = f"{RAISED_DIGIT}{{1,4}}"
_SEPARATED = r"[\s,;‐‑‒–—−-]{1,3}"
# "(23)" behind a space may begin an enumeration.
_WRITTEN = re.compile(
    rf"[.?!][)\]”\"’']?(?:\s?\[(\d{{1,4}}(?:{_SEPARATED}\d{{1,4}}){{0,30}})\]"
    rf"|\((\d{{1,4}}(?:{_SEPARATED}\d{{1,4}}){{0,30}})\)"
    rf"|\s?({_RAISED}(?:{_SEPARATED}{_RAISED}){{0,30}}))(?=\s)"
)


def hide_closing_markers(text: str, links: Sequence[Link]) -> str:
    """Return a text of the same length, with spaces in place of each marker of numbers that stands
    between the end of a sentence and a capital, digit or bracket, and a name in place of each that
    stands between a sentence and a word in small letters.

    Args:
        links: as in `Article.links`; without any, markers are told by how they are written.
    """
    parts: list[str] = []
    shown = 0
    for start, end in _find_runs(text, links) if links else _find_written(text):
        before = text[max(0, start - _LOOKED_BACK) : start]
        if not _ENDED.search(before) or _ABBREVIATED.search(before):
            continue
        start -= text[start - 1] in "[("
        closes = _NEXT.match(text, end) is not None
        if not closes and not (text[start - 1].isspace() and _SUBJECT.match(text, end)):
            continue
        closed = _CLOSED.match(text, end)
        assert closed is not None
        end = closed.end() - 1
        length = end - start
        parts += [text[shown:start], " " * length if closes else "Xx".ljust(length, "x")]
        shown = end
    return "".join([*parts, text[shown:]]) if parts else text


def _find_written(text: str) -> Iterator[tuple[int, int]]:
    """Yield (start, end) of numbers behind full stops that are written as markers."""
    return (found.span(found.lastindex or 0) for found in _WRITTEN.finditer(text))


def _find_runs(text: str, links: Sequence[Link]) -> Iterator[tuple[int, int]]:
    """Yield (start, end) of links to numbers that stand together."""
    runs: list[tuple[int, int]] = []
    for link in links:
        if runs and _BETWEEN.fullmatch(text, runs[-1][1], link.start):
            runs[-1] = (runs[-1][0], link.end)
        else:
            runs.append((link.start, link.end))
    return (run for run in runs if _NUMBERS.fullmatch(text, *run))
