"""Citation markers behind the full stop that they close: "in yeast.23 AT1", "in yeast. [23] We".

To a splitter, such a number is a part of the word before it or the first word of the next
sentence. Where the mark-up of an article says that it is a citation, a splitter need not see it.
"""

import re
from collections.abc import Sequence

from citespan.pipelines.corpus.references import Link

_ENDED = re.compile(r"[a-zA-Z\d%)\]][.?!][)\]”\"’']?\s?[\[(]?$")
# "As Ito et al. [23] DNA …": the splitter knows better.
_ABBREVIATED = re.compile(
    r"(?i)\b(?:al|approx|ca|cf|drs?|e\.\s?g|etc|figs?|i\.\s?e|nos?|refs?|vs)\.\s?[\[(]?$"
)
_BETWEEN = re.compile(r"[\s,;()\[\]&‐‑‒–—−-]{0,6}(?:and\s)?")
_CLOSED = re.compile(r"[\])]?\s")
_NEXT = re.compile(r"[\])]?\s+(?:[^\W_a-z]|[(\[“‘\"'])")
_NUMBERS = re.compile(r"[\d\s,;()\[\]a-e‐‑‒–—−-]*")
_LOOKED_BACK = 12


def hide_closing_markers(text: str, links: Sequence[Link]) -> str:
    """Return a text of the same length, with spaces in place of each marker of numbers that stands
    between the end of a sentence and a capital, digit or bracket.

    Args:
        links: as in `Article.links`.
    """
    parts: list[str] = []
    shown = 0
    for start, end in _find_runs(text, links):
        if not _NUMBERS.fullmatch(text, start, end):
            continue
        before = text[max(0, start - _LOOKED_BACK) : start]
        if not _ENDED.search(before) or _ABBREVIATED.search(before):
            continue
        if not _NEXT.match(text, end):
            continue
        closed = _CLOSED.match(text, end)
        assert closed is not None
        start -= text[start - 1] in "[("
        end = closed.end() - 1
        parts += [text[shown:start], " " * (end - start)]
        shown = end
    return "".join([*parts, text[shown:]]) if parts else text


def _find_runs(text: str, links: Sequence[Link]) -> list[tuple[int, int]]:
    """Return (start, end) of links that stand together."""
    runs: list[tuple[int, int]] = []
    for link in links:
        if runs and _BETWEEN.fullmatch(text, runs[-1][1], link.start):
            runs[-1] = (runs[-1][0], link.end)
        else:
            runs.append((link.start, link.end))
    return runs
