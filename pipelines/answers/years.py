"""A range of years, as people write it."""

import re
from dataclasses import dataclass

from citespan.pipelines.errors import InputError

_RANGE = re.compile(r"(\d{4})?(-)?(\d{4})?")


@dataclass(frozen=True, slots=True)
class Years:
    """From `first` to `last`, both in it; None where it is open."""

    first: int | None = None
    last: int | None = None

    @property
    def open(self) -> bool:
        """Whether every year is in it, and so is no year at all."""
        return self.first is None and self.last is None

    def __contains__(self, year: int | None) -> bool:
        if year is None:
            return self.open
        return (self.first is None or self.first <= year) and (
            self.last is None or year <= self.last
        )


def read_years(text: str) -> Years:
    """The range of a text like "2010", "2010-", "-2015" or "2010-2015".

    Raises:
        InputError: if it is none.
    """
    found = _RANGE.fullmatch(text.replace(" ", "").replace("–", "-"))
    first, dash, last = found.groups() if found else (None, None, None)
    if (first and last and not dash) or not (first or last):
        raise InputError(f"year '{text}': write it as in 2010, 2010-, -2015 or 2010-2015")
    years = Years(int(first) if first else None, int(last) if last else None)
    if not dash:
        years = Years(years.first, years.first)
    if years.first and years.last and years.first > years.last:
        raise InputError(f"year '{text}': {years.first} is later than {years.last}")
    return years
