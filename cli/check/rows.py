"""A checked manuscript as comma-separated values, and the list of articles to be fetched."""

import csv
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from citespan.cli.output import open_private
from citespan.pipelines.citations.checked import CheckedCitation, CheckedManuscript
from citespan.pipelines.citing.citations import describe_reference
from citespan.pipelines.corpus.paragraphs import collapse_space

_REFERENCE = ("key", "authors", "title", "year", "journal", "pmid", "pmcid", "doi", "reference")
COLUMNS = (
    *("id", "section", "start", "end", "text", "clause", "name", *_REFERENCE),
    *("status", "reason", "problem", "article", "support", "missing", "probability"),
    *("passage_section", "first_sentence", "last_sentence", "passage"),
)
"""The columns of `--csv`."""
MISSING_COLUMNS = (*_REFERENCE, "citations")
"""The columns of `--missing`."""


def print_rows(checked: CheckedManuscript) -> None:
    """Print a line for each citation, and for each reference without one, whose status is
    "uncited"."""
    writer = csv.writer(sys.stdout, lineterminator="\n")
    writer.writerow(COLUMNS)
    for one in checked.citations:
        writer.writerow(_to_cells(_describe(checked, one), COLUMNS))
    for reference in checked.uncited:
        described = {**_flatten(describe_reference(reference)), "status": "uncited"}
        writer.writerow(_to_cells(described, COLUMNS))


def write_missing(checked: CheckedManuscript, target: Path) -> None:
    """Write a line for each cited reference whose article is not indexed."""
    with open_private(target) as stream:
        writer = csv.writer(stream, lineterminator="\n")
        writer.writerow(MISSING_COLUMNS)
        for reference, citations in checked.missing.values():
            described = {**_flatten(describe_reference(reference)), "citations": citations}
            writer.writerow(_to_cells(described, MISSING_COLUMNS))


def _describe(checked: CheckedManuscript, one: CheckedCitation) -> dict[str, Any]:
    described = checked.describe(one)
    best: Mapping[str, Any] = next(iter(described["results"]), {})
    names = ("probability", "first_sentence", "last_sentence")
    return {
        **described,
        **_flatten(described["reference"] or {}),
        "text": described["text"],
        "clause": described["clause"]["text"],
        "missing": "; ".join(described["missing"]),
        "passage_section": best.get("section"),
        "passage": best.get("text"),
        **{name: best.get(name) for name in names},
    }


def _flatten(reference: Mapping[str, Any]) -> dict[str, Any]:
    authors = "; ".join(reference.get("authors", ()))
    return {**reference, "authors": authors, "reference": reference.get("text", "")}


def _to_cells(described: Mapping[str, Any], columns: tuple[str, ...]) -> list[str]:
    values = (described.get(column) for column in columns)
    return ["" if value is None else collapse_space(str(value)) for value in values]
