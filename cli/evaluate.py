"""`citespan evaluate`: systems compared on a collection of citances."""

from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

import typer
from rich.table import Table

from citespan.cli import evaluate_agreement, evaluate_compare
from citespan.cli.options import (
    Json,
    Layout,
)
from citespan.cli.output import complain, out, print_json, progress
from citespan.cli.reformulation_options import with_reformulation_options
from citespan.deploy.node.client import connect
from citespan.pipelines.corpus.sample_data import sample
from citespan.pipelines.reformulation.context import Options

# Evaluation is imported in the commands below: it is a lot, and no other command needs it.

app = typer.Typer(no_args_is_help=True, help="Compare systems on a collection of citances.")
app.command(epilog=evaluate_compare.EPILOG)(evaluate_compare.compare)
app.command(epilog=evaluate_agreement.EPILOG)(evaluate_agreement.agreement)

_NAMED = 10


@app.command(
    epilog="Example: citespan evaluate run experiments/models.yml --collection scisumm:data/train"
)
@with_reformulation_options
def run(
    experiment: Annotated[
        Path, typer.Argument(help="An experiment's YAML file.", metavar="EXPERIMENT.yml")
    ],
    collection: Annotated[
        str | None,
        typer.Option(help="FORMAT:PATH, as in tac2014:data or scisumm:train; default: the sample."),
    ] = None,
    folder: Annotated[
        Path | None,
        typer.Option("--out", help="Where to write; default: runs/NAME-TIME."),
    ] = None,
    layout: Annotated[
        Layout | None,
        typer.Option(
            help="How articles are indexed; the results are the same.",
            show_default="as each is, spans for new ones",
        ),
    ] = None,
    json: Json = False,
    *,
    options: Options,
) -> None:
    """Run an experiment: index, search every citance, measure, write TREC run and qrels files.

    Options of reformulations hold for every system, but for what the experiment's file says.
    """
    from citespan.cli.evaluate_table import show
    from citespan.pipelines.evaluation import experiment as experiments
    from citespan.pipelines.evaluation.read_collection import absolute, read_collection
    from citespan.pipelines.evaluation.specification import read_experiment

    specification = read_experiment(experiment)
    if collection is None:
        collection = f"tac2014:{sample('tac2014')}"
    read = read_collection(collection)
    if folder is None:
        time = datetime.now(UTC).strftime("%Y%m%dT%H%M%SZ")
        folder = Path("runs") / f"{specification.name}-{time}"
    steps = len(read.articles) + len(read.citances) * len(specification.systems)
    with progress("Evaluating", steps) as advance:
        results = experiments.run(
            connect(),
            specification,
            read,
            absolute(collection),
            folder,
            options,
            advance,
            layout.value if layout else None,
        )
    for rejected in results.rejected:
        complain(f"not used: {rejected.source}: {rejected.reason}")
    for remark in results.remarks:
        complain(f"used, but look at it: {remark}")
    for system, citances in results.without_terms.items():
        if citances:
            complain(f"{system}: nothing left to search for in {_some(citances)}")
    if json:
        print_json(results.to_json())
    else:
        show(results)
    raise typer.Exit(1 if results.rejected else 0)


def _some(citances: tuple[str, ...]) -> str:
    if len(citances) <= _NAMED:
        return ", ".join(citances)
    named = ", ".join(citances[:_NAMED])
    return f"{len(citances):,} citances: {named}, … (all of them are in results.json)"


@app.command("measures", epilog="Example: citespan evaluate measures")
def list_measures(json: Json = False) -> None:
    """List the measures."""
    from citespan.pipelines.evaluation.measure import measures

    if json:
        print_json(
            [{"name": m.name, "description": m.description, "source": m.source} for m in measures]
        )
        return
    table = Table("measure", "description", "source")
    for measure in measures:
        table.add_row(measure.name, measure.description, measure.source)
    out.print(table)
