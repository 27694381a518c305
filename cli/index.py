"""`citespan index`: load articles."""

from pathlib import Path
from typing import Annotated

import typer
from rich.table import Table

from citespan.cli.options import Json, Layout, described, format_help
from citespan.cli.output import complain, out, print_json, progress
from citespan.deploy.node.client import connect
from citespan.pipelines.indexing import loading
from citespan.pipelines.indexing.census import Census
from citespan.pipelines.indexing.windows import SpanLengths
from citespan.pipelines.retrieval.model import models as retrieval_models
from citespan.pipelines.retrieval.model import similarities
from citespan.pipelines.text.splitter import DEFAULT, splitters

EPILOG = "Example: citespan index articles/ --format jats --models vsm,bm25"


def index(
    paths: Annotated[
        list[str], typer.Argument(help="Files or folders; - is standard input.", metavar="PATH...")
    ],
    format_: Annotated[str, typer.Option("--format", help=format_help())] = "auto",
    _layout: Annotated[
        Layout, typer.Option("--layout", help="spans: an index per article, a document per span.")
    ] = Layout.SPANS,
    models: Annotated[
        str,
        typer.Option(
            help="Models to be searched with, by comma; vsm is always there. Each further one "
            "makes loading slower. " + described(retrieval_models)
        ),
    ] = "vsm",
    shortest: Annotated[int, typer.Option(help="Sentences of the shortest span.")] = 1,
    longest: Annotated[int, typer.Option(help="Sentences of the longest span.")] = 5,
    splitter: Annotated[
        str,
        typer.Option(help="What splits texts into sentences. " + described(splitters)),
    ] = DEFAULT,
    json: Json = False,
) -> None:
    """Load articles: read, split into sentences, index all spans.

    Loading twice changes nothing; an article that has changed is replaced.
    """
    load = loading.Load(
        paths=[Path(path) for path in paths],
        format=format_,
        similarities=similarities(models.split(",")),
        lengths=SpanLengths(shortest, longest),
        splitter=splitter,
    )
    inputs = load.inputs()
    with progress("Indexing", inputs) as advance:
        census = load.run(connect(), advance)
    report(census, json)
    raise typer.Exit(1 if census.quarantined else 0)


def report(census: Census, json: bool) -> None:
    """Print what became of all inputs."""
    for rejected in census.skipped:
        complain(f"skipped: {rejected.source}: {rejected.reason}")
    for rejected in census.quarantined:
        complain(f"quarantined: {rejected.source}: {rejected.reason}")
    if json:
        print_json(census.to_json())
        return
    table = Table()
    table.add_column("outcome")
    table.add_column("inputs", justify="right")
    for name in ("indexed", "unchanged", "replaced"):
        table.add_row(name, f"{getattr(census, name):,}")
    table.add_row("skipped", f"{len(census.skipped):,}")
    table.add_row("quarantined", f"{len(census.quarantined):,}", end_section=True)
    table.add_row("inputs", f"{census.inputs:,}")
    out.print(table)
    out.print(
        f"{census.articles:,} articles written: {census.sentences:,} sentences, "
        f"{census.spans:,} spans, in {census.seconds:.1f} s"
    )
