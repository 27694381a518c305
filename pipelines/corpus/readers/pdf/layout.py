"""The lines of a page in reading order: columns are found, and running heads are left out."""

import re
from bisect import bisect
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import pairwise
from statistics import median
from typing import TypeAlias

import numpy as np

from citespan.pipelines.corpus.paragraphs import raise_numbers
from citespan.pipelines.corpus.readers.pdf.extraction import Piece

_SPACED = re.compile(r"(?:[^\W\d_] ){4,}[^\W\d_]")  # "A B S T R A C T"
_DIGITS = re.compile(r"\d+|\b[ivxlc]{1,6}\b")
_PAGE_NUMBER = re.compile(
    r"\W{0,3}(?:p(?:age|\.)?\s?)?(?:[A-Z]\d?-?)?\d{1,5}\W{0,3}(?:of\s\d{1,5})?\W{0,2}",
    re.IGNORECASE,
)
_IMPRINT = re.compile(
    r"\bproceedings of\b|\bcopyright\b|©|\ball rights reserved\b|\bISSN\b|\bpermission\b"
    r"|\bAssociation for Computational Linguistics\b|\bpp\.|\bhttps?://|\bdoi\b"
    r"|\bpreprint submitted\b|^[A-Z][a-z]{2,8} \d{1,2}, \d{4}$",
    re.IGNORECASE,
)
_CAPTION = re.compile(r"(?:fig|tab|scheme|box|algorithm)", re.IGNORECASE)
_ROWS_OF_HEADS = 3
_MOST_IN_HEAD = 40  # pieces
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
_STRIP = 2.0  # points between the edges of numbers that stand below one another
_FEWEST_NUMBERED = 4
_LEAST_EVEN = 0.6
_MOST_RAISED = 0.6  # of a number above its line, in sizes
_MOST_BESIDE = 2  # pieces, as of a running head


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
    """Return the lines of all pages in reading order, without running heads, page numbers and
    numbers of lines."""
    pages = list(map(_leave_out, pages, find_numbers_of_pages(pages)))
    bodies = list(map(_leave_out, pages, find_running_heads(pages)))
    gutters = [found for body in bodies if (found := _Places(body).find_gutter()) is not None]
    usual = [
        gutter
        for gutter in gutters
        if len(pages) < _FEW_PAGES or sum(abs(gutter - other) < _NEAR for other in gutters) > 1
    ]
    lines: list[Line] = []
    for number, body in enumerate(bodies, 1):
        for column, part in enumerate(find_columns(body, usual)):
            own = make_lines(_leave_out(part, find_line_numbers(part)), number)
            if not own:  # nothing but numbers
                continue
            ends = sorted(line.right for line in own)
            edges = min(line.left for line in own), ends[-1 - len(ends) // _MOST_TOO_LONG]
            for line in own:
                line.column, line.span = column, edges
            lines += own
    return lines


def _leave_out(pieces: Sequence[Piece], numbers: set[int]) -> list[Piece]:
    return [piece for at, piece in enumerate(pieces) if at not in numbers]


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
        self._ends_line[:-1] = (
            np.abs(np.diff(self._bases)) > _LEAST_GAP * sizes[:-1]
        ) | ~_is_within(self._lefts[1:] - self._rights[:-1], _LEAST_GAP * sizes[:-1])
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


def _is_within(
    gaps: "np.ndarray[tuple[int], np.dtype[np.float64]]",
    most: "np.ndarray[tuple[int], np.dtype[np.float64]]",
) -> _Chosen:
    return (gaps > -most) & (gaps < most)


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
        if last is not None and last.left <= piece.left and _is_level(last, piece):
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


def _is_level(piece: Piece, other: Piece) -> bool:
    """Whether two pieces stand on one line, be it as superscript or subscript of the other."""
    small, large = sorted((piece, other), key=lambda piece: piece.size)
    middle = small.base + 0.3 * small.size
    return large.base - 0.15 * large.size <= middle <= large.base + 0.75 * large.size


def _are_one_line(upper: list[Piece], lower: list[Piece]) -> bool:
    first, last = min(p.left for p in lower), max(p.right for p in lower)
    left, right = min(p.left for p in upper), max(p.right for p in upper)
    overlap = min(last, right) - max(first, left)
    if overlap > max(2 * lower[0].size, 0.2 * min(last - first, right - left)):
        return False
    nearest = min(upper, key=lambda piece: abs(piece.right - first))
    return _is_level(nearest, lower[0])


def _make_line(row: list[Piece], page: int) -> Line:
    before = {id(piece): row[at - 1] if at else None for at, piece in enumerate(row)}
    ordered = sorted(row, key=lambda piece: piece.left)
    lengths: Counter[float] = Counter()
    for piece in ordered:
        lengths[round(piece.size, 1)] += len(piece.text)
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


def find_numbers_of_pages(pages: Sequence[Sequence[Piece]]) -> list[set[int]]:
    """Return for each page which of its pieces, by number, number its lines. Where most pages have
    such numbers, they are known on the others, which may have few, by their place and size."""
    found = [find_line_numbers(pieces) for pieces in pages]
    known = [pieces[at] for pieces, own in zip(pages, found, strict=True) for at in own]
    if 2 * sum(map(bool, found)) <= len(pages):
        return found
    edge, size = (median(getattr(piece, name) for piece in known) for name in ("right", "size"))
    return [
        own
        | {
            at
            for at, piece in enumerate(pieces)
            if piece.text.isdecimal()
            and abs(piece.right - edge) < _STRIP
            and abs(piece.size - size) < 0.1 * size
        }
        for pieces, own in zip(pages, found, strict=True)
    ]


def find_line_numbers(pieces: Sequence[Piece]) -> set[int]:
    """Return which pieces of a page or column, by number, number its lines, or every fifth: they
    stand below one another beside all text."""
    numbers = [
        at for at, piece in enumerate(pieces) if len(piece.text) < 5 and piece.text.isdecimal()
    ]
    lefts, rights = [piece.left for piece in pieces], [piece.right for piece in pieces]
    sorted_lefts, sorted_rights = sorted(lefts), sorted(rights)
    size = median(piece.size for piece in pieces) if pieces else 0.0
    rows: list[float] = []
    for base in sorted(piece.base for piece in pieces):
        if not rows or base - rows[-1] > _MOST_RAISED * size:
            rows.append(base)
    found: set[int] = set()
    for edges in (rights, lefts):
        strip: list[int] = []
        numbers.sort(key=edges.__getitem__)
        for at, following in zip(numbers, [*numbers[1:], None], strict=False):
            strip.append(at)
            if following is not None and edges[following] - edges[at] < _STRIP:
                continue
            before = bisect(sorted_lefts, max(rights[at] for at in strip))
            after = len(pieces) - bisect(sorted_rights, min(lefts[at] for at in strip))
            beside_all = min(before, after) - len(strip) <= _MOST_BESIDE
            strip.sort(key=lambda at: -pieces[at].base)
            steps = list(pairwise(pieces[at] for at in strip))
            is_long = len(strip) >= _FEWEST_NUMBERED
            if beside_all and is_long and _number_lines(steps, rows, size):
                found.update(strip)
            strip = []
    return found


def _number_lines(steps: Sequence[tuple[Piece, Piece]], rows: Sequence[float], size: float) -> bool:
    """Whether most numbers are as much larger than the number above them as they are lines below
    it.

    Args:
        rows: baselines of the lines, from the lowest up.
        size: of most text, in points.
    """
    apart = _MOST_RAISED * size
    counts = Counter(
        growth
        for above, below in steps
        if (growth := int(below.text) - int(above.text)) > 0
        and growth - 1 == bisect(rows, above.base - apart) - bisect(rows, below.base + apart)
    )
    return max(counts.values(), default=0) > _LEAST_EVEN * len(steps)


def find_running_heads(pages: Sequence[Sequence[Piece]]) -> list[set[int]]:
    """Return for each page which of its pieces, by number, are running heads, page numbers or the
    imprint of its first page."""
    edges = [[*_find_edge_rows(pieces)] for pieces in pages]
    found: list[set[int]] = []
    for number, rows in enumerate(edges):
        left_out: set[int] = set()
        for at_top, depth, text, base, pieces, distance in rows:
            near = [
                row
                for offset in (-4, -3, -2, -1, 1, 2, 3, 4)
                if 0 <= number + offset < len(edges)
                for row in edges[number + offset]
                if row[0] == at_top and abs(row[3] - base) < 8
            ]
            alike = sum(_are_alike(text, row[2]) for row in near)
            is_number = depth == 0 and distance > 2 and _PAGE_NUMBER.fullmatch(text)
            is_imprint = number == 0 and not at_top and _IMPRINT.search(text)
            repeats = alike >= (2 if len(pages) > 3 else 1) and not _CAPTION.match(text)
            if repeats or is_number or is_imprint:
                left_out |= pieces
        found.append(left_out)
    return found


def _find_edge_rows(
    pieces: Sequence[Piece],
) -> Iterator[tuple[bool, int, str, float, set[int], float]]:
    """Yield the rows at the top and at the bottom of a page, divided at wide gaps: whether at its
    top, how many are outside of it, text, baseline, pieces by number, and the distance to the row
    inside of it in sizes."""
    order = sorted(range(len(pieces)), key=lambda at: -pieces[at].base)
    rows: list[list[int]] = []
    for at in order:
        if rows and _is_level(pieces[rows[-1][0]], pieces[at]):
            rows[-1].append(at)
        else:
            rows.append([at])
    many = len(rows)
    for depth in range(min(_ROWS_OF_HEADS, many // 2)):
        for at_top, place in ((True, depth), (False, many - 1 - depth)):
            row = sorted(rows[place], key=lambda at: pieces[at].left)
            if len(row) > _MOST_IN_HEAD:
                continue
            inner = rows[place + 1] if at_top else rows[place - 1]
            step = abs(pieces[inner[0]].base - pieces[row[0]].base)
            part: list[int] = []
            for at, following in zip(row, [*row[1:], None], strict=True):
                part.append(at)
                size = max(pieces[at].size, 1.0)
                if following is None or pieces[following].left - pieces[at].right > 4 * size:
                    text = " ".join(pieces[number].text for number in part)
                    yield at_top, depth, text, pieces[at].base, set(part), step / size
                    part = []


def _are_alike(text: str, other: str) -> bool:
    first, second = (_DIGITS.sub("#", text.lower())[:300] for text in (text, other))
    if first == second:
        return True
    if min(len(first), len(second)) < 8:
        return False
    return SequenceMatcher(None, first, second).quick_ratio() > 0.9 and (
        SequenceMatcher(None, first, second).ratio() > 0.85
    )
