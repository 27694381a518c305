"""What commands read, and what they say of inputs that can't be used."""

from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from citespan.cli.output import warn
from citespan.pipelines.corpus.article import Rejected

if TYPE_CHECKING:
    from citespan.pipelines.corpus.reader import Reader

_SHOWN_OF_A_REASON = 20


def find_units(paths: Iterable[Path], format_: str) -> "Iterator[tuple[Reader, Path]]":
    """Yield what is read as a whole at these paths, with its reader."""
    from citespan.pipelines.corpus.reader import readers, recognise  # a search needs none

    for path in paths:
        reader = recognise(path) if format_ == "auto" else readers[format_]
        for unit in reader.find(path):
            yield reader, unit


def has_quarantined(rejected: Iterable[Rejected]) -> bool:
    """Return whether any input could not be read."""
    return any(reading.outcome == "quarantined" for reading in rejected)


def warn_rejected(rejected: Iterable[Rejected]) -> None:
    """Print which inputs are left out, by outcome, as `warn_by_reason` does."""
    by_outcome: dict[str, list[tuple[str, str]]] = {}
    for reading in rejected:
        by_outcome.setdefault(reading.outcome, []).append((reading.source, reading.reason))
    for outcome, problems in by_outcome.items():
        warn_by_reason(outcome, problems)


def warn_by_reason(outcome: str, problems: Iterable[tuple[str, str]]) -> None:
    """Print a line for each problem, and one for the rest of those with the same reason.

    Args:
        problems: where each is, and its reason.
    """
    shown: Counter[str] = Counter()
    for place, reason in problems:
        shown[reason] += 1
        if shown[reason] <= _SHOWN_OF_A_REASON:
            warn(f"{outcome}: {place}: {reason}")
    for reason, count in shown.items():
        if count > _SHOWN_OF_A_REASON:
            warn(f"{outcome}: {count - _SHOWN_OF_A_REASON:,} more: {reason}")


def list_rejected(rejected: Iterable[Rejected]) -> dict[str, list[dict[str, Any]]]:
    """Return the inputs that are left out, as `--json` prints them, by outcome."""
    listed: dict[str, list[dict[str, Any]]] = {"skipped": [], "quarantined": []}
    for reading in rejected:
        listed[reading.outcome].append(reading.to_json())
    return listed
