"""`citespan evaluate report`: earlier runs as one page, and their plots."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from citespan.cli.output import out, progress, warn
from citespan.pipelines.errors import CitespanError, InputError

if TYPE_CHECKING:
    from citespan.cli.evaluate.report.html import ReportedRun

EPILOG = "Example: citespan evaluate report runs/naacl2015 --out naacl2015.html"


def report(
    runs: Annotated[
        list[Path], typer.Argument(help="Folders that `citespan evaluate run` has written.")
    ],
    target: Annotated[Path, typer.Option("--out", help="The file to write.")] = Path("report.html"),
    top: Annotated[
        int,
        typer.Option(min=0, help="Number of citances to show, those on which systems differ most."),
    ] = 50,
    collection: Annotated[
        str | None,
        typer.Option(help="FORMAT:PATH, if the collection has moved since the runs."),
    ] = None,
    index: Annotated[
        bool,
        typer.Option(
            "--index",
            help="Also write the measures of each citance to the index citespan-evaluations, for "
            "Kibana's dashboard of evaluations.",
        ),
    ] = False,
) -> None:
    """Write a page about runs that needs no network: tables, plots, and citances on which systems
    differ, with what each of them retrieved.

    The plots are also written as SVG and PNG into the folder `plots` of each run folder. A folder
    that can't be read is named, and the others are reported.
    """
    from citespan.cli.evaluate.report.html import make_html

    reported = []
    with progress("Drawing", len(runs)) as advance:
        for folder in runs:
            try:
                reported.append(_read(folder, collection, top))
            except CitespanError as error:
                warn(f"not in the report: {error}")
            advance(1)
    if not reported:
        raise typer.Exit(2)
    try:
        target.write_text(make_html(reported), encoding="utf-8")
    except OSError as error:
        raise InputError(f"{target}: can't be written ({error.strerror})") from error
    out.print(f"{len(reported)} of {len(runs)} runs reported in {target}", markup=False)
    if index:
        _index(reported)
    raise typer.Exit(0 if len(reported) == len(runs) else 1)


def _index(reported: "list[ReportedRun]") -> None:
    from citespan.deploy.client import connect
    from citespan.es_mappings.evaluations import INDEX
    from citespan.pipelines.counts import format_count
    from citespan.pipelines.evaluation.evaluation_index import write_evaluation

    client = connect()
    count = sum(write_evaluation(client, one.replayed) for one in reported)
    out.print(f"{format_count(count, 'document')} written to {INDEX}", markup=False)


def _read(folder: Path, collection: str | None, top: int) -> "ReportedRun":
    from citespan.cli.evaluate.report.html import ReportedRun
    from citespan.pipelines.evaluation.plots.drawn import draw_plots, write_plots
    from citespan.pipelines.evaluation.read_collection import read_collection
    from citespan.pipelines.evaluation.replayed import replay_run
    from citespan.pipelines.evaluation.run_folder import read_run_folder

    run = read_run_folder(folder)
    replayed = replay_run(run, read_collection(collection or run.results.collection_path))
    plots = list(draw_plots(replayed))
    write_plots(folder, plots)
    return ReportedRun(replayed, plots, top)
