"""Which sentences belong to a citation: train and measure the model.

Example: citespan contexts train windows.jsonl --out my-contexts
"""

from pathlib import Path
from typing import Annotated

import typer

from citespan.cli.commands import Group
from citespan.cli.options import Json
from citespan.cli.output import out, print_json
from citespan.cli.tables import FigureTable
from citespan.pipelines.errors import InputError
from citespan.pipelines.training.contexts import ContextFamily, ContextFigures, read_windows
from citespan.pipelines.training.family import train_and_write

app = Group(__doc__)


@app.command()
def train(
    file: Annotated[
        Path,
        typer.Argument(help="Lines of JSON with `sentences` and `labels`.", metavar="WINDOWS"),
    ],
    to: Annotated[Path, typer.Option("--out", help="The model's folder to write.")],
    held_out: Annotated[
        Path | None, typer.Option(help="Other windows, to measure on.", show_default=False)
    ] = None,
    about: Annotated[
        str, typer.Option(help="A description of the data with its licence, for the model's card.")
    ] = "",
    json: Json = False,
) -> None:
    """Train the model of whether the sentence before a citing one belongs to the citation.

    One sentence of a window has the marker, as <CITATION_MARKER>12</CITATION_MARKER>; a label is 1
    for each sentence that belongs to that citation. It is measured by five-fold cross-validation,
    beside the marker's sentence alone.

    Example: citespan contexts train windows.jsonl --out my-contexts
    """
    if (to.exists() and not to.is_dir()) or not to.parent.is_dir():
        raise InputError(f"{to}: can't be written; name a folder in one that exists")
    others = read_windows(held_out) if held_out is not None else ()
    paths = [str(file), *(("--held-out", str(held_out)) if held_out is not None else ())]
    family = ContextFamily(read_windows(file), others)
    figures = train_and_write(family, to, paths, about)["figures"]
    if json:
        print_json({"out": str(to), **figures.to_json()})
    else:
        _show(figures)
        out.print(f"written to {to}", markup=False)


def _show(figures: ContextFigures) -> None:
    table = FigureTable(["windows", "system"], ["P", "R", "F1"])
    for windows, systems in (("folds", figures.folds), ("held out", figures.held_out)):
        for system, own in systems.items():
            cells = (own.precision, own.recall, own.f1)
            table.add_row(windows, system, *(f"{number:.3f}" for number in cells))
    table.print()
