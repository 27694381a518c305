"""`citespan evaluate run`: an experiment, from articles to tables and files."""

from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

import typer

from citespan.cli.evaluate.run_tables import show
from citespan.cli.options import Json, layout_help
from citespan.cli.output import print_json, progress, warn
from citespan.cli.reformulation_options import with_reformulation_options
from citespan.deploy.client import connect
from citespan.pipelines.corpus.sample_data import sample
from citespan.pipelines.evaluation import experiment as experiments
from citespan.pipelines.evaluation.read_collection import make_absolute, read_collection
from citespan.pipelines.evaluation.results import Results, check_folder
from citespan.pipelines.evaluation.shipped import find_experiment
from citespan.pipelines.evaluation.specification import read_experiment
from citespan.pipelines.reformulation.options import Options
from citespan.pipelines.retrieval.query_dsl import MOST_TERMS
from citespan.pipelines.training.fold_rankers import train_on_folds

EPILOG = "Example: citespan evaluate run models --collection scisumm:data/train"
_NAMED = 10


@with_reformulation_options
def run(
    experiment: Annotated[
        str,
        typer.Argument(
            help="A YAML file, or the name of a shipped experiment (`citespan evaluate "
            "experiments`).",
            metavar="EXPERIMENT",
        ),
    ],
    collection: Annotated[
        str | None,
        typer.Option(
            help="FORMAT:PATH, as in tac2014:data or scisumm:train.",
            show_default="the sample that ships with citespan",
        ),
    ] = None,
    folder: Annotated[
        Path | None,
        typer.Option("--out", help="The folder to write.", show_default="runs/NAME-TIME"),
    ] = None,
    layout: Annotated[
        str | None,
        typer.Option(
            help=layout_help() + ".",
            show_default="sentences, spans for systems with umls-field",
        ),
    ] = None,
    json: Json = False,
    *,
    options: Options,
) -> None:
    """Run an experiment: index, search every citance, measure, write TREC run and qrels files.

    Experiments have indices of their own (citespan-experiments-*), which later runs use again. A
    run never changes or searches the articles that `citespan index` has loaded.

    Options of reformulations apply to every system, unless the experiment's file sets them.
    """
    specification = read_experiment(find_experiment(experiment))
    if folder is None:
        time = datetime.now(UTC).strftime("%Y%m%dT%H%M%SZ")
        folder = Path("runs") / f"{specification.name}-{time}"
    check_folder(folder)
    collection = collection or f"tac2014:{sample('tac2014')}"
    read = read_collection(collection)
    steps = len(read.articles) + len(read.citances) * len(specification.systems)
    with progress("Evaluating", steps) as advance:
        settings = experiments.RunSettings(folder, options, layout, advance)
        results = experiments.run(
            connect(), specification, read, make_absolute(collection), settings, train_on_folds
        )
    _warn(results)
    if json:
        print_json(results.to_json())
    else:
        show(results)
    raise typer.Exit(1 if results.rejected else 0)


def _warn(results: Results) -> None:
    for rejected in results.rejected:
        warn(f"not used: {rejected.source}: {rejected.reason}")
    for remark in results.remarks:
        warn(f"used, but check it: {remark}")
    for system, citances in results.without_terms.items():
        if citances:
            warn(f"{system}: nothing left to search for in {_name_some(citances)}")
    for system, citances in results.shortened.items():
        if citances:
            warn(
                f"{system}: too long, only the {MOST_TERMS:,} terms of the greatest weight were "
                f"searched for: {_name_some(citances)}"
            )


def _name_some(citances: tuple[str, ...]) -> str:
    if len(citances) <= _NAMED:
        return ", ".join(citances)
    named = ", ".join(citances[:_NAMED])
    return f"{len(citances):,} citances: {named}, … (all of them are in results.json)"
