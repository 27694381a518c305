"""What stands between two marks in a text, such as braces behind a command, or in a comment."""

import re
from collections.abc import Iterator


def remove_between(text: str, begin: re.Pattern[str], end: re.Pattern[str]) -> str:
    """Return a text with a space for all from each beginning to its end, such as of a comment; one
    without an end stays."""
    parts, position = [], 0
    while (begun := begin.search(text, position)) and (ended := end.search(text, begun.end())):
        parts += [text[position : begun.start()], " "]
        position = ended.end()
    return "".join([*parts, text[position:]])


LONGEST_GROUP = 4000
"""Characters that stand between two braces or brackets."""
_BRACKETS = {"{": re.compile(r"\\.|[{}]", re.DOTALL), "[": re.compile(r"\\.|[\[\]]", re.DOTALL)}
_STEPS = {"{": 1, "[": 1, "}": -1, "]": -1}


def take_group(text: str, start: int) -> tuple[str, int]:
    """Return what the braces or brackets at `start` hold, and where the text behind them begins;
    those that do not close within 4,000 characters hold these."""
    depth = 0
    stop = min(len(text), start + LONGEST_GROUP)
    for bracket in _BRACKETS[text[start]].finditer(text, start, stop):
        depth += _STEPS.get(bracket[0], 0)
        if depth == 0 and bracket[0] in "}]":
            return text[start + 1 : bracket.start()], bracket.end()
    return text[start + 1 : stop], stop


def find_groups(command: re.Pattern[str], text: str) -> Iterator[tuple[re.Match[str], str, int]]:
    """Yield each command with what its braces or brackets hold and where the text behind them
    begins; commands within those are a part of what they hold.

    Args:
        command: ends where an opening brace or bracket follows.
    """
    end = 0
    for found in command.finditer(text):
        if found.start() >= end:
            inside, end = take_group(text, found.end())
            yield found, inside, end


def take_groups(command: re.Pattern[str], text: str) -> tuple[str, list[tuple[re.Match[str], str]]]:
    """Return a text without a kind of command, such as notes, and each with what its braces or
    brackets hold."""
    parts, groups, position = [], [], 0
    for found, inside, end in find_groups(command, text):
        parts.append(text[position : found.start()])
        groups.append((found, inside))
        position = end
    return "".join([*parts, text[position:]]), groups
