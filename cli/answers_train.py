"""`citespan answers train`: models made anew from a user's own abstracts."""

from pathlib import Path
from typing import Annotated

import typer

from citespan.cli.answers_options import AbstractFormat
from citespan.cli.options import Json
from citespan.cli.output import complain, out, print_json, progress
from citespan.pipelines.answers import zone_configuration

app = typer.Typer(no_args_is_help=True, help="Train models on your own abstracts.")


@app.command(epilog="Example: citespan answers train zones pubmed26n0001.xml.gz --out my-zones")
def zones(
    paths: Annotated[list[Path], typer.Argument(help="Files or folders.", metavar="PATH...")],
    to: Annotated[Path, typer.Option("--out", help="The folder to write the model to.")],
    format_: AbstractFormat = "auto",
    configuration: Annotated[
        str, typer.Option(help="One of " + ", ".join(zone_configuration.CONFIGURATIONS) + ".")
    ] = zone_configuration.DEFAULT,
    about: Annotated[
        str, typer.Option(help="What the data is and its licence, for the model's card.")
    ] = "",
    measure: Annotated[
        bool, typer.Option(help="Measure by five-fold cross-validation, for the model's card.")
    ] = True,
    json: Json = False,
) -> None:
    """Train a zone model on structured abstracts; the same abstracts give the same model."""
    from citespan.pipelines.answers.abstract_files import gather
    from citespan.pipelines.answers.zone_making import make_zone_model

    chosen = zone_configuration.configuration(configuration)
    gathered = gather(sorted(paths), format_)
    steps = 6 if measure else 1
    with progress("Training", steps) as advance:
        made = make_zone_model(
            gathered, chosen, to, sorted(map(str, paths)), about, measure, advance
        )
    for reading in gathered.rejected:
        complain(f"{reading.outcome}: {reading.source}: {reading.reason}")
    if json:
        print_json(made)
    else:
        out.print(
            f"{made['abstracts']} abstracts, {made['sentences']} sentences: {configuration} model "
            f"of {made['bytes']:,} bytes written to {to}",
            markup=False,
        )
    raise typer.Exit(1 if made["quarantined"] else 0)
