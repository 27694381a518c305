"""What a number of articles needs: nodes, disk, hours, query times, by fits to what was measured.

`growth.json` has rows that `benchmarks/growth.py` has measured with numbers of articles that grow.
Each cost is fitted as cost = a * articles ^ b, by least squares of the logarithms; intervals are
those of a further measurement, so they widen with the distance from what was measured.
"""

import math
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

_T_95 = (12.71, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228)
"""Of Student's t, 97.5 %, for 1 to 10 degrees of freedom."""


@dataclass(frozen=True, slots=True)
class Measured:
    """One row.

    Attributes:
        group: of figures that are measured together, such as "load".
        archives: how many had been loaded.
        articles: how many were there.
    """

    group: str
    what: str
    archives: int
    articles: int
    figure: float
    unit: str

    def __str__(self) -> str:
        where = f"{self.articles:,} articles"
        return f"{where}: {self.group}, {self.what}: {self.figure:,.4g} {self.unit}".rstrip()


@dataclass(frozen=True, slots=True)
class Fit:
    """cost = factor * articles ^ exponent, in `unit`.

    Attributes:
        spread: half the width of the exponent's 95 % interval; None of two measurements.
    """

    factor: float
    exponent: float
    spread: float | None
    unit: str
    number: int

    def __str__(self) -> str:
        spread = "" if self.spread is None else f" ± {self.spread:.2f}"
        return f"{self.factor:.4g} {self.unit} * articles ^ {self.exponent:.3f}{spread}"


def fit_all(rows: Iterable[Measured]) -> dict[str, Fit]:
    """Fit each figure that was measured with two numbers of articles or more, and was never 0; by
    its group and name."""
    found: dict[str, list[Measured]] = defaultdict(list)
    for row in rows:
        found[f"{row.group}: {row.what}"].append(row)
    return {
        what: fit(some)
        for what, some in found.items()
        if len({row.articles for row in some}) > 1 and all(row.figure > 0 for row in some)
    }


def fit(rows: Sequence[Measured]) -> Fit:
    """Fit one figure."""
    points = [(math.log(row.articles), math.log(row.figure)) for row in rows]
    number = len(points)
    middle = sum(x for x, _ in points) / number
    height = sum(y for _, y in points) / number
    squares = sum((x - middle) ** 2 for x, _ in points)
    exponent = sum((x - middle) * (y - height) for x, y in points) / squares
    left = sum((y - height - exponent * (x - middle)) ** 2 for x, y in points)
    spread = None
    if number > 2:
        t = _T_95[min(number - 2, len(_T_95)) - 1]
        spread = t * math.sqrt(left / (number - 2) / squares)
    return Fit(math.exp(height - exponent * middle), exponent, spread, rows[0].unit, number)
