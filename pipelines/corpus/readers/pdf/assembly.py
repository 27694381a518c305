"""Makes an article of the blocks of a PDF: title, sections, text with its pages, reference list."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import pairwise
from statistics import median

from citespan.pipelines.corpus.article import Article, PageStart
from citespan.pipelines.corpus.paragraphs import PARAGRAPH_BREAK, Heading, Outline, lay_out
from citespan.pipelines.corpus.publication import Publication
from citespan.pipelines.corpus.readers.pdf.blocks import (
    Block,
    Style,
    ends_list,
    find_blocks,
    find_style,
    is_known_heading,
    split_caption,
    split_footnote,
    strip_number,
)
from citespan.pipelines.corpus.readers.pdf.extraction import NO_TEXT, Piece
from citespan.pipelines.corpus.readers.pdf.layout import Line, read_lines
from citespan.pipelines.corpus.readers.pdf.margins import leave_out_margins
from citespan.pipelines.corpus.reference_section import is_reference_heading
from citespan.pipelines.corpus.reference_text import read_entries, read_entry
from citespan.pipelines.errors import InputError

_ABSTRACT = re.compile(r"(?:abstract|summary)\b\s?[.:—–-]?\s*", re.IGNORECASE)
_FRONT_BLOCKS = 60
_LONGEST_TITLE = 300
_LEAST_PROSE = 200  # characters of a paragraph that is not about the authors


def make_article(pages: Sequence[Sequence[Piece]], name: str, source: str) -> Article:
    """Return the article that the pages of a PDF show.

    Raises:
        InputError: if nothing on them is text of an article.
    """
    lines = read_lines(leave_out_margins(pages))
    if not lines:
        raise InputError(NO_TEXT)
    style = find_style(lines)
    hyphens = _Hyphens(lines)
    title, blocks = _take_title(find_blocks(lines, style))
    paragraphs, listed = _divide(blocks, style)
    if title is not None:
        paragraphs.insert(0, (Heading("", "title"), title))
    joined = [_join(block.lines, hyphens) for _, block in paragraphs]
    shown: list[tuple[Heading, str]] = []
    starts: list[PageStart] = []
    end = 0
    for (heading, block), (text, places) in zip(paragraphs, joined, strict=True):
        if block.kind in ("caption", "footnote"):
            label, said = (split_caption if block.kind == "caption" else split_footnote)(text)
            heading = heading.below(label, "caption")
            places = [(max(0, place - len(text) + len(said)), page) for place, page in places]
            text = said
        if not text:
            continue
        begins = end + PARAGRAPH_BREAK if shown else 0
        starts += [PageStart(begins + place, page) for place, page in places]
        end = begins + len(text)
        shown.append((heading, text))
    text, sections = lay_out(shown)
    if not text:
        raise InputError(NO_TEXT)
    called = joined[0][0] if title is not None else ""
    entries = (_join(entry, hyphens)[0] for entry in split_entries(listed))
    return Article(
        id=name,
        title=called,
        text=text,
        source=source,
        sections=sections,
        publication=Publication(title=called),
        reference_list=read_entries([entry.translate(_LOWERED) for entry in entries]),
        pages=tuple(_merge(starts)),
    )


def _merge(starts: Sequence[PageStart]) -> Iterator[PageStart]:
    last = 0
    for start in starts:
        if start.page != last:
            yield start
        last = start.page


def _take_title(blocks: list[Block]) -> tuple[Block | None, list[Block]]:
    """Return the title, and the blocks behind it from the abstract or the first heading on; what
    stands between is about the authors."""
    front = [block for block in blocks[:_FRONT_BLOCKS] if block.lines[0].page == 1]
    begins = next((at for at, block in enumerate(front) if _begins_text(block)), len(front))
    candidates = [block for block in front[:begins] if block.kind == "heading"]
    title = max(candidates, key=lambda block: block.lines[0].size, default=None)
    if title is None and begins and len(front[0].text) <= _LONGEST_TITLE:
        title = front[0] if not front[0].text.endswith(".") else None
    if title is None:
        return None, blocks
    start = blocks.index(title) + 1
    if begins == len(front):
        begins = next(
            (at for at, block in enumerate(blocks) if at >= start and _is_text(block)), start
        )
    return title, blocks[max(start, begins) :]


def _begins_text(block: Block) -> bool:
    if block.kind == "heading":
        return is_known_heading(block.text) or is_reference_heading(block.text)
    return block.kind == "paragraph" and _ABSTRACT.match(block.text) is not None


def _is_text(block: Block) -> bool:
    return len(block.text) > _LEAST_PROSE or _begins_text(block)


def _divide(
    blocks: Sequence[Block], style: Style
) -> tuple[list[tuple[Heading, Block]], list[Line]]:
    """Return the blocks of the text, each with its heading, and the lines of the last reference
    list."""
    paragraphs: list[tuple[Heading, Block]] = []
    listed: list[Line] = []
    outline, heading = Outline(("abstract", "summary")), Heading("")
    in_list = False
    unnamed = _find_unnamed_list(blocks)
    for block in blocks:
        in_list |= block is unnamed
        if block.kind == "heading" and not (in_list and not ends_list(block, style)):
            title = strip_number(block.text).strip(" .:")
            heading = outline.enter(block.level, title)
            in_list = is_reference_heading(title)
            listed = [] if in_list else listed
        elif in_list and block.kind in ("heading", "paragraph"):
            listed += block.lines
        else:
            paragraphs.append((heading, block))
    return paragraphs, listed


def _find_unnamed_list(blocks: Sequence[Block]) -> Block | None:
    """Return the block that begins a reference list without a heading, as some LaTeX classes print
    it: the last with the number 1, with more numbers behind, most of which are entries; None where
    there is a heading."""
    for at, block in reversed(list(enumerate(blocks))):
        if block.kind == "heading" and is_reference_heading(strip_number(block.text).strip(" .:")):
            return None
        if block.kind == "paragraph" and _FIRST_ENTRY.match(block.text):
            lines = [line for each in blocks[at:] for line in each.lines]
            entries = split_entries(lines) if len(_find_numbers(lines)) >= _FEWEST_UNNAMED else []
            texts = [" ".join(line.text for line in entry) for entry in entries]
            read = [reference.publication for reference in read_entries(texts).references]
            are_entries = sum(bool(found.authors and found.year) for found in read)
            return block if 2 * are_entries > len(read) else None
    return None


_LOWERED = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹", "0123456789")
_NUMBER = re.compile(r"\W?(\d{1,4})(?:[\].):]|(?=\s))")
_NAMED = re.compile(r"\[[\w+,. &’'-]{2,40}\]")
_MOST_MISSING = 3  # numbers in a row that are not found
_FIRST_ENTRY = re.compile(r"(?:\[1\]|\(1\)|1\.)\s")
_FEWEST_ENTRIES, _FEWEST_UNNAMED = 2, 5
_LONGEST_ENTRY = 12  # lines, on average
_INDENT = 0.6  # in sizes
_MOST_UNINDENTED = _LEAST_NAMED = 0.8
_WIDE_GAP = 1.2  # of the usual distance between lines
_READ_OF_ENTRY = 3  # lines that have its authors


def split_entries(lines: Sequence[Line]) -> list[list[Line]]:
    """Return the lines of each entry of a reference list, which begins at a number or a name in
    brackets, else where lines are not indented, else behind a wide gap."""
    for find in (_find_numbers, _find_names, _find_unindented, _find_gaps):
        starts = find(lines)
        if len(starts) >= _FEWEST_ENTRIES and len(lines) <= _LONGEST_ENTRY * len(starts):
            ends = [*starts[1:], len(lines)]
            return [list(lines[a:b]) for a, b in zip(starts, ends, strict=True)]
    return [list(lines)] if lines else []


def _find_numbers(lines: Sequence[Line]) -> list[int]:
    starts: list[int] = []
    last, usual = 0, ""
    for at, line in enumerate(lines):
        found = _NUMBER.match(line.text.translate(_LOWERED))
        if found is None:
            continue
        form = found[0].replace(found[1], "")
        # "22:154–163" is no entry of a list whose numbers are "[20]"
        alike = not starts or form == usual
        most = last + 1 + _MOST_MISSING * bool(starts and alike)
        if last < int(found[1]) <= most and (alike or ":" not in form):
            usual = usual if starts else form
            starts.append(at)
            last = int(found[1])
    return starts


def _find_names(lines: Sequence[Line]) -> list[int]:
    return [at for at, line in enumerate(lines) if _NAMED.match(line.text)]


def _find_unindented(lines: Sequence[Line]) -> list[int]:
    edges: dict[tuple[int, int], float] = {}
    for line in lines:
        column = line.page, line.column
        edges[column] = min(line.left, edges.get(column, line.left))
    starts = [
        at
        for at, line in enumerate(lines)
        if line.left - edges[line.page, line.column] < _INDENT * line.size
    ]
    if len(starts) >= _MOST_UNINDENTED * len(lines):  # unless most entries have one line
        named = sum(bool(read_entry(lines[at].text).authors) for at in starts)
        return starts if named >= _LEAST_NAMED * len(starts) else []
    return starts


def _find_gaps(lines: Sequence[Line]) -> list[int]:
    steps = [
        line.base - below.base if (line.page, line.column) == (below.page, below.column) else 0.0
        for line, below in pairwise(lines)
    ]
    downward = [step for step in steps if step > 0]
    if not downward:
        return []
    widest = _WIDE_GAP * median(downward)
    return [
        0,
        *(
            at
            for at, step in enumerate(steps, 1)
            if step > widest or (step <= 0 and _begins_entry(lines, at))
        ),
    ]


def _begins_entry(lines: Sequence[Line], at: int) -> bool:
    """Whether a line at the top of a page or column names authors, or those of the entry before,
    behind a full stop."""
    above, *entry = (line.text for line in lines[at - 1 : at + _READ_OF_ENTRY])
    return above.endswith(".") and bool(read_entry(" ".join(entry), before=("same",)).authors)


def _join(lines: Sequence[Line], hyphens: "_Hyphens") -> tuple[str, list[tuple[int, int]]]:
    """Return the text of lines, without hyphens that divide a word, and the places at which a page
    begins, with its number."""
    text = ""
    places: list[tuple[int, int]] = []
    for line in lines:
        if text.endswith("-"):
            text = text[: len(text) - hyphens.divides(text[-_LONGEST_WORD:], line.text)]
        elif text:
            text += " "
        if not places or places[-1][1] != line.page:
            places.append((len(text), line.page))
        text += line.text
    return text, places


_WORD = re.compile(r"[^\W_]+(?:-[^\W_]+)*")
_LONGEST_WORD = 50
_LAST_PART = re.compile(r"[^\W\d_]{1,50}(?=-\Z)")
_FIRST_PART = re.compile(r"[^\W\d_]+")
_SHORTEST_PART = 3


class _Hyphens:
    """Which hyphens at the ends of lines divide a word, judged by the words of the article."""

    def __init__(self, lines: Sequence[Line]) -> None:
        self._words = Counter(word for line in lines for word in _WORD.findall(line.text.lower()))
        divided = [
            parts
            for line, following in pairwise(lines)
            if (parts := _find_parts(line.text, following.text))
        ]
        self._words.subtract(part for parts in divided for part in parts)  # they may be no words
        judged = [self._judge(*parts) for parts in divided]
        self._usually = judged.count(True) >= judged.count(False)

    def divides(self, before: str, after: str) -> bool:
        """Whether the hyphen at the end of `before` goes when `after` is joined to it: where the
        article has the whole word elsewhere, or does so with most others that it has."""
        parts = _find_parts(before, after)
        if parts is None:
            return False
        judged = self._judge(*parts)
        return self._usually if judged is None else judged

    def _judge(self, left: str, right: str) -> bool | None:
        whole, hyphened = self._words[left + right], self._words[f"{left}-{right}"]
        if whole != hyphened:
            return whole > hyphened
        are_long = min(len(left), len(right)) >= _SHORTEST_PART
        return False if are_long and min(self._words[left], self._words[right]) > 0 else None


def _find_parts(before: str, after: str) -> tuple[str, str] | None:
    """Return the two parts of a word that may be divided at the end of a line; None if it can't."""
    left, right = _LAST_PART.search(before[-_LONGEST_WORD:]), _FIRST_PART.match(after)
    if left is None or right is None or not right[0][0].islower() or len(left[0]) == 1:
        return None
    return left[0].lower(), right[0].lower()
