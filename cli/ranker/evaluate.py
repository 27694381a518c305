"""`citespan ranker evaluate`: a ranker measured as it is."""

from typing import Annotated

import typer

from citespan.cli.options import Json
from citespan.cli.output import print_json, progress
from citespan.cli.ranker.inputs import Data, open_ranker, read_pooled
from citespan.cli.ranker.tables import show_figures
from citespan.pipelines.training.ranker_figures import evaluate as measure

EPILOG = "Example: citespan ranker evaluate question tac2014:trials"


def evaluate(
    name: Annotated[str, typer.Argument(help="Name of a ranker, or the folder of a model.")],
    data: Data,
    json: Json = False,
) -> None:
    """Measure a ranker as it is on a collection.

    The collection should be one that it was not trained on. The untrained rankings beside it
    retrieve three sentences.
    """
    ranker = open_ranker(name)
    articles, citances, rejected = read_pooled(data)
    with progress("citances", len(citances)) as advance:
        figures = measure(ranker, articles, citances, advance)
    if json:
        print_json(
            {"ranker": ranker.name, "version": ranker.version, "data": data, **figures.to_json()}
        )
    else:
        show_figures(figures)
    raise typer.Exit(1 if rejected else 0)
