"""`citespan evaluate agreement`: how far the annotators of a collection agree."""

from typing import TYPE_CHECKING, Annotated

import typer
from rich.table import Table

from citespan.cli.options import Json
from citespan.cli.output import out, print_json

if TYPE_CHECKING:
    from citespan.pipelines.evaluation.agreement import Agreement

EPILOG = "Example: citespan evaluate agreement tac2014:data"


def agreement(
    collection: Annotated[
        str,
        typer.Argument(help="FORMAT:PATH, as in tac2014:data.", metavar="FORMAT:PATH"),
    ],
    json: Json = False,
) -> None:
    """Show how far the annotators of a collection agree, as in table 1 of the paper."""
    from citespan.pipelines.evaluation import agreement as agreements
    from citespan.pipelines.evaluation.read_collection import read_collection

    found = agreements.agreement(read_collection(collection))
    if json:
        print_json(found.to_json())
    else:
        _show(found)


def _show(found: "Agreement") -> None:
    from citespan.pipelines.evaluation.agreement import LEVELS, PUBLISHED, SOURCE

    table = Table("agreement")
    headings = ["citances", "overlap"]
    if found.published:
        headings += ["published\ncitances", "published\noverlap"]
    for heading in headings:
        table.add_column(heading, justify="right", no_wrap=True)
    for level, ours in found.levels.items():
        cells = [LEVELS[level], f"{ours.count:,}", _overlap(ours.mean, ours.deviation)]
        if found.published:
            theirs = PUBLISHED[level]
            cells += [f"{theirs.count:,}", _overlap(theirs.mean, theirs.deviation)]
        table.add_row(*cells)
    cells = ["all levels", f"{found.total:,}"]
    if found.published:
        cells += ["", f"{sum(level.count for level in PUBLISHED.values()):,}"]
    table.add_section()
    table.add_row(*cells)
    out.print(f"agreement on {found.collection}", markup=False)
    out.print(table)
    out.print(
        "A level goes by the most annotators who marked one and the same character: all, more than "
        "half, at least two. Overlap: the share of the characters marked by anybody that so many "
        "marked, mean ± standard deviation over citances."
    )
    for number, what in (
        (found.single, "with one annotator, who has nobody to agree with"),
        (found.unmarked, "for which no annotator marked anything"),
    ):
        if number:
            out.print(f"not in the table: {number:,} citances {what}")
    if found.published:
        remark = f"; {found.remark}" if found.remark else ""
        out.print(f"Published: {SOURCE}{remark}.", markup=False)
    else:
        out.print(f"No published figures beside these: {found.remark}.", markup=False)


def _overlap(mean: float | None, deviation: float | None) -> str:
    if mean is None:
        return "-"
    return f"{mean:.1f}%" if deviation is None else f"{mean:.1f} ± {deviation:.1f}%"
