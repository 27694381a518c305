"""`citespan answers train zones`: train a zone model."""

from pathlib import Path
from typing import Annotated

import typer

from citespan.cli.answers.inputs import About, AbstractFormat, has_quarantined, read_abstract_files
from citespan.cli.options import Json
from citespan.cli.output import out, print_json, progress
from citespan.pipelines.answers.zones.configuration import (
    CONFIGURATIONS,
    DEFAULT,
    get_configuration,
)
from citespan.pipelines.counts import format_count
from citespan.pipelines.training.family import train_and_write
from citespan.pipelines.training.zones import ZoneFamily

EPILOG = "Example: citespan answers train zones pubmed26n0001.xml.gz --out my-zones"


def zones(
    paths: Annotated[list[Path], typer.Argument(help="Files or folders.", metavar="PATH...")],
    to: Annotated[Path, typer.Option("--out", help="The folder to write the model to.")],
    format_: AbstractFormat = "auto",
    configuration: Annotated[
        str, typer.Option(help="One of " + ", ".join(CONFIGURATIONS) + ".")
    ] = DEFAULT,
    about: About = "",
    measure: Annotated[
        bool, typer.Option(help="Cross-validate in five folds, for the model's card.")
    ] = True,
    json: Json = False,
) -> None:
    """Train a zone model on structured abstracts; the same abstracts give the same model."""
    chosen = get_configuration(configuration)
    gathered = read_abstract_files(sorted(paths), format_)
    with progress("Training", 6 if measure else 1) as advance:
        family = ZoneFamily(gathered, chosen, measure, advance)
        described = train_and_write(family, to, sorted(map(str, paths)), about)
    made = {"out": str(to), **described["report"]}
    if json:
        print_json(made)
    else:
        out.print(
            f"{format_count(made['abstracts'], 'abstract')}, "
            f"{format_count(made['sentences'], 'sentence')}: {configuration} model of "
            f"{format_count(made['bytes'], 'byte')} written to {to}",
            markup=False,
        )
    raise typer.Exit(1 if has_quarantined(gathered.rejected) else 0)
