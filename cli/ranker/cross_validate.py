"""`citespan ranker cross-validate`: trained on some topics, measured on the others."""

from typing import Annotated

import typer

from citespan.cli.options import Json
from citespan.cli.output import print_json, progress
from citespan.cli.ranker.inputs import Data, Without, read_pooled
from citespan.cli.ranker.tables import show_figures
from citespan.pipelines.ranking.features.families import find_family
from citespan.pipelines.training.ranker_figures import cross_validate as measure
from citespan.pipelines.training.ranker_fitting import OBJECTIVES

EPILOG = "Example: citespan ranker cross-validate tac2014:trials --without feedback"


def cross_validate(
    data: Data,
    folds: Annotated[int, typer.Option(min=2, help="Number of folds.")] = 5,
    without: Without = None,
    json: Json = False,
) -> None:
    """Measure rankers that are trained on the other topics of a collection.

    A topic is an article with all its citances, and is in one fold. Probabilities are fitted to
    the other folds too, and so is the number of sentences that the untrained rankings retrieve.
    """
    left_out = [find_family(name).name for name in without or []]
    articles, citances, rejected = read_pooled(data)
    with progress("trained", folds * len(OBJECTIVES)) as advance:
        figures = measure(articles, citances, folds, left_out, advance)
    if json:
        print_json({"data": data, "folds": folds, "without": left_out, **figures.to_json()})
    else:
        show_figures(figures)
    raise typer.Exit(1 if rejected else 0)
