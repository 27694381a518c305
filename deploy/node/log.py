"""Reading the server's log."""

import re
from collections import deque
from pathlib import Path

_STACK_FRAME = re.compile(r"\s+(at |\.\.\. \d+ more|Suppressed: )")
_CHATTER = re.compile(r"\[[^\]]*\]\[(INFO|DEBUG|TRACE) ?\]")


def last_lines(file: Path, count: int) -> list[str]:
    """The last lines of a log file, oldest first; none if there is no file."""
    try:
        with file.open(encoding="utf-8", errors="replace") as lines:
            return [line.rstrip("\n") for line in deque(lines, maxlen=count)]
    except FileNotFoundError:
        return []


def telling_lines(file: Path, count: int = 12) -> list[str]:
    """The last lines that say what went wrong, oldest first: without stack frames, and without
    chatter unless there is nothing else."""
    kept = [
        line for line in last_lines(file, 2000) if line.strip() and not _STACK_FRAME.match(line)
    ]
    telling = [line for line in kept if not _CHATTER.match(line)]
    return (telling or kept)[-count:]
