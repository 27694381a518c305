"""`citespan facets cross-validate`: trained on some topics, measured on the others."""

from typing import Annotated

import typer

from citespan.cli.facets.tables import show_figures
from citespan.cli.options import Json
from citespan.cli.output import print_json
from citespan.cli.ranker.inputs import Data, read_pooled
from citespan.pipelines.training.facets import (
    cross_validate_facets,
    make_facet_examples,
)

EPILOG = "Example: citespan facets cross-validate scisumm:data/train"


def cross_validate(
    data: Data,
    fold: Annotated[
        list[int] | None,
        typer.Option(help="Report only the topics of this fold, from 1; may be repeated."),
    ] = None,
    json: Json = False,
) -> None:
    """Measure facet models that are trained on the other topics of a collection.

    Beside them stands the facet that is most frequent in the other topics.
    """
    articles, citances, rejected = read_pooled(data)
    examples = make_facet_examples(articles, citances)
    figures = cross_validate_facets(examples, fold or ())
    if json:
        systems = {name: one.to_json() for name, one in figures.items()}
        print_json({"data": data, "folds": fold or [], "systems": systems})
    else:
        show_figures(figures)
    raise typer.Exit(1 if rejected else 0)
