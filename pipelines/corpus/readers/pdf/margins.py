"""What stands in the margins of pages: running heads, page and line numbers, the imprint."""

import re
from bisect import bisect
from collections import Counter
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from itertools import pairwise
from statistics import median

from citespan.pipelines.corpus.readers.pdf.extraction import Piece

_DIGITS = re.compile(r"\d+|\b[ivxlc]{1,6}\b")
_NUMBER = re.compile(r"\d{1,5}(?!\d)")
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
_STRIP = 2.0  # points between the edges of numbers that stand below one another
_FEWEST_NUMBERED = 4
_LEAST_EVEN = 0.6
_MOST_RAISED = 0.6  # of a number above its line, in sizes
_MOST_BESIDE = 2  # pieces, as of a running head


def leave_out_margins(pages: Sequence[Sequence[Piece]]) -> list[list[Piece]]:
    """Return the pieces of each page without those in its margins."""
    bodies = list(map(_leave_out, pages, _find_numbers_of_pages(pages)))
    return list(map(_leave_out, bodies, _find_running_heads(bodies)))


def leave_out_line_numbers(pieces: Sequence[Piece]) -> list[Piece]:
    """Return the pieces of a column without those that number its lines."""
    return _leave_out(pieces, _find_line_numbers(pieces))


def _leave_out(pieces: Sequence[Piece], numbers: set[int]) -> list[Piece]:
    return [piece for at, piece in enumerate(pieces) if at not in numbers]


def _find_numbers_of_pages(pages: Sequence[Sequence[Piece]]) -> list[set[int]]:
    """Return for each page which of its pieces, by number, number its lines. Where most pages have
    such numbers, they are known on the others, which may have few, by their place and size."""
    found = [_find_line_numbers(pieces) for pieces in pages]
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


def _find_line_numbers(pieces: Sequence[Piece]) -> set[int]:
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


def _find_running_heads(pages: Sequence[Sequence[Piece]]) -> list[set[int]]:
    """Return for each page which of its pieces, by number, are running heads, page numbers or the
    imprint of its first page."""
    edges = [[*_find_edge_rows(pieces)] for pieces in pages]
    found: list[set[int]] = []
    for number, rows in enumerate(edges):
        left_out: set[int] = set()
        for at_top, depth, text, base, pieces, distance in rows:
            near = [
                (offset, row[2])
                for offset in (-4, -3, -2, -1, 1, 2, 3, 4)
                if 0 <= number + offset < len(edges)
                for row in edges[number + offset]
                if row[0] == at_top and abs(row[3] - base) < 8
            ]
            alike = [(offset, other) for offset, other in near if _are_alike(text, other)]
            counts = any(_counts_pages(text, other, offset) for offset, other in alike)
            is_number = depth == 0 and distance > 2 and _PAGE_NUMBER.fullmatch(text)
            is_imprint = number == 0 and not at_top and _IMPRINT.search(text)
            repeats = len(alike) >= (2 if len(pages) > 3 and not counts else 1)
            repeats = repeats and not _CAPTION.match(text)
            if repeats or is_number or is_imprint:
                left_out |= pieces
        found.append(left_out)
    return found


def _counts_pages(text: str, other: str, offset: int) -> bool:
    """Whether one of the numbers in a row is as much lower than in another as its page is."""
    pairs = zip(_NUMBER.findall(text), _NUMBER.findall(other), strict=False)
    return any(int(second) - int(first) == offset for first, second in pairs)


def _find_edge_rows(
    pieces: Sequence[Piece],
) -> Iterator[tuple[bool, int, str, float, set[int], float]]:
    """Yield the rows at the top and at the bottom of a page, divided at wide gaps: whether at its
    top, how many are outside of it, text, baseline, pieces by number, and the distance to the row
    inside of it in sizes."""
    order = sorted(range(len(pieces)), key=lambda at: -pieces[at].base)
    rows: list[list[int]] = []
    for at in order:
        if rows and pieces[rows[-1][0]].is_level_with(pieces[at]):
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
