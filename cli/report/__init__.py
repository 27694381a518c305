"""`citespan evaluate report`: earlier runs as one page, which needs no network, and their plots."""

import base64
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer

from citespan.cli.output import out, progress, warn, writing
from citespan.deploy.client import connect
from citespan.es_mappings.evaluations import INDEX
from citespan.pipelines.counts import format_count
from citespan.pipelines.errors import CitespanError
from citespan.pipelines.evaluation.comparison import find_marked, split_span
from citespan.pipelines.evaluation.evaluation_index import write_evaluation
from citespan.pipelines.evaluation.outcome import Outcome
from citespan.pipelines.evaluation.plots.drawing import adapt_to_page
from citespan.pipelines.evaluation.plots.drawn import Drawn, draw_plots, write_plots
from citespan.pipelines.evaluation.read_collection import read_collection
from citespan.pipelines.evaluation.results import (
    choose_columns,
    format_interval,
    format_stars,
    format_value,
)
from citespan.pipelines.evaluation.run_folder import ReplayedRun, read_run_folder, replay_run
from citespan.serve.page import make_page

_FOLDER = Path(__file__).parent


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
        str | None, typer.Option(help="FORMAT:PATH, if the collection has moved since the runs.")
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

    Example: citespan evaluate report runs/naacl2015 --out naacl2015.html
    """
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
    with writing(target):
        target.write_text(make_html(reported), encoding="utf-8")
    out.print(f"{len(reported)} of {len(runs)} runs reported in {target}", markup=False)
    if index:
        _index(reported)
    raise typer.Exit(0 if len(reported) == len(runs) else 1)


def _index(reported: "list[ReportedRun]") -> None:
    client = connect()
    count = sum(write_evaluation(client, run.replayed) for run in reported)
    out.print(f"{format_count(count, 'document')} written to {INDEX}", markup=False)


def _read(folder: Path, collection: str | None, top: int) -> "ReportedRun":
    run = read_run_folder(folder)
    replayed = replay_run(run, read_collection(collection or run.results.collection_path))
    plots = list(draw_plots(replayed))
    write_plots(folder, plots)
    return ReportedRun(replayed, plots, top)


@dataclass(frozen=True)
class ReportedRun:
    """A run as the page shows it.

    Attributes:
        top: how many citances are shown.
    """

    replayed: ReplayedRun
    plots: Sequence[Drawn]
    top: int

    @property
    def title(self) -> str:
        """The experiment and its collection."""
        return f"{self.replayed.results.experiment} on {self.replayed.results.collection}"

    @property
    def columns(self) -> Mapping[str, str]:
        """The measures of the table with their headings."""
        return choose_columns(self.replayed.results.columns)

    def list_most_apart(self) -> list[int]:
        """Return the places of the citances on which systems differ most, these first."""
        ranges = self.replayed.ranges
        order = np.argsort(-ranges, kind="stable")[: self.top]
        return [int(place) for place in order if ranges[place] > 0]

    def list_settings(self) -> dict[str, dict[str, str]]:
        """Return the settings of each system, those that all systems share under "all"."""
        systems = {
            name: {key: _format_setting(value) for key, value in settings.items()}
            for name, settings in self.replayed.results.configuration.systems.items()
        }
        first = next(iter(systems.values()))
        shared = {
            key: value
            for key, value in first.items()
            if all(theirs.get(key) == value for theirs in systems.values())
        }
        own = {
            name: {key: value for key, value in theirs.items() if key not in shared}
            for name, theirs in systems.items()
        }
        return {"all": shared, **own}


def make_html(runs: Sequence[ReportedRun]) -> str:
    """Return a report of runs as an HTML page."""
    return make_page(
        _FOLDER,
        images=True,
        runs=runs,
        title=runs[0].title if len(runs) == 1 else f"{len(runs)} experiments",
        value=format_value,
        interval=format_interval,
        stars=format_stars,
        image=_make_image,
        marked=_list_marked,
        pieces=split_span,
    )


def _list_marked(outcome: Outcome) -> list[str]:
    return [outcome.article.text[start:end] for start, end in find_marked(outcome)]


def _make_image(drawn: Drawn) -> str:
    data = base64.b64encode(adapt_to_page(drawn.svg.decode()).encode()).decode()
    return f"data:image/svg+xml;base64,{data}"


def _format_setting(value: Any) -> str:
    if isinstance(value, Mapping):
        return ", ".join(f"{key}: {_format_setting(part)}" for key, part in value.items())
    if isinstance(value, list):
        return ", ".join(map(str, value)) or "–"
    return "–" if value is None else str(value)
