"""The lines of pages in reading order: columns are found, and what spans them."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from statistics import median
from typing import TypeAlias

import numpy as np

from citespan.pipelines.corpus.paragraphs import raise_numbers
from citespan.pipelines.corpus.readers.pdf.extraction import Piece
from citespan.pipelines.corpus.readers.pdf.margins import leave_out_line_numbers

_SPACED = re.compile(r"(?:[^\W\d_] ){4,}[^\W\d_]")  # "A B S T R A C T"
_MOST_COLUMNS = 4
_MOST_PLACES = 500  # that are tried
_NARROWEST = 13  # of columns, in sizes of their text
_LOWEST_BAND = 4  # height of columns, in sizes of their text
_FEWEST_PIECES = 30  # of columns together
_FEWEST_BESIDE = 8  # of each column
_LEAST_BALANCE = 6  # between columns, unless other pages have them at the same place
_MOST_LEVEL = 0.9  # of the lines of two columns
_LEAST_COVER = 0.5  # of the lines of a column by its words, with the same exception
_LONGEST_WORD = 16  # in sizes
_MOST_BEYOND = 5  # sizes from the middle between columns to the end of a line that is too long
_MOST_TOO_LONG = 20  # of so many lines, one may be
_LEAST_GAP = 0.5  # behind such a line, in its sizes
_MOST_INDENTED = 3  # sizes from the edge of the text to its begin
_ALONE = 2  # sizes to the next line that crosses the middle between columns
_FEW_PAGES = 4
_MOST_CROSSING = 0.6
_NEAR = 8.0  # points


@dataclass(slots=True)
class Line:
    """A line of one column.

    Attributes:
        text: numbers above the line are Unicode's superscripts.
        size: of most of its text, in points.
        bold: whether most of it is.
        gap: the widest space in it, in its sizes.
        gaps: how many spaces in it are wider than any between words.
        first: width of its first word, in points.
        page: from 1.
        column: which stretch of the page's columns it stands in, in reading order.
        span: left and right edge of that, in points; a few lines may be longer.
    """

    text: str
    left: float
    right: float
    base: float
    size: float
    bold: bool
    gap: float
    gaps: int
    first: float
    page: int
    column: int = 0
    span: tuple[float, float] = (0.0, 0.0)


def read_lines(pages: Sequence[Sequence[Piece]]) -> list[Line]:
    """Return the lines of all pages in reading order.

    Args:
        pages: without what stands in their margins; numbers of the lines of a column may be left.
    """
    gutters = [found for page in pages if (found := _Places(page).find_gutter()) is not None]
    usual = [
        gutter
        for gutter in gutters
        if len(pages) < _FEW_PAGES or sum(abs(gutter - other) < _NEAR for other in gutters) > 1
    ]
    lines: list[Line] = []
    for number, page in enumerate(pages, 1):
        for column, part in enumerate(find_columns(page, usual)):
            own = make_lines(leave_out_line_numbers(part), number)
            if not own:  # nothing but numbers
                continue
            ends = sorted(line.right for line in own)
            edges = min(line.left for line in own), ends[-1 - len(ends) // _MOST_TOO_LONG]
            for line in own:
                line.column, line.span = column, edges
            lines += own
    return lines


def find_columns(pieces: Sequence[Piece], usual: Sequence[float] = ()) -> Iterator[list[Piece]]:
    """Yield the stretches of a page in reading order: what spans all columns, then from left to
    right the columns below it, and so on down the page.

    Args:
        usual: where the space between columns is on other pages, in points.
    """
    waiting = [(list(pieces), _MOST_COLUMNS)] if pieces else []
    while waiting:
        part, most = waiting.pop()
        places = _Places(part)
        gutter = places.find_gutter(usual) if most > 1 else None
        if gutter is None:
            yield part
        else:
            divided = places.divide(gutter, usual)
            waiting += [(inside, most - 1) for inside in reversed(divided)]


_Chosen: TypeAlias = "np.ndarray[tuple[int], np.dtype[np.bool_]]"


class _Places:
    """Where the pieces of a part of a page are, and where white space divides it into columns."""

    def __init__(self, pieces: Sequence[Piece]) -> None:
        self._pieces = pieces
        self._lefts = np.array([piece.left for piece in pieces])
        self._rights = np.array([piece.right for piece in pieces])
        self._tops = np.array([piece.top for piece in pieces])
        self._bottoms = np.array([piece.bottom for piece in pieces])
        self._size = float(np.median([piece.size for piece in pieces])) if pieces else 1.0
        self._bases = np.round([piece.base for piece in pieces], 1)
        self._rows = np.round(self._bottoms / self._size)
        # an address that is too long for its column says nothing about columns
        sizes = np.array([piece.size for piece in pieces])
        long = self._rights - self._lefts > _LONGEST_WORD * sizes
        self._rights = np.where(long, self._lefts, self._rights)
        # in the file's order, which is that of words on a line
        self._ends_line = np.ones(len(pieces), dtype=np.bool_)
        gaps = np.abs(self._lefts[1:] - self._rights[:-1])
        most = _LEAST_GAP * sizes[:-1]
        self._ends_line[:-1] = (np.abs(np.diff(self._bases)) > most) | (gaps >= most)
        begins = np.roll(self._ends_line, 1)
        firsts = np.maximum.accumulate(np.where(begins, np.arange(len(pieces)), 0))
        self._line_lefts = self._lefts[firsts]

    def find_gutter(self, usual: Sequence[float] = ()) -> float | None:
        """Return the middle of the white space with most columns beside it; None for none."""
        if len(self._lefts) < _FEWEST_PIECES:
            return None
        margin = _NARROWEST * self._size
        start, end = float(self._lefts.min()), float(self._rights.max())
        best, found = 0.0, None
        for place in np.arange(
            start + margin, end - margin, max(2.0, (end - start) / _MOST_PLACES)
        ):
            free = sum(pieces for *_, pieces in self._find_bands(float(place), usual))
            middle = 1 - 0.1 * abs(place - (start + end) / 2) / (end - start)
            known = 1.2 if _is_near(float(place), usual) else 1.0
            if free * middle * known > best:
                best, found = free * middle * known, float(place)
        return found if best >= max(_FEWEST_PIECES, 0.15 * len(self._lefts)) else None

    def _find_bands(
        self, place: float, usual: Sequence[float]
    ) -> Iterator[tuple[float, float, int]]:
        """Yield (upper edge, lower edge, number of pieces) of the stretches with a column on either
        side of a place, from the top down."""
        crossing, overfull = self._find_crossing(place)
        crossing &= ~overfull
        if crossing.mean() > _MOST_CROSSING:
            return
        known = _is_near(place, usual)
        free = _find_free_bands(
            self._tops[crossing],
            self._bottoms[crossing],
            (float(self._tops.max()), float(self._bottoms.min())),
            _LOWEST_BAND * self._size,
        )
        for high, low in free:
            inside = (self._tops <= high) & (self._bottoms >= low)
            before, after = inside & (self._rights < place), inside & (self._lefts > place)
            fewer, more = sorted((int(before.sum()), int(after.sum())))
            if fewer < _FEWEST_BESIDE:
                continue
            covers = self._measure_cover(before), self._measure_cover(after)
            if (
                max(covers) > _LEAST_COVER or not self._are_level(before, after)
                if known
                else min(covers) > _LEAST_COVER
                and (fewer * _LEAST_BALANCE > more or self._is_flush(after))
            ):
                yield high, low, fewer + more

    def _find_crossing(self, place: float) -> tuple[_Chosen, _Chosen]:
        """Return which pieces cross a place, and which of these only end a line that is too long
        for its column, as TeX lets a line that it can't break: alone, and not far behind the place.
        The line begins at the edge of the text, unlike that of a table's cell."""
        width = max(3.0, 0.3 * self._size)
        crossing = (self._lefts < place + width) & (self._rights > place - width)
        near = (self._lefts < place - width) & (self._rights < place + _MOST_BEYOND * self._size)
        begins_at_edge = self._line_lefts < self._lefts.min() + _MOST_INDENTED * self._size
        overfull = crossing & near & self._ends_line & begins_at_edge
        bases = np.sort(self._bases[crossing])
        lowest, highest = (self._bases[overfull] + side * _ALONE * self._size for side in (-1, 1))
        overfull[overfull] = np.searchsorted(bases, highest) - np.searchsorted(bases, lowest) == 1
        return crossing, overfull

    def _measure_cover(self, chosen: _Chosen) -> float:
        """Return how much of their lines some pieces cover: most where they are text, less in
        tables and figures."""
        lefts, rights = self._lefts[chosen], self._rights[chosen]
        rows = len(set(self._rows[chosen].tolist()))
        return float((rights - lefts).sum() / (rows * max(1.0, rights.max() - lefts.min())))

    def _are_level(self, before: _Chosen, after: _Chosen) -> bool:
        """Whether lines to the left and to the right of a place stand beside one another, as in a
        table that spans the columns."""
        first, second = (set(self._bases[side].tolist()) for side in (before, after))
        fewer, more = sorted((first, second), key=len)
        return len(fewer & more) > _MOST_LEVEL * len(fewer)

    def _is_flush(self, chosen: _Chosen) -> bool:
        """Whether the lines that some pieces make begin below one another, as in a column that
        ends early."""
        lefts: dict[float, float] = {}
        for at in np.flatnonzero(chosen):
            row = float(self._rows[at])
            lefts[row] = min(lefts.get(row, np.inf), float(self._lefts[at]))
        edge = min(lefts.values())
        flush = sum(left - edge < _NARROWEST / 4 * self._size for left in lefts.values())
        return len(lefts) >= _LOWEST_BAND - 1 and flush * 4 >= len(lefts) * 3

    def divide(self, place: float, usual: Sequence[float]) -> list[list[Piece]]:
        """Return the parts above, to the left and to the right of a gutter's stretches, and below
        the last."""
        middles = (self._tops + self._bottoms) / 2
        _, overfull = self._find_crossing(place)
        across = np.where(overfull, self._lefts, (self._lefts + self._rights) / 2)
        edge = np.inf
        parts = []
        for high, low, _ in [*self._find_bands(place, usual), (-np.inf, -np.inf, 0)]:
            parts.append((middles < edge) & (middles >= high))
            inside = (middles < high) & (middles >= low)
            parts += [inside & (across < place), inside & (across >= place)]
            edge = low
        numbers = (np.flatnonzero(part).tolist() for part in parts if part.any())
        return [[self._pieces[at] for at in inside] for inside in numbers]


def _is_near(place: float, usual: Sequence[float]) -> bool:
    return any(abs(place - other) < _NEAR for other in usual)


def _find_free_bands(
    tops: "np.ndarray[tuple[int], np.dtype[np.float64]]",
    bottoms: "np.ndarray[tuple[int], np.dtype[np.float64]]",
    ends: tuple[float, float],
    least: float,
) -> list[tuple[float, float]]:
    """Return (upper, lower) edges of the stretches between `ends` that nothing crosses, from the
    top down.

    Args:
        tops, bottoms: of what crosses.
        least: height of such a stretch, in points.
    """
    bands = []
    edge = ends[0] + 0.1
    for at in np.argsort(-tops):
        if edge - tops[at] >= least:
            bands.append((edge, float(tops[at])))
        edge = min(edge, float(bottoms[at]))
    if edge - ends[1] + 0.1 >= least:
        bands.append((edge, ends[1] - 0.1))
    return bands


def make_lines(pieces: Sequence[Piece], page: int) -> list[Line]:
    """Return the lines of one column from the top down."""
    rows: list[list[Piece]] = []
    for piece in pieces:  # in the file's order, which follows a line that is not quite level
        last = rows[-1][-1] if rows else None
        if last is not None and last.left <= piece.left and last.is_level_with(piece):
            rows[-1].append(piece)
        else:
            rows.append([piece])
    rows.sort(key=lambda row: -max(piece.base for piece in row))
    merged: list[list[Piece]] = []
    for row in rows:
        for other in reversed(merged[-4:]):
            if _are_one_line(other, row):
                other += row
                break
        else:
            merged.append(row)
    lines = [_make_line(row, page) for row in merged]
    lines.sort(key=lambda line: -line.base)
    return lines


def _are_one_line(upper: list[Piece], lower: list[Piece]) -> bool:
    first, last = min(p.left for p in lower), max(p.right for p in lower)
    left, right = min(p.left for p in upper), max(p.right for p in upper)
    overlap = min(last, right) - max(first, left)
    if overlap > max(2 * lower[0].size, 0.2 * min(last - first, right - left)):
        return False
    nearest = min(upper, key=lambda piece: abs(piece.right - first))
    return nearest.is_level_with(lower[0])


def _make_line(row: list[Piece], page: int) -> Line:
    before = {id(piece): row[at - 1] if at else None for at, piece in enumerate(row)}
    ordered = sorted(row, key=lambda piece: piece.left)
    lengths: Counter[float] = Counter()
    for piece in ordered:
        # a short line may have more digits above it than letters
        letters = sum(map(str.isalpha, piece.text))
        lengths[round(piece.size, 1)] += 20 * letters + len(piece.text)
    size = lengths.most_common(1)[0][0] or 1.0
    base = median(p.base for p in ordered if abs(p.size - size) <= 0.1 * size + 0.1)
    parts: list[str] = []
    gaps = []
    last: Piece | None = None
    for piece in ordered:
        space = piece.left - last.right if last is not None else 0.0
        if last is not None:
            glued = piece.glued if before[id(piece)] is last else space < 0.12 * size
            if not glued:
                parts.append(" ")
                gaps.append(space / size)
        raised = piece.size < 0.87 * size and piece.base > base + 0.15 * size
        parts.append(raise_numbers(piece.text) if raised else piece.text)
        last = piece
    text = "".join(parts)
    if _SPACED.fullmatch(text):
        text = text.replace(" ", "")
    bold = sum(len(p.text) for p in ordered if p.bold) * 2 > sum(len(p.text) for p in ordered)
    word = text.split(" ", 1)[0]
    right = max(piece.right for piece in ordered)
    width = right - ordered[0].left
    return Line(
        text=text,
        left=ordered[0].left,
        right=right,
        base=base,
        size=size,
        bold=bold,
        gap=max(gaps, default=0.0),
        gaps=sum(gap > 1.2 for gap in gaps),
        first=width * len(word) / max(1, len(text)),
        page=page,
    )
