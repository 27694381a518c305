"""What differs between a citation and its passages: train and measure the model of it.

Example: citespan disagreement cross-validate jsonl:claims.jsonl
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from citespan.cli.commands import Group
from citespan.cli.options import Json
from citespan.cli.output import out, print_json
from citespan.cli.ranker import Data, read_pooled
from citespan.cli.tables import FigureTable
from citespan.pipelines.errors import InputError
from citespan.pipelines.training.disagreement import (
    DisagreementExample,
    DisagreementFamily,
    DisagreementFigures,
    cross_validate_disagreement,
    make_disagreement_examples,
)
from citespan.pipelines.training.family import train_and_write

app = Group(__doc__)

Figures = Mapping[str, Mapping[str, DisagreementFigures]]


def read_examples(data: Sequence[str]) -> tuple[list[DisagreementExample], int]:
    """Read collections whose citances have labels.

    Returns:
        The examples, and how many records can't be used.

    Raises:
        InputError: if a collection can't be read, or has no labels of both kinds.
    """
    examples: list[DisagreementExample] = []
    rejected = 0
    for name in data:
        articles, citances, own = read_pooled([name])
        rejected += own
        path = Path(name.partition(":")[2])
        examples += make_disagreement_examples(path.parent.name or path.stem, articles, citances)
    return examples, rejected


def show_figures(figures: Figures) -> None:
    """Print how well contradiction is told from support, for each set."""
    table = FigureTable(
        ["measured on", "set"],
        ["claims", "AUC", "words", "clause", "shown", "precision", "contradicted", "supported"],
    )
    for way, sets in figures.items():
        for name, own in sets.items():
            table.add_row(
                way, name, f"{own.clauses:,}", f"{own.auc:.3f}",
                *(f"{one:.3f}" for one in own.words_auc), str(own.shown), f"{own.precision:.3f}",
                f"{own.recall:.3f}", f"{own.false:.3f}",
            )  # fmt: skip
    table.print()
    out.print("words, clause: AUC of words alone; contradicted, supported: the share shown")


def make_json(figures: Figures) -> dict[str, Any]:
    """Return the figures as `--json` prints them."""
    return {
        way: {name: own.to_json() for name, own in sets.items()} for way, sets in figures.items()
    }


@app.command()
def train(
    data: Data,
    to: Annotated[Path, typer.Option("--out", help="The model's folder to write.")],
    about: Annotated[
        str, typer.Option(help="A description of the data with its licence, for the model's card.")
    ] = "",
    json: Json = False,
) -> None:
    """Train the model of what disagrees; the same files give the same model, byte for byte.

    It needs JSON Lines whose citances have the label "supports" or "contradicts". It is measured
    by five-fold cross-validation over articles, and on each collection by a model of the others.

    Example: citespan disagreement train jsonl:claims.jsonl --out my-disagreement
    """
    if (to.exists() and not to.is_dir()) or not to.parent.is_dir():
        raise InputError(f"{to}: can't be written; name a folder in one that exists")
    examples, rejected = read_examples(data)
    figures = train_and_write(DisagreementFamily(examples), to, data, about)["figures"]
    if json:
        print_json(
            {"out": str(to), "rejected": rejected, "clauses": len(examples), **make_json(figures)}
        )
    else:
        show_figures(figures)
        out.print(f"written to {to}", markup=False)
    raise typer.Exit(1 if rejected else 0)


@app.command()
def cross_validate(data: Data, json: Json = False) -> None:
    """Measure models of what disagrees that are trained on other articles, or other collections.

    Example: citespan disagreement cross-validate jsonl:claims.jsonl
    """
    examples, rejected = read_examples(data)
    figures = cross_validate_disagreement(examples)
    if json:
        print_json({"data": data, "rejected": rejected, **make_json(figures)})
    else:
        show_figures(figures)
    raise typer.Exit(1 if rejected else 0)
