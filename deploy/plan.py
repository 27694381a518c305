"""What a number of articles needs: nodes, disk, hours, query times, by fits to what was measured.

`growth.json` has rows that `benchmarks/growth.py` has measured with numbers of articles that grow.
Each cost is fitted as cost = a * articles ^ b, by least squares of the logarithms; intervals are
those of a further measurement, so they widen with the distance from what was measured. Beyond that,
no cost is taken to fall, or to grow faster than the number of articles.
"""

import json
import math
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np

from citespan.es_mappings.index_body import count_shards

MEASURED: Final = Path(__file__).with_name("growth.json")
CORES: Final = (1, 2, 12)
NODE_BYTES: Final = 2 * 10**12
"""The disk of a node, at most: a larger one takes days to be filled again when it is replaced."""
_PART_IN_USE = 0.85  # of a disk, above which Elasticsearch gives it no new shards by default
_LEAST_HEAP = 1e9
_HOUR = 3.6e6  # milliseconds
_LOADED = ("sentences", "citations", "catalogue")
_SEARCHES = {
    "search in an article": "search: ranker none",
    "ranked search in an article": "search: ranker evidence",
    "search in all": "search all: 20 terms",
    "ranked search in all": "search all: 20 terms, ranked",
}
_MEMORY = {
    "memory of a load": "load: memory of the loader and its readers",
    "memory of linking": "link: memory",
}
_FEWEST = 3  # measurements of a fit: two leave nothing to tell an interval by


@dataclass(frozen=True, slots=True)
class Measured:
    """One row.

    Attributes:
        group: of figures that are measured together, such as "load".
        archives: how many had been loaded.
        articles: how many were there.
    """

    group: str
    name: str
    archives: int
    articles: int
    figure: float
    unit: str

    def __str__(self) -> str:
        where = f"{self.articles:,} articles"
        return f"{where}: {self.group}, {self.name}: {self.figure:,.4g} {self.unit}".rstrip()


@dataclass(frozen=True, slots=True)
class Growth:
    """The rows of a file, and the machine that they were measured on.

    Attributes:
        machine: its "processors", "memory_gb", the server's "heap" as Java writes it, and the mean
            "load", that of all programs, of the last quarter of an hour.
    """

    machine: dict[str, Any]
    rows: tuple[Measured, ...]


def read_growth(file: Path = MEASURED) -> Growth:
    """Read a file that `benchmarks/growth.py` has written."""
    read = json.loads(file.read_text(encoding="utf-8"))
    return Growth(read["machine"], tuple(Measured(**row) for row in read["rows"]))


@dataclass(frozen=True, slots=True)
class Cost:
    """A figure with its 95 % interval.

    Attributes:
        unit: "bytes", "hours", "ms", or "" of a number of things.
    """

    name: str
    unit: str
    figure: float
    low: float
    high: float

    def show(self) -> tuple[str, str]:
        """Return the figure and its interval for readers."""
        figure, low, high = (_show(each, self.unit) for each in (self.figure, self.low, self.high))
        if low == high:
            return figure, low
        number, _, unit = low.partition(" ")
        return figure, f"{number if high.endswith(f' {unit}') else low} to {high}"


def _show(figure: float, unit: str) -> str:
    if not unit:
        return f"{figure:,.0f}"
    if unit == "bytes":
        figure, unit = (figure / 1e9, "GB") if figure < 1e12 else (figure / 1e12, "TB")
    elif unit == "ms" and figure >= 1e3:
        figure, unit = figure / 1e3, "s"
    return f"{float(f'{figure:.2g}'):,.12g} {unit}"


@dataclass(frozen=True, slots=True)
class Fit:
    """cost = factor * articles ^ exponent, in `unit`.

    Attributes:
        spread: half the width of the exponent's 95 % interval.
        number: of measurements.
        middle, most: mean and greatest of the logarithms of their numbers of articles.
        error: by what, in logarithms and at 95 %, a measurement may be off the line.
    """

    factor: float
    exponent: float
    spread: float
    unit: str
    number: int
    middle: float
    most: float
    error: float

    def __str__(self) -> str:
        power = f"articles ^ {self.exponent:.3f} ± {self.spread:.2f}"
        return f"{self.factor:.4g} {self.unit} * {power}"

    def predict(self, articles: float) -> tuple[float, float, float]:
        """Return the cost with so many articles, and the ends of the 95 % interval of a measurement
        there."""
        there = min(math.log(articles), self.most)
        beyond = math.log(articles) - there
        line = math.log(self.factor) + self.exponent * there
        exponent = max(self.exponent, 0)
        error = math.hypot(
            self.error * math.sqrt(1 + 1 / self.number), self.spread * (there - self.middle)
        )
        figure, low, high = (
            math.exp(line + side * error + beyond * min(max(exponent + side * self.spread, 0), 1))
            for side in (0, -1, 1)
        )
        return figure, low, high


def fit_all(rows: Iterable[Measured]) -> dict[str, Fit]:
    """Fit each figure that was measured with three numbers of articles or more, and was never 0; by
    its group and name."""
    found: dict[str, list[Measured]] = defaultdict(list)
    for row in rows:
        found[f"{row.group}: {row.name}"].append(row)
    return {
        name: fit(some)
        for name, some in found.items()
        if len({row.articles for row in some}) >= _FEWEST and all(row.figure > 0 for row in some)
    }


def fit(rows: Sequence[Measured]) -> Fit:
    """Fit one figure."""
    from scipy.stats import t  # only here: it takes .4 s to import

    places, heights = (np.log([getattr(row, of) for row in rows]) for of in ("articles", "figure"))
    exponent, start = np.polyfit(places, heights, 1)
    number = len(rows)
    left = heights - np.polyval((exponent, start), places)
    error = float(t.ppf(0.975, number - 2) * math.sqrt(left @ left / (number - 2)))
    return Fit(
        factor=math.exp(start),
        exponent=float(exponent),
        spread=error / (math.sqrt(number) * float(places.std())),
        unit=rows[0].unit,
        number=number,
        middle=float(places.mean()),
        most=float(places.max()),
        error=error,
    )


@dataclass(frozen=True, slots=True)
class Plan:
    """What so many articles need.

    Attributes:
        copies: of each shard, the first included.
        fewest, most: numbers of articles that were measured.
    """

    articles: int
    copies: int
    machine: dict[str, Any]
    fewest: int
    most: int
    costs: tuple[Cost, ...]

    @property
    def extrapolated(self) -> bool:
        """Whether nothing was measured with so many articles, or so few."""
        return not self.fewest <= self.articles <= self.most

    def describe_measured(self) -> str:
        """Return a sentence on what was measured, and how."""
        names = ("processors", "memory_gb", "heap", "load")
        cores, memory, heap, load = (self.machine[name] for name in names)
        return (
            f"Measured with {self.fewest:,} to {self.most:,} articles, on {cores} cores and "
            f"{memory:.0f} GB of memory that server and commands share, with a heap of {heap}; "
            f"the machine's load, with all programs, was {load:.1f}."
        )

    def to_json(self) -> dict[str, Any]:
        """Return a JSON object; figures are in bytes, hours and milliseconds."""
        return asdict(self) | {"extrapolated": self.extrapolated}


def make_plan(articles: int, copies: int = 2, growth: Growth | None = None) -> Plan:
    """Return what so many articles need, by fits to what was measured.

    Args:
        articles: at least 1.
        copies: of each shard, the first included; 1 or 2.
        growth: what was measured; None for the rows that citespan has.
    """
    growth = growth or read_growth()
    sizes = [row.articles for row in growth.rows if row.group == "size"]
    fits = fit_all(growth.rows)

    def list_costs(end: int) -> Iterator[tuple[str, str, float]]:
        return _list_costs(articles, copies, lambda name, n: fits[name].predict(n)[end])

    costs = tuple(
        # Of more nodes, each needs less of a disk.
        Cost(name, unit, figure, min(figure, low, high), max(figure, low, high))
        for (name, unit, figure), (*_, low), (*_, high) in zip(
            *map(list_costs, range(3)), strict=True
        )
    )
    return Plan(articles, copies, growth.machine, min(sizes), max(sizes), costs)


def _list_costs(
    articles: int, copies: int, find: Callable[[str, float], float]
) -> Iterator[tuple[str, str, float]]:
    """Yield what costs, its unit and the cost.

    Args:
        find: returns a figure that was measured, by its name, for a number of articles.
    """
    loaded = [find(f"size: bytes of {name}", articles) for name in _LOADED]
    linked = [find(f"link: bytes of {name}", articles) for name in ("links", "citances")]
    disk = copies * articles * sum((*loaded, *linked)) / _PART_IN_USE
    nodes = max(copies, math.ceil(disk / NODE_BYTES))
    heap = 2 * copies * 1e6 * find("memory: the server's heap after collections", articles)
    yield "disk of the cluster", "bytes", disk
    shards = [count_shards(articles, round(size)) for size in (*loaded, *linked)]
    yield "primary shards", "", sum(shards)
    yield "nodes", "", nodes
    yield "disk of a node", "bytes", disk / nodes
    yield "heap of a node", "bytes", max(_LEAST_HEAP, heap / nodes)
    half = articles / 2  # what is there on average during a load
    load = find("load: all processors", half)
    load += (copies - 1) * find("load: the server's processor", half)
    link = find("link: all processors for an article", articles)
    for task, each in (("load", load), ("link", link)):
        for cores in CORES:
            name = f"{task} on {cores} core{'s' * (cores > 1)}"
            yield name, "hours", articles * each / cores / _HOUR
    for name, row in _SEARCHES.items():
        for part in ("p50", "p99"):
            yield f"{name}, {part}", "ms", find(f"{row}, {part}", articles)
    for name, row in _MEMORY.items():
        yield name, "bytes", 1e6 * find(row, articles)
