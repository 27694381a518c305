"""What the lines of a PDF are: headings, paragraphs, captions, footnotes, entries of the reference
list, or none of these, as the numbers of a table.
"""

import re
import unicodedata
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from statistics import median
from typing import Literal

from citespan.pipelines.corpus.readers.pdf.layout import Line
from citespan.pipelines.corpus.reference_section import is_reference_heading

BlockKind = Literal["heading", "paragraph", "caption", "footnote"]

_NUMBERED_HEADING = re.compile(
    r"(?:(\d{1,2}(?:\.\d{1,2}){0,3})\.?|([IVX]{1,5}|[A-H](?:\.\d{1,2}){0,3})\.)\s+(?=[^\W\d_])"
)
_KNOWN_HEADING = re.compile(
    r"(?:\d{1,2}\.?\s+|[IVX]{1,4}\.\s+)?(?:abstract|summary|introduction|background|(?:materials?\sand\s)?"
    r"methods?|(?:patients|subjects)\sand\smethods|results?(?:\sand\sdiscussion)?|discussion"
    r"|(?:discussion\sand\s)?conclusions?|concluding\sremarks|related\swork|future\swork"
    r"|acknowledge?ments?|appendix(?:\s[A-Z\d])?|funding|note)\s?[.:]?",
    re.IGNORECASE,
)
_CAPTION = re.compile(
    r"(?i:(?:(?:supplementary|additional)\s)?"
    r"(?:fig(?:ure|s?\.)|tab(?:le|\.)|scheme|box|algorithm|plate))"
    r"\s?(?:S?\d{1,3}|[IVX]{1,5})[a-z]?(?:\s?[.:|–—-]|\s(?=[A-Z])|$)"
)
_NAMES_NEXT = re.compile(r"(?:\b(?:and|as|by|from|in|of|on|or|see|than|to|with)|\()$")
_TABLE = re.compile(r"(?:supplementary\s)?tab", re.IGNORECASE)
_FOOTNOTE = re.compile(r"[⁰¹²³⁴⁵⁶⁷⁸⁹]{1,3}|[*†‡§¶#∗]{1,3}|\d{1,3}(?=\s?[A-Z])")
_ENDED = re.compile(r"[.!?:;][\"”’')\]⁰¹²³⁴⁵⁶⁷⁸⁹,–-]*$")
_STARTS_LOW = re.compile(r"[^\w]{0,2}[a-z]")
_LIST_ITEM = re.compile(r"(?:[•·‣▪●◦–—*-]|\(?(?:\d{1,2}|[a-z]|[ivx]{1,4})[.)])\s")
_WORD = re.compile(r"[^\W\d_]{2,}")
_YEAR = re.compile(r"(?:19|20)\d\d")
_LONGEST_HEADING = 200
_LINES_OF_HEADING, _LINES_OF_TITLE = 4, 10
_LONGEST_NUMBERED = 90
_LONGEST_SCRIPT = 3  # characters of what may stand above or below a line
# Of the size of most text.
_LARGER, _MUCH_LARGER, _SAME_SIZE = 1.08, 1.25, 0.08
# Of the usual distance between lines; within a heading, of its size.
_NEW_PARAGRAPH, _WITHIN_PARAGRAPH, _ALONE, _WITHIN_HEADING = 1.3, 1.15, 1.2, 1.6
_BETWEEN_ROWS = 3
_NEAR_CAPTION = 4
_LONG_TABLE = 5


@dataclass(slots=True)
class Block:
    """A stretch of the text.

    Attributes:
        lines: in order; they may be on several pages.
        level: of a heading, from 1.
    """

    kind: BlockKind
    lines: list[Line] = field(default_factory=list)
    level: int = 0

    @property
    def text(self) -> str:
        """Its lines with spaces between, hyphens at their ends still there."""
        return " ".join(line.text for line in self.lines)


@dataclass(frozen=True, slots=True)
class Style:
    """What most of the text of an article looks like: size in points, distance between baselines
    in sizes, and whether it is bold."""

    size: float
    leading: float
    bold: bool


def find_style(lines: Sequence[Line]) -> Style:
    """Return the style of the body of an article that has at least one line."""
    sizes: Counter[float] = Counter()
    for line in lines:
        sizes[round(line.size * 2) / 2] += len(line.text)
    most = sizes.most_common(1)[0][0]
    own = [line for line in lines if abs(line.size - most) <= 0.06 * most]
    length = sum(len(line.text) for line in own)
    bold = sum(len(line.text) for line in own if line.bold) * 2 > length
    steps = [
        (line.base - below.base) / most
        for line, below in pairwise(own)
        if line.page == below.page
        and line.column == below.column
        and 0 < line.base - below.base < 3 * most
    ]
    return Style(most, median(steps) if steps else 1.2, bold)


def find_blocks(lines: Sequence[Line], style: Style) -> list[Block]:
    """Return the blocks of an article in reading order. A footnote or caption that interrupts a
    paragraph follows it."""
    columns: dict[tuple[int, int], list[Line]] = {}
    for line in lines:
        columns.setdefault((line.page, line.column), []).append(line)
    blocks: list[Block] = []
    waiting: list[Block] = []  # what interrupts the last paragraph
    in_list = False
    for column in columns.values():
        for block in _divide_column(column, style):
            if block.kind == "heading":
                in_list = is_reference_heading(block.text) or (
                    in_list and not ends_list(block, style)
                )
            elif in_list and block.kind == "footnote":
                block.kind = "paragraph"  # entries are small, and many begin with a number
            goes_on = (
                bool(blocks)
                and blocks[-1].kind == "paragraph"
                and _goes_on(blocks[-1].lines[-1], block.lines[0], style)
            )
            if (
                block.kind == "caption"
                and goes_on
                and _NAMES_NEXT.search(blocks[-1].lines[-1].text)
            ):
                block.kind = "paragraph"  # "shown in" goes on with "Table 2. Others"
            if block.kind in ("caption", "footnote"):
                waiting.append(block)
                continue
            goes_on &= block.kind == "paragraph"
            divided = (
                bool(blocks)
                and block.kind == blocks[-1].kind == "heading"
                and _is_title_divided(blocks[-1].lines[-1], block.lines[0])
            )
            if goes_on or divided:
                blocks[-1].lines += block.lines
            else:
                blocks += waiting
                waiting = []
                blocks.append(block)
    blocks += waiting
    _set_levels(blocks)
    return blocks


def _is_title_divided(last: Line, first: Line) -> bool:
    """Whether a title's last line was taken for a part of the column below."""
    return (
        last.page == first.page
        and last.column != first.column
        and abs(last.size - first.size) < 0.05 * last.size
        and 0 < last.base - first.base < 1.6 * last.size
        and not is_known_heading(first.text)
    )


def _goes_on(last: Line, first: Line, style: Style) -> bool:
    """Whether a paragraph goes on at the top of another column."""
    if (last.page, last.column) == (first.page, first.column):
        return False
    if abs(last.size - first.size) > _SAME_SIZE * style.size:
        return False
    if not _ENDED.search(last.text):
        return not _LIST_ITEM.match(first.text) or bool(_STARTS_LOW.match(first.text))
    return not _has_room(last, first) and first.left - first.span[0] < 0.8 * style.size


def _has_room(line: Line, following: Line) -> bool:
    """Whether the next line's first word would have had room at the end of a line."""
    return line.span[1] - line.right > following.first + 0.6 * line.size


def _divide_column(lines: list[Line], style: Style) -> Iterator[Block]:
    notes_at = _find_footnotes(lines, style)
    body = _remove_tables(lines[:notes_at])
    block: Block | None = None
    for line, is_heading in zip(body, _find_headings(body, style), strict=True):
        if block is not None and _belongs(block, line, is_heading, style):
            block.lines.append(line)
            continue
        if block is not None:
            yield block
        is_caption = _CAPTION.match(line.text) is not None
        block = Block("caption" if is_caption else "heading" if is_heading else "paragraph", [line])
    if block is not None:
        yield block
    notes: list[Block] = []
    for line in lines[notes_at:]:
        if not notes or _FOOTNOTE.match(line.text):
            notes.append(Block("footnote", [line]))
        else:
            notes[-1].lines.append(line)
    yield from notes


def _find_footnotes(lines: Sequence[Line], style: Style) -> int:
    """Return the place in a column from which on all lines are footnotes."""
    start = len(lines)
    for at in range(len(lines) - 1, -1, -1):
        line = lines[at]
        if line.size > 0.93 * style.size:
            break
        if _FOOTNOTE.match(line.text) and not _CAPTION.match(line.text):
            start = at
    return start


def _is_tabular(line: Line) -> bool:
    return line.gap > 3 or line.gaps > 1


def _remove_tables(lines: list[Line]) -> list[Line]:
    """Return the lines without those of tables of numbers: lines with wide gaps, and the few
    between them, in long runs or beside the caption of a table."""
    runs: list[list[int]] = []
    for at, line in enumerate(lines):
        if _CAPTION.match(line.text) or not _is_tabular(line):
            continue
        near = runs and at - runs[-1][-1] <= _BETWEEN_ROWS
        if near and not any(
            _CAPTION.match(lines[between].text) for between in range(runs[-1][-1], at)
        ):
            runs[-1].append(at)
        else:
            runs.append([at])
    left_out: set[int] = set()
    for run in runs:
        around = lines[max(0, run[0] - _NEAR_CAPTION) : run[-1] + 1 + _NEAR_CAPTION]
        captioned = any(_TABLE.match(line.text) and _CAPTION.match(line.text) for line in around)
        table = range(run[0], run[-1] + 1)
        cells = [cell for at in table for cell in lines[at].text.split()]
        words = sum(_WORD.search(cell) is not None for cell in cells)
        if len(run) >= (2 if captioned else _LONG_TABLE) and words * 2 < len(cells):
            left_out.update(table)
    return [line for at, line in enumerate(lines) if at not in left_out]


def _belongs(block: Block, line: Line, is_heading: bool, style: Style) -> bool:
    """Whether a line goes on with the block before it."""
    before = block.lines[-1]
    step = (before.base - line.base) / max(before.size, line.size)
    within = not _ENDED.search(before.text) and not _has_room(before, line)
    same = abs(before.size - line.size) <= _SAME_SIZE * style.size
    if block.kind == "heading":
        is_large = line.size > _MUCH_LARGER * style.size
        return (
            is_heading
            and same
            and before.bold == line.bold
            and step < max(_WITHIN_HEADING, _WITHIN_PARAGRAPH * style.leading)
            and len(block.lines) < (_LINES_OF_TITLE if is_large else _LINES_OF_HEADING)
            and not _NUMBERED_HEADING.match(line.text)
            and not (is_known_heading(block.text) or is_known_heading(line.text))
        )
    if step > _NEW_PARAGRAPH * max(style.leading, 1.0):
        return False
    if not same and min(len(before.text), len(line.text)) > _LONGEST_SCRIPT:
        return False
    if is_heading or _CAPTION.match(line.text):
        return within and step < _WITHIN_PARAGRAPH * style.leading
    if block.kind == "caption" or not _ENDED.search(before.text):
        return True
    is_item = len(block.lines) == 1 and _LIST_ITEM.match(before.text)
    if 0.7 * style.size < line.left - before.left < 4 * style.size and not is_item:
        return False
    return not _has_room(before, line)


def _is_heading_style(line: Line, style: Style) -> bool:
    return line.size > _LARGER * style.size or (
        line.bold and not style.bold and line.size > 0.9 * style.size
    )


def _find_headings(lines: Sequence[Line], style: Style) -> list[bool]:
    """Return for each line of a column whether it is a heading or a part of one."""
    found: list[bool] = []
    for before, line, after in zip([None, *lines], lines, [*lines[1:], None], strict=False):
        is_heading = _is_heading(before, line, after, style)
        if is_heading and line.size <= _MUCH_LARGER * style.size:
            begins = (
                not _STARTS_LOW.match(line.text)
                or _is_usual(line.text)
                or (found[-1:] == [True] and _looks_like(line, before))
            )
            ends = line.text[-1] not in ",-" or _looks_like(line, after)
            is_heading = begins and ends
        found.append(is_heading)
    return found


def _is_usual(text: str) -> bool:
    return is_known_heading(text) or is_reference_heading(text)


def _looks_like(line: Line, other: Line | None) -> bool:
    return (
        other is not None
        and abs(line.size - other.size) < 0.05 * line.size
        and line.bold == other.bold
    )


def _is_heading(before: Line | None, line: Line, after: Line | None, style: Style) -> bool:
    letters = sum(len(word) for word in _WORD.findall(line.text))
    if len(line.text) > _LONGEST_HEADING or letters * 2 <= len(line.text.replace(" ", "")):
        return False
    if _is_usual(line.text):
        return True
    if _is_heading_style(line, style):
        if line.size > _MUCH_LARGER * style.size or (line.bold and not style.bold):
            return True
        # scans that have been recognised have sizes that vary from line to line
        alone = [before is None, after is None] + [
            (upper.base - lower.base) > _ALONE * style.leading * style.size
            for upper, lower in ((before, line), (line, after))
            if upper is not None and lower is not None
        ]
        return any(alone) and not _STARTS_LOW.match(line.text) and line.text[-1] not in ",-"
    numbered = _NUMBERED_HEADING.match(line.text)
    if numbered is None or after is None or _is_tabular(line):
        return False
    title = line.text[numbered.end() :]
    return (
        title[:1].isupper()
        and len(title) <= _LONGEST_NUMBERED
        and not _ENDED.search(title)
        and title[-1] not in ",-"
        and _has_room(line, after)
        and not _STARTS_LOW.match(after.text)
    )


def _set_levels(blocks: Sequence[Block]) -> None:
    """Set the levels of headings: by their numbers; else as those that look the same and have
    numbers; else by the order of their styles."""
    headings = [block for block in blocks if block.kind == "heading"]
    styles = [_describe_style(block) for block in headings]
    levels = [_count_levels(block.text) for block in headings]
    numbered = {style: level for style, level in zip(styles, levels, strict=True) if level}
    order = {style: rank for rank, style in enumerate(sorted(set(styles), reverse=True), 1)}
    for block, style, level in zip(headings, styles, levels, strict=True):
        block.level = level or numbered.get(style) or order[style]


def _describe_style(block: Block) -> tuple[float, bool, bool]:
    line = block.lines[0]
    return round(2 * line.size) / 2, line.bold, block.text.isupper()


def _count_levels(title: str) -> int:
    """Return the level that a heading's number says; 0 if it has none."""
    number = _NUMBERED_HEADING.match(title)
    return number[1].count(".") + 1 if number and number[1] else 0


def ends_list(block: Block, style: Style) -> bool:
    """Whether what follows a heading is no part of the reference list that it stands in."""
    line = block.lines[0]
    if _is_usual(block.text):
        return True
    is_entry = _LIST_ITEM.match(line.text) or line.text[0] == "[" or _YEAR.search(block.text)
    stands_out = line.size > _MUCH_LARGER * style.size or (line.bold and not style.bold)
    return stands_out and len(block.text) < _LONGEST_NUMBERED and not is_entry


def is_known_heading(text: str) -> bool:
    """Whether a text is a heading that most articles have."""
    return _KNOWN_HEADING.fullmatch(text) is not None


def split_caption(text: str) -> tuple[str, str]:
    """Return the name of a figure or table and what its caption says: "Figure 2" and "Survival."
    of "Figure 2: Survival."."""
    found = _CAPTION.match(text)
    if found is None:
        return "", text
    return found[0].rstrip(" .:|–—-"), text[found.end() :].strip()


def split_footnote(text: str) -> tuple[str, str]:
    """Return the name of a footnote and what it says: "Footnote 3" and "See there." of
    "³ See there."."""
    found = _FOOTNOTE.match(text)
    if found is None:
        return "Footnote", text
    mark = unicodedata.normalize("NFKC", found[0])
    return f"Footnote {mark}", text[found.end() :].strip()


def strip_number(title: str) -> str:
    """Return a heading without its number: "Methods" of "2.1 Methods"."""
    found = _NUMBERED_HEADING.match(title)
    return title[found.end() :] if found else title
