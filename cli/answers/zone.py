"""`citespan answers zone`: the zone of each sentence of an abstract."""

from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.table import Table
from rich.text import Text

from citespan.cli.answers.inputs import (
    AbstractFormat,
    ZoneModelFolder,
    has_quarantined,
    warn_rejected,
)
from citespan.cli.options import Csv, Json
from citespan.cli.output import out, print_csv, print_json
from citespan.deploy.client import connect
from citespan.pipelines.answers.abstract_files import read_abstracts
from citespan.pipelines.answers.indexed_abstracts import get_abstract
from citespan.pipelines.answers.zones.model import load_model
from citespan.pipelines.answers.zones.zoning import ZonedSentence, assign_zones
from citespan.pipelines.corpus.abstract import Abstract
from citespan.pipelines.corpus.article import Rejected

EPILOG = "Example: citespan answers zone abstracts.xml.gz --json"

_COLUMNS = ("pmid", "doi", "start", "end", "text", "zone", "probability", "by")
COLOURS = {
    "Introduction": "blue",
    "Methods": "magenta",
    "Results": "green",
    "Conclusions": "yellow",
}


def zone(
    what: Annotated[
        str, typer.Argument(help="An indexed PMID, a file, or - for stdin.", metavar="WHAT")
    ],
    format_: AbstractFormat = "auto",
    model: ZoneModelFolder = None,
    labels: Annotated[
        bool,
        typer.Option(help="Sentences of labelled sections get the label's zone, probability 1."),
    ] = True,
    json: Json = False,
    csv: Csv = False,
) -> None:
    """Show the zone of each sentence: Introduction, Methods, Results or Conclusions.

    In plain text, the first line is the title if a blank line follows it and it does not end with
    a full stop.
    """
    rejected: list[Rejected] = []
    loaded = load_model(model)
    zoned = assign_zones(_read_abstracts(what, format_, rejected), loaded, labels)
    rows: list[dict[str, Any]] = []
    for count, (abstract, sentences) in enumerate(zoned):
        if json or csv:
            about = {"pmid": abstract.id} | ({"doi": abstract.doi} if csv else {})
            rows += (about | asdict(sentence) for sentence in sentences)
        else:
            out.print(*[""] * min(count, 1), _make_table(abstract, sentences), sep="\n")
    if json:
        print_json({"sentences": rows, **_list_rejected(rejected)})
    elif csv:
        print_csv(rows, _COLUMNS)
    warn_rejected(rejected)
    raise typer.Exit(1 if has_quarantined(rejected) else 0)


def _read_abstracts(what: str, format_: str, rejected: list[Rejected]) -> Iterator[Abstract]:
    """Yield the abstracts of a file, or that of a PMID; append other records to `rejected`."""
    if what.isascii() and what.isdigit() and not Path(what).exists():
        yield get_abstract(connect(), what)
        return
    for reading in read_abstracts(Path(what), format_):
        if isinstance(reading, Rejected):
            rejected.append(reading)
        elif isinstance(reading, Abstract):
            yield reading


def _list_rejected(rejected: list[Rejected]) -> dict[str, list[dict[str, str]]]:
    return {
        outcome: [{"path": r.source, "reason": r.reason} for r in rejected if r.outcome == outcome]
        for outcome in ("skipped", "quarantined")
    }


def _make_table(abstract: Abstract, sentences: list[ZonedSentence]) -> Table:

    table = Table.grid(padding=(0, 2))
    table.add_column(no_wrap=True)
    table.add_column(justify="right", no_wrap=True)
    table.add_column(overflow="fold")
    table.title = Text(f"{abstract.id}  {abstract.title}".rstrip(), style="bold")
    table.title_justify = "left"
    for sentence in sentences:
        style = COLOURS[sentence.zone]
        source = "label" if sentence.by == "label" else f"{sentence.probability:.2f}"
        table.add_row(Text(sentence.zone, style), Text(source, "dim"), Text(sentence.text, style))
    return table
