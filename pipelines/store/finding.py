"""What one check found."""

from dataclasses import dataclass
from typing import Literal

State = Literal["ok", "warning", "failure"]
LEFT_OVER = (
    "a load that is under way writes them, or an interrupted one has left them: repeat that load, "
    "or run `citespan doctor --repair`"
)
"""The remedy for documents that no entry of the catalogue names."""
LOST = "index these articles again; `citespan doctor --repair` forgets those without any document"
"""The remedy for entries of the catalogue without all of their documents."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One line of the report.

    Attributes:
        check: what was looked at.
        found: what was found, in one line.
        remedy: what to do, in one line; "" if nothing is wrong.
    """

    check: str
    state: State
    found: str
    remedy: str = ""


def some(names: list[str], most: int = 5) -> str:
    """Return the first of some names, and the number of the others."""
    more = len(names) - most
    return ", ".join(names[:most]) + (f" and {more:,} more" if more > 0 else "")
