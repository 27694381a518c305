"""Published figures to stand beside one's own, as an experiment's YAML file gives them."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from citespan.pipelines.evaluation.known_collections import KNOWN, KnownCollection
from citespan.pipelines.evaluation.yaml_keys import Keys

_FIGURE = re.compile(r"(0?\.\d+|1\.0*)(\*{0,2})(?:\s*\(([+-]?\d+(?:\.\d+)?)\s?%\))?")


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


def read_published(keys: Keys, columns: Sequence[str], systems: Sequence[str]) -> Published:
    """The published table under `keys`, its rows in the order of `columns`.

    Raises:
        InputError: naming the key, if anything is missing, unknown or not a figure.
    """
    keys.only("source", "collection", "rows")
    source = keys.text("source")
    collection = KNOWN[keys.choice("collection", *KNOWN)]
    rows = keys.below("rows", *systems)
    figures = {}
    for system in rows.names():
        cells = rows.list(system)
        if len(cells) != len(columns):
            raise rows.error(system, f"{len(cells)} figures for {len(columns)} columns")
        figures[system] = {
            column: _figure(rows, system, cell) for column, cell in zip(columns, cells, strict=True)
        }
    return Published(source, collection, figures)


def _figure(rows: Keys, system: str, cell: object) -> PublishedFigure:
    found = _FIGURE.fullmatch(str(cell))
    if not found:
        raise rows.error(system, f"'{cell}' is not a figure; write it as in 0.173* (3.0%)")
    value, stars, change = found.groups()
    return PublishedFigure(float(value), len(stars), None if change is None else float(change))
