"""`citespan ranker train`: a ranker, trained on citances with marked sentences."""

from pathlib import Path
from typing import Annotated

import typer

from citespan.cli.options import Json
from citespan.cli.output import out, print_json, progress
from citespan.cli.ranker.inputs import Data, read_pooled
from citespan.cli.ranker.tables import show_figures
from citespan.pipelines.errors import InputError
from citespan.pipelines.training.family import train_and_write
from citespan.pipelines.training.ranker import TRAININGS, RankerFamily

EPILOG = "Example: citespan ranker train mine tac2014:trials --out rankers"


def train(
    name: Annotated[str, typer.Argument(help="Name of the ranker, and of its folder.")],
    data: Data,
    to: Annotated[Path, typer.Option("--out", help="The folder to write the model's folder in.")],
    about: Annotated[
        str, typer.Option(help="A description of the data with its licence, for the model's card.")
    ] = "",
    json: Json = False,
) -> None:
    """Train a ranker on citances; the same collections give the same files, byte for byte.

    It is measured by five-fold cross-validation over topics, and its probabilities are fitted to
    scores out of fold. `citespan ranker evaluate` and `show` take its folder; a package of yours
    makes it a ranker to search with (see CONTRIBUTING.md).
    """
    if not name or "/" in name or name.startswith("."):
        raise InputError(f"'{name}' can't be the name of a folder; choose another")
    if (to.exists() and not to.is_dir()) or not to.parent.is_dir():
        raise InputError(f"{to}: can't be written; name a folder in one that exists")
    articles, citances, rejected = read_pooled(data)
    with progress("trained", TRAININGS) as advance:
        family = RankerFamily(name, articles, citances, advance)
        figures = train_and_write(family, to / name, data, about)["figures"]
    if json:
        print_json({"out": str(to / name), "rejected": rejected, **figures.to_json()})
    else:
        show_figures(figures)
        out.print(f"written to {to / name}", markup=False)
    raise typer.Exit(1 if rejected else 0)
