"""One line of the benchmarks' table."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Row:
    """A figure, and where there is a peer the ratio to it with the bound that is wanted."""

    what: str
    figure: str
    against: str = ""
    ratio: str = ""
    wanted: str = ""
