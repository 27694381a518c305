"""`citespan facets train`: the facet model, trained on citances with facets."""

from pathlib import Path
from typing import Annotated

import typer

from citespan.cli.facets.tables import show_figures
from citespan.cli.options import Json
from citespan.cli.output import out, print_json
from citespan.cli.ranker.inputs import Data, read_pooled
from citespan.pipelines.errors import InputError
from citespan.pipelines.training.facets import FacetFamily, make_facet_examples
from citespan.pipelines.training.family import train_and_write

EPILOG = "Example: citespan facets train scisumm:data/train --out my-facets"


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
