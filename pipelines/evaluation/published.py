"""Published figures to stand beside one's own, and the collections that they are on."""

import re
from collections.abc import Mapping, Sequence
from typing import Annotated, Any

from pydantic import Field
from pydantic.dataclasses import dataclass

from citespan.pipelines.corpus.collection import Collection
from citespan.pipelines.validation import KnownKeys, Text, check_keys, one_of, required

_FIGURE = re.compile(r"(0?\.\d+|1\.0*)(\*{0,2})(?:\s*\(([+-]?\d+(?:\.\d+)?)\s?%\))?")


@dataclass(frozen=True, slots=True)
class KnownCollection:
    """A collection as those who published on it had it.

    Attributes:
        format: of the reader.
        topics: how many, each named like `topic`, a regular expression.
        citances: how many they counted.
    """

    name: str
    format: str
    topic: str
    topics: int
    citances: int

    def matches(self, collection: Collection) -> bool:
        """Whether this is that collection, by its format and the names of its topics."""
        names = set(collection.articles)
        return (
            collection.name.partition(":")[0] == self.format
            and len(names) == self.topics
            and all(re.fullmatch(self.topic, name) for name in names)
        )

    def caveat(self, collection: Collection) -> str | None:
        """Return why its published figures can't be compared; None if they can."""
        if not self.matches(collection):
            return f"{collection.name} is not the {self.topics} topics of {self.name}"
        if len(collection.citances) != self.citances:
            return f"they are on {self.citances} citances, and here are {len(collection.citances)}"
        return None


TAC2014 = KnownCollection("TAC 2014 (training)", "tac2014", r"D14\d\d_TRAIN", 20, 313)
KNOWN = {"tac2014-train": TAC2014}


@dataclass(frozen=True, slots=True)
class PublishedFigure:
    """A cell of a published table.

    Attributes:
        stars: how many, for significance as its authors tested it.
        change: difference to their baseline in per cent, as they printed it; None if they
            printed none.
    """

    value: float
    stars: int
    change: float | None


@dataclass(frozen=True, slots=True)
class Published:
    """A published table.

    Attributes:
        source: where it was published.
        collection: what its figures are on; beside another collection they say nothing.
        figures: by system, then by measure.
    """

    source: str
    collection: KnownCollection
    figures: Mapping[str, Mapping[str, PublishedFigure]]


def _figure(cell: object) -> PublishedFigure:
    found = _FIGURE.fullmatch(str(cell))
    if not found:
        raise ValueError(f"'{cell}' is not a figure; write it as in 0.173* (3.0%)")
    value, stars, change = found.groups()
    return PublishedFigure(float(value), len(stars), None if change is None else float(change))


@dataclass(frozen=True)
class PublishedTable(KnownKeys):
    """A published table as an experiment's file has it: the figures of each system in a row."""

    source: Text = required()
    collection: Annotated[Text, one_of(KNOWN)] = required()
    rows: dict[str, list[Any]] = Field(default_factory=dict)

    def arrange(self, columns: Sequence[str], systems: Sequence[str]) -> Published:
        """Return the table with a figure for each column of each row.

        Raises:
            ValueError: for a row of another system, or whose cells aren't a figure for each column.
        """
        check_keys(self.rows, systems, "rows")
        figures = {}
        for system, cells in self.rows.items():
            try:
                if len(cells) != len(columns):
                    raise ValueError(f"{len(cells)} figures for {len(columns)} columns")
                figures[system] = dict(zip(columns, map(_figure, cells), strict=True))
            except ValueError as error:
                raise ValueError(f"rows: {system}: {error}") from error
        return Published(self.source, KNOWN[self.collection], figures)
