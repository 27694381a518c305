"""On which lines of its file something of a manuscript's text stands.

What a reader makes of a file has lost its lines, its mark-up and the keys of its citations, and
some of it stands elsewhere, as notes and captions do. So each paragraph is looked for in the file
by the words that both have in common, three in a row, and then aligned with it word by word.
"""

import re
from bisect import bisect_left, bisect_right
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from difflib import SequenceMatcher
from functools import lru_cache
from itertools import chain, pairwise

from citespan.pipelines.citing.citations import Citation

_WORD = re.compile(r"[^\W_]+")
_INCLUDED = re.compile("\x02[^\x02\x03]*\x03")
_NONE = 0  # the line of what another file says
_PARAGRAPH = re.compile(r"\n\n")
_LONGEST = 120  # words of a paragraph that are aligned at once: the time grows with the square
_MARGIN = 40  # words of the file on either side of those that are found
_MOST_PLACES = 30  # of the same words in the file
_IN_A_ROW = (3, 2, 1)
_LONGEST_KEY = 8  # words of a key that is looked for in the whole file


class _Words:
    """The words of a text, in order."""

    def __init__(self, text: str) -> None:
        found = list(_WORD.finditer(text))
        self.words = [word[0].casefold() for word in found]
        self.starts = [word.start() for word in found]
        self.ends = [word.end() for word in found]

    def __len__(self) -> int:
        return len(self.words)


class SourceLines:
    """The lines of a manuscript's file.

    Args:
        written: what is in the file; what it includes of others, between \\x02 and \\x03, has no
            line.
        text: what a reader has made of it.
    """

    def __init__(self, written: str, text: str) -> None:
        self._written, self._read = _Words(written), _Words(text)
        breaks = [found.start() for found in re.finditer("\n", written)]
        self._lines = [bisect_left(breaks, start) + 1 for start in self._written.starts]
        for included in _INCLUDED.finditer(written):
            first, last = (bisect_left(self._written.starts, at) for at in included.span())
            self._lines[first:last] = [_NONE] * (last - first)
        self._pieces = list(_cut(text, self._read))
        self._places: dict[int, dict[tuple[str, ...], list[int]]] = {}
        self._align = lru_cache(maxsize=None)(self._align_piece)
        self._last = 0

    def find(self, start: int, end: int) -> tuple[int, int] | None:
        """Return the first and the last line, from 1, of `text[start:end]`; None if it is not
        found."""
        first, last = bisect_right(self._read.ends, start), bisect_left(self._read.starts, end)
        lines = [self._lines[place] for _, place in self._find_words(first, last)]
        return (min(lines), max(lines)) if lines and _NONE not in lines else None

    def find_marker(self, citation: Citation) -> int | None:
        """Return the line of a citation's key, of its marker, or else of the word before; None if
        that is not found."""
        before = bisect_right(self._read.ends, citation.marker.start)
        after = bisect_left(self._read.starts, citation.marker.end)
        left = list(self._find_words(max(0, before - _MARGIN), before))[-1:]
        right = list(self._find_words(after, after + _MARGIN))[:1]
        if not left and not right:
            return None
        nearest = (left or right)[0][1]
        from_ = left[0][1] + 1 if left else max(0, nearest - _MARGIN)
        to = right[0][1] if right and right[0][1] > from_ else from_ + _MARGIN
        for name in _list_names(citation):
            words = _Words(name).words
            place = self._find_sequence(words, from_, to)
            if place is None and name == citation.name:
                continue  # what a marker shows, such as a number, stands elsewhere too
            is_key = 0 < len(words) <= _LONGEST_KEY
            elsewhere = self._list_places(len(words)).get(tuple(words), ()) if is_key else ()
            if place is None:
                place = min(elsewhere, key=lambda found: abs(found - nearest), default=None)
            if place is not None:
                return self._lines[place] or None
        return self._lines[nearest] or None

    def _find_sequence(self, words: Sequence[str], start: int, end: int) -> int | None:
        for place in range(start, min(end, len(self._written)) if words else start):
            if self._written.words[place : place + len(words)] == words:
                return place
        return None

    def _find_words(self, first: int, last: int) -> Iterator[tuple[int, int]]:
        """Yield the numbers of the words of the text in a range, each with that of the same word
        in the file, those that are found."""
        ends = [end for _, end in self._pieces]
        for piece in self._pieces[bisect_right(ends, first) :]:
            if piece[0] >= last:
                return
            for number, place in self._align(piece):
                if first <= number < last:
                    yield number, place

    def _align_piece(self, piece: tuple[int, int]) -> Sequence[tuple[int, int]]:
        first, last = piece
        words = self._read.words[first:last]
        region = next(filter(None, (self._find_region(words, many) for many in _IN_A_ROW)), None)
        if region is None:
            return ()
        start, end = max(0, region[0] - _MARGIN), region[1] + _MARGIN
        self._last = region[1]
        matcher = SequenceMatcher(None, words, self._written.words[start:end], autojunk=False)
        return [
            (first + block.a + number, start + block.b + number)
            for block in matcher.get_matching_blocks()
            for number in range(block.size)
        ]

    def _find_region(self, words: Sequence[str], many: int) -> tuple[int, int] | None:
        """Return the part of the file that has most of some words, so many in a row; of several
        that have as many, the first behind the one before."""
        places = self._list_places(many)
        hits = sorted(
            (place, number)
            for number, row in enumerate(_list_rows(words, many))
            for place in places.get(row, ())
        )
        width = 2 * len(words) + _MARGIN
        inside: Counter[int] = Counter()
        best, region, at = (0, False), None, 0
        for place, number in hits:
            inside[number] += 1
            while place - hits[at][0] > width:
                inside[hits[at][1]] -= 1
                if not inside[hits[at][1]]:
                    del inside[hits[at][1]]
                at += 1
            worth = (len(inside), hits[at][0] >= self._last)
            if worth > best:
                best, region = worth, (hits[at][0], place + many)
        return region

    def _list_places(self, many: int) -> dict[tuple[str, ...], list[int]]:
        """Return where in the file so many words in a row stand; frequent ones are left out."""
        if many not in self._places:
            found = defaultdict(list)
            for place, row in enumerate(_list_rows(self._written.words, many)):
                found[row].append(place)
            self._places[many] = {
                row: places for row, places in found.items() if len(places) <= _MOST_PLACES
            }
        return self._places[many]


def _list_rows(words: Sequence[str], many: int) -> Iterator[tuple[str, ...]]:
    return zip(*(words[number:] for number in range(many)), strict=False)


def _cut(text: str, words: _Words) -> Iterator[tuple[int, int]]:
    """Yield the first and the next number of the words of each paragraph, of a long one in
    pieces."""
    starts = [bisect_left(words.starts, paragraph.end()) for paragraph in _PARAGRAPH.finditer(text)]
    for start, end in zip([0, *starts], [*starts, len(words)], strict=True):
        edges = [*range(start, end, _LONGEST), end]
        yield from pairwise(edges)


def _list_names(citation: Citation) -> Iterable[str]:
    """Return what a file may call what is cited: its key first, then what the marker calls it."""
    reference = citation.reference
    names = (reference.key, *reference.names) if reference is not None else ()
    return chain(names, (citation.name,))
