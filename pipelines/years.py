"""Ranges of years of publication, as people write them."""

import re
from dataclasses import dataclass

from citespan.pipelines.errors import InputError


@dataclass(frozen=True, slots=True)
class Years:
    """The years from `first` to `last`, inclusive; None where the range is open."""

    first: int | None = None
    last: int | None = None

    @property
    def open(self) -> bool:
        """Whether the range contains every year, and abstracts without a year."""
        return self.first is None and self.last is None

    @property
    def bounds(self) -> dict[str, int]:
        """The range as Elasticsearch's range query writes it; empty if it is open."""
        bounds = {"gte": self.first, "lte": self.last}
        return {name: year for name, year in bounds.items() if year is not None}

    def __contains__(self, year: int | None) -> bool:
        if year is None:
            return self.open
        return (self.first is None or self.first <= year) and (
            self.last is None or year <= self.last
        )


def read_years(text: str) -> Years:
    """Parse a range such as "2010", "2010-", "-2015" or "2010-2015".

    Raises:
        InputError: if the text is no such range.
    """
    found = re.fullmatch(r"(\d{4})?(-)?(\d{4})?", text.replace(" ", "").replace("–", "-"))
    first, dash, last = found.groups() if found else (None, None, None)
    if (first and last and not dash) or not (first or last):
        raise InputError(f"year '{text}': write it as in 2010, 2010-, -2015 or 2010-2015")
    years = Years(int(first) if first else None, int(last) if last else None)
    if not dash:
        years = Years(years.first, years.first)
    if years.first and years.last and years.first > years.last:
        raise InputError(f"year '{text}': {years.first} is later than {years.last}")
    return years
