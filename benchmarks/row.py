"""One line of what the benchmarks print."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Row:
    """A figure, and where there is a peer the ratio to it with the bound that is wanted."""

    label: str
    figure: str
    against: str = ""
    ratio: str = ""
    wanted: str = ""

    def __str__(self) -> str:
        compared = "; ".join(filter(None, (self.against and f"against {self.against}", self.ratio)))
        wanted = f" (wanted: {self.wanted})" if self.wanted else ""
        return f"{self.label}: {self.figure}" + (f"; {compared}" if compared else "") + wanted
