"""`citespan evaluate`: systems compared on a collection of citances."""

from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.table import Table

from citespan.cli.options import Json
from citespan.cli.output import complain, out, print_json, progress
from citespan.deploy.node.client import connect
from citespan.pipelines.corpus.sample_data import sample

if TYPE_CHECKING:
    from citespan.pipelines.evaluation.experiment import Results

# Evaluation is imported in the commands below: it is a lot, and no other command needs it.

app = typer.Typer(no_args_is_help=True, help="Compare systems on a collection of citances.")

# The columns that people read first; all measures are in the JSON and in results.json.
_COLUMNS = {
    "recall": "R",
    "precision": "P",
    "f1": "F1",
    "rouge_l": "ROUGE-L",
    "sentence_precision_micro": "sent.\nP",
    "sentence_recall_micro": "sent.\nR",
    "sentence_f1_micro": "sent.\nF1",
    "sentence_f1_macro": "macro\nF1",
    "official_sentence_f1_micro": "official\nF1",
}


@app.command(
    epilog="Example: citespan evaluate run experiments/models.yml --collection scisumm:data/train"
)
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
    json: Json = False,
) -> None:
    """Run an experiment: index, search every citance, measure, write TREC run and qrels files."""
    from citespan.pipelines.evaluation import experiment as experiments
    from citespan.pipelines.evaluation.specification import read_experiment

    specification = read_experiment(experiment)
    if collection is None:
        collection = f"tac2014:{sample('tac2014')}"
    read = experiments.read_collection(collection)
    if folder is None:
        time = datetime.now(UTC).strftime("%Y%m%dT%H%M%SZ")
        folder = Path("runs") / f"{specification.name}-{time}"
    steps = len(read.articles) + len(read.citances) * len(specification.systems)
    with progress("Evaluating", steps) as advance:
        results = experiments.run(connect(), specification, read, folder, advance)
    for rejected in results.rejected:
        complain(f"not used: {rejected.source}: {rejected.reason}")
    for remark in results.remarks:
        complain(f"used, but look at it: {remark}")
    for system, citances in results.without_terms.items():
        if citances:
            complain(f"{system}: nothing left to search for in {', '.join(citances)}")
    if json:
        print_json(results.to_json())
    else:
        _show(results)
    raise typer.Exit(1 if results.rejected else 0)


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


def _show(results: "Results") -> None:
    from citespan.pipelines.evaluation.experiment import MAIN_MEASURE

    table = Table("system")
    for heading in _COLUMNS.values():
        table.add_column(heading, justify="right", no_wrap=True)
    for system, scores in results.scores.items():
        cells = []
        for name in _COLUMNS:
            score = scores[name]
            stars = "" if score.p_value is None else _stars(score.p_value)
            cell = f"{score.value:.3f}".removeprefix("0") + stars
            if name == MAIN_MEASURE:
                cell += f" [dim]{score.low:.3f}-{score.high:.3f}[/dim]".replace("0.", ".")
            cells.append(cell)
        table.add_row(system, *cells)
    out.print(
        f"{results.experiment.name} on {results.collection}: {results.citances:,} citances",
        markup=False,
    )
    out.print(table)
    out.print(
        "R, P, F1: characters, weighted over annotators, with F1's 95% bootstrap interval; sent.: "
        f"sentence overlap, micro; * p < .05, ** p < .01 against {results.experiment.baseline} "
        "(paired t-test). All measures: citespan evaluate measures"
    )
    unused = results.records - results.records_used
    out.print(
        f"{results.records:,} annotation records: {results.records_used:,} used, {unused} not"
    )
    out.print(f"run files: {results.run_folder}", markup=False)


def _stars(p_value: float) -> str:
    return "**" if p_value < 0.01 else "*" if p_value < 0.05 else ""
