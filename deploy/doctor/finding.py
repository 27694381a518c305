"""What one check found."""

from dataclasses import dataclass
from typing import Literal

State = Literal["ok", "warning", "failure"]


@dataclass(frozen=True, slots=True)
class Finding:
    """One line of the report.

    Attributes:
        check: what was looked at.
        found: what there is.
        remedy: what to do, in one line; "" if nothing is wrong.
    """

    check: str
    state: State
    found: str
    remedy: str = ""


def some(names: list[str], most: int = 5) -> str:
    """Return the first of some names, and how many more there are."""
    more = len(names) - most
    return ", ".join(names[:most]) + (f" and {more:,} more" if more > 0 else "")
