"""`citespan answers train answers`: a detector of answers made anew."""

from pathlib import Path
from typing import Annotated

import typer

from citespan.cli.answers_corpora import quarantined, told_of
from citespan.cli.answers_options import AbstractFormat
from citespan.cli.options import Json
from citespan.cli.output import out, print_json, progress
from citespan.pipelines.answers import feature_sets

EPILOG = "Example: citespan answers train answers pubmedqa.json --out my-answers"


def answers(
    paths: Annotated[list[Path], typer.Argument(help="Files or folders.", metavar="PATH...")],
    to: Annotated[Path, typer.Option("--out", help="The folder to write the model to.")],
    mancon: Annotated[
        Path | None,
        typer.Option(help="ManConCorpus' XML, of whose PMIDs the files are."),
    ] = None,
    features: Annotated[
        str,
        typer.Option(
            "--feature-set",
            help="; ".join(f"{n}: {', '.join(f)}" for n, f in feature_sets.FEATURE_SETS.items()),
        ),
    ] = feature_sets.DEFAULT,
    about: Annotated[
        str, typer.Option(help="What the data is and its licence, for the model's card.")
    ] = "",
    format_: AbstractFormat = "auto",
    json: Json = False,
) -> None:
    """Train a detector on abstracts that have a question as title, or on ManConCorpus' claims.

    With --mancon the files are those of its PMIDs; without, an abstract's answer is the first
    sentence of its Conclusions.
    """
    from citespan.pipelines.answers.abstract_files import gather
    from citespan.pipelines.answers.answer_making import make_answer_model
    from citespan.pipelines.answers.answered_abstracts import from_mancon, from_titles
    from citespan.pipelines.corpus.mancon import read_mancon

    feature_sets.feature_set(features)
    gathered = gather(sorted(paths), format_)
    told_of(gathered)
    if mancon is None:
        answered = from_titles(gathered.abstracts).answered
    else:
        answered = from_mancon(read_mancon(mancon), gathered.abstracts).structured
    with progress("Training", 11) as advance:
        made = make_answer_model(answered, features, to, sorted(map(str, paths)), about, advance)
    if json:
        print_json(made)
    else:
        out.print(
            f"{made['abstracts']} abstracts, {made['answers']} answers and {made['others']} other "
            f"sentences: a tree of {made['leaves']} leaves written to {to}",
            markup=False,
        )
    raise typer.Exit(1 if quarantined(gathered) else 0)
