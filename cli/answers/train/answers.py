"""`citespan answers train answers`: train a detector of answers."""

from pathlib import Path
from typing import Annotated

import typer

from citespan.cli.answers.inputs import About, AbstractFormat, has_quarantined, read_abstract_files
from citespan.cli.options import Json
from citespan.cli.output import out, print_json, progress
from citespan.pipelines.answers.detection.features import DEFAULT, FEATURE_SETS, get_feature_set
from citespan.pipelines.corpus.mancon import read_mancon
from citespan.pipelines.counts import format_count
from citespan.pipelines.training.answer_examples import from_mancon, from_titles
from citespan.pipelines.training.answers import AnswerFamily
from citespan.pipelines.training.family import train_and_write

EPILOG = "Example: citespan answers train answers pubmedqa.json --out my-answers"


def answers(
    paths: Annotated[list[Path], typer.Argument(help="Files or folders.", metavar="PATH...")],
    to: Annotated[Path, typer.Option("--out", help="The folder to write the model to.")],
    mancon: Annotated[
        Path | None, typer.Option(help="ManConCorpus' XML; the files have the abstracts.")
    ] = None,
    features: Annotated[
        str,
        typer.Option(
            "--feature-set",
            help="; ".join(f"{name}: {', '.join(of)}" for name, of in FEATURE_SETS.items()) + ".",
        ),
    ] = DEFAULT,
    about: About = "",
    format_: AbstractFormat = "auto",
    json: Json = False,
) -> None:
    """Train a detector of answers on abstracts that have a question as title.

    The answer of an abstract is the first sentence of its Conclusions. With --mancon the detector
    is trained on the claims of ManConCorpus instead, and the files have the abstracts of its PMIDs.
    """
    get_feature_set(features)
    gathered = read_abstract_files(sorted(paths), format_)
    if mancon is None:
        answered = from_titles(gathered.abstracts).answered
    else:
        answered = from_mancon(read_mancon(mancon), gathered.abstracts).structured
    with progress("Training", 11) as advance:
        family = AnswerFamily(answered, features, advance)
        described = train_and_write(family, to, sorted(map(str, paths)), about)
    made = {"out": str(to), **described["report"]}
    if json:
        print_json(made)
    else:
        out.print(
            f"{format_count(made['abstracts'], 'abstract')}, "
            f"{format_count(made['answers'], 'answer')} and "
            f"{format_count(made['others'], 'other sentence')}: a tree of "
            f"{format_count(made['leaves'], 'leaf', 'leaves')} written to {to}",
            markup=False,
        )
    raise typer.Exit(1 if has_quarantined(gathered.rejected) else 0)
