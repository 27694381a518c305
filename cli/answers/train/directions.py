"""`citespan answers train directions`: train the model of what trials found."""

from pathlib import Path
from typing import Annotated

import typer

from citespan.cli.answers.inputs import About
from citespan.cli.options import Json
from citespan.cli.output import out, print_json, progress
from citespan.cli.ranker import Data, read_pooled
from citespan.cli.tables import FigureTable
from citespan.pipelines.errors import InputError
from citespan.pipelines.training.directions import (
    DirectionFamily,
    DirectionFigures,
    read_findings,
)
from citespan.pipelines.training.family import FOLDS, train_and_write
from citespan.pipelines.training.ranker_fitting import OBJECTIVES

EPILOG = (
    "Example: citespan answers train directions directions.tsv tac2014:trials --out my-directions"
)


def directions(
    file: Annotated[
        Path,
        typer.Argument(
            help="A table with tabs: article, number, annotator, direction, outcome, intervention, "
            "comparator.",
            metavar="FINDINGS",
        ),
    ],
    data: Data,
    to: Annotated[Path, typer.Option("--out", help="The folder to write the model to.")],
    about: About = "",
    json: Json = False,
) -> None:
    """Train the model of what trials found: decreased, increased or no difference.

    The collections have the articles, with a citance for each prompt and the passages that answer
    it; the table names what each annotator found. It is measured by five-fold cross-validation over
    articles: on annotators' passages, and on those found by a ranker of the other folds.
    """
    if (to.exists() and not to.is_dir()) or not to.parent.is_dir():
        raise InputError(f"{to}: can't be written; name a folder in one that exists")
    articles, citances, rejected = read_pooled(data)
    findings = read_findings(file, articles, citances)
    with progress("Training", FOLDS * len(OBJECTIVES) + FOLDS + 1) as advance:
        family = DirectionFamily(articles, citances, findings, advance)
        figures = train_and_write(family, to, [str(file), *data], about)["figures"]
    if json:
        print_json({"out": str(to), "rejected": rejected, **figures.to_json()})
    else:
        _show(figures)
        out.print(f"written to {to}", markup=False)
    raise typer.Exit(1 if rejected else 0)


def _show(figures: DirectionFigures) -> None:
    table = FigureTable(["passages", "system"], ["accuracy", "from", "to"])
    for passages, systems in (("gold", figures.gold), ("found", figures.end_to_end)):
        for system, own in systems.items():
            table.add_row(passages, system, *(f"{number:.3f}" for number in own))
    table.print()
    out.print(
        f"A direction is said for {figures.said:.3f} of the prompts, and right for "
        f"{figures.right:.3f} of these."
    )
