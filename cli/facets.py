"""Discourse facets of cited sentences: train and measure their model.

Example: citespan facets train scisumm:data/train --out my-facets
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated

import typer

from citespan.cli.commands import Group
from citespan.cli.options import Json
from citespan.cli.output import out, print_json
from citespan.cli.ranker import Data, read_pooled
from citespan.cli.tables import FigureTable
from citespan.pipelines.errors import InputError
from citespan.pipelines.training.facets import (
    FacetFamily,
    FacetFigures,
    cross_validate_facets,
    make_facet_examples,
)
from citespan.pipelines.training.family import train_and_write

app = Group(__doc__)


def show_figures(figures: Mapping[str, FacetFigures]) -> None:
    """Print how often facets are right, and the F1 of each."""
    facets = list(next(iter(figures.values())).facets)
    table = FigureTable(["system"], ["accuracy", "macro F1", *facets])
    for system, own in figures.items():
        f1 = [f"{own.facets[facet].f1:.3f}" for facet in facets]
        table.add_row(system, f"{own.accuracy:.3f}", f"{own.macro_f1:.3f}", *f1)
    table.print()
    citances = next(iter(figures.values())).citances
    out.print(f"{citances:,} citances; by facet, F1")


@app.command()
def train(
    data: Data,
    to: Annotated[Path, typer.Option("--out", help="The model's folder to write.")],
    about: Annotated[
        str, typer.Option(help="A description of the data with its licence, for the model's card.")
    ] = "",
    json: Json = False,
) -> None:
    """Train the facet model; the same collections give the same file, byte for byte.

    It predicts what kind of statement a cited sentence is, from the facets that annotators of
    CL-SciSumm or TAC 2014 named, and is measured by five-fold cross-validation over topics.

    Example: citespan facets train scisumm:data/train --out my-facets
    """
    if (to.exists() and not to.is_dir()) or not to.parent.is_dir():
        raise InputError(f"{to}: can't be written; name a folder in one that exists")
    articles, citances, rejected = read_pooled(data)
    examples = make_facet_examples(articles, citances)
    figures = train_and_write(FacetFamily(examples), to, data, about)["figures"]
    if json:
        systems = {name: one.to_json() for name, one in figures.items()}
        print_json(
            {"out": str(to), "rejected": rejected, "citances": len(examples), "systems": systems}
        )
    else:
        show_figures(figures)
        out.print(f"written to {to}", markup=False)
    raise typer.Exit(1 if rejected else 0)


@app.command()
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

    Example: citespan facets cross-validate scisumm:data/train
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
