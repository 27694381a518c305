"""The paragraphs of a text: what stands between blank lines."""

import re
from collections.abc import Iterator

# A byte-order mark is no letter of the text, but Python doesn't count it as white space.
_MARK = "\ufeff"
_TO_NEXT_LETTER = re.compile(rf"[\s{_MARK}]*")


def trimmed(text: str, start: int, end: int) -> tuple[int, int]:
    """(start, end) of `text[start:end]` without the white space at either end.

    start = end where there is nothing but white space.
    """
    if start < end and _is_white(text[start]):
        found = _TO_NEXT_LETTER.match(text, start, end)
        assert found is not None
        start = found.end()
    while end > start and _is_white(text[end - 1]):
        end -= 1
    return start, end


def _is_white(character: str) -> bool:
    return character.isspace() or character == _MARK


def paragraphs(text: str) -> Iterator[tuple[int, int]]:
    """(start, end) of every paragraph, in order, without white space at either end.

    A line of nothing but white space parts two paragraphs; a line break alone does not.
    """
    start = end = -1
    position = 0
    while position <= len(text):
        stop = text.find("\n", position)
        stop = len(text) if stop < 0 else stop
        first, last = trimmed(text, position, stop)
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
