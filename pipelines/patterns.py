"""Patterns that are compiled when they are first used, since a large one takes milliseconds."""

import re
from functools import cache


@cache
def compile_once(pattern: str, flags: int = 0) -> re.Pattern[str]:
    """Return the compiled pattern, the same object at every call."""
    return re.compile(pattern, flags)
