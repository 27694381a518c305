"""`citespan evaluate agreement`: how far the annotators of a collection agree."""

from typing import Annotated

import typer

from citespan.cli.options import Json
from citespan.cli.output import out, print_json
from citespan.cli.tables import FigureTable
from citespan.pipelines.evaluation.agreement import (
    LEVELS,
    PUBLISHED,
    SOURCE,
    Agreement,
    measure_agreement,
)
from citespan.pipelines.evaluation.read_collection import read_collection

EPILOG = "Example: citespan evaluate agreement tac2014:data"


def show_agreement(
    collection: Annotated[
        str,
        typer.Argument(help="FORMAT:PATH, as in tac2014:data.", metavar="FORMAT:PATH"),
    ],
    json: Json = False,
) -> None:
    """Show how far the annotators of a collection agree, as in table 1 of Cohan et al. 2015."""
    found = measure_agreement(read_collection(collection))
    if json:
        print_json(found.to_json())
    else:
        _show(found)


def _show(found: Agreement) -> None:

    headings = ["citances", "overlap"]
    if found.published:
        headings += ["published\ncitances", "published\noverlap"]
    table = FigureTable(["agreement"], headings)
    for level, ours in found.levels.items():
        cells = [LEVELS[level], f"{ours.count:,}", _format_overlap(ours.mean, ours.deviation)]
        if found.published:
            theirs = PUBLISHED[level]
            cells += [f"{theirs.count:,}", _format_overlap(theirs.mean, theirs.deviation)]
        table.add_row(*cells)
    cells = ["all levels", f"{found.total:,}", ""]
    if found.published:
        cells += [f"{sum(level.count for level in PUBLISHED.values()):,}", ""]
    table.add_section()
    table.add_row(*cells)
    out.print(f"agreement on {found.collection}", markup=False)
    table.print()
    out.print(
        "Level: the largest share of annotators who marked the same character: all, more than "
        "half, or at least two. Overlap: the share of the characters marked by anybody that "
        "as many marked, mean ± standard deviation over citances."
    )
    for number, what in (
        (found.single, "with one annotator only"),
        (found.unmarked, "for which no annotator marked anything"),
    ):
        if number:
            out.print(f"not in the table: {number:,} citances {what}")
    if found.published:
        caveat = f"; {found.caveat}" if found.caveat else ""
        out.print(f"Published: {SOURCE}{caveat}.", markup=False)
    else:
        out.print(f"No published figures beside these: {found.caveat}.", markup=False)


def _format_overlap(mean: float | None, deviation: float | None) -> str:
    if mean is None:
        return "-"
    return f"{mean:.1f}%" if deviation is None else f"{mean:.1f} ± {deviation:.1f}%"
