"""`citespan answers zone`: which zone of its abstract each sentence is in."""

from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.table import Table
from rich.text import Text

from citespan.cli.answers_options import AbstractFormat, ZoneModelFolder
from citespan.cli.options import Json
from citespan.cli.output import complain, out, print_json
from citespan.pipelines.answers.abstract_files import abstract_readings
from citespan.pipelines.answers.zone_model import SHIPPED, load
from citespan.pipelines.answers.zoning import ZonedSentence, zones
from citespan.pipelines.corpus.abstract import Abstract
from citespan.pipelines.corpus.article import Rejected

EPILOG = "Example: citespan answers zone abstracts.xml.gz --json"

COLOURS = {
    "Introduction": "blue",
    "Methods": "magenta",
    "Results": "green",
    "Conclusions": "yellow",
}


def zone(
    what: Annotated[
        str, typer.Argument(help="A PMID that is indexed, a file, or - for stdin.", metavar="WHAT")
    ],
    format_: AbstractFormat = "auto",
    model: ZoneModelFolder = None,
    labels: Annotated[
        bool,
        typer.Option(help="Sections with labels keep the zones of these, with probability 1."),
    ] = True,
    json: Json = False,
) -> None:
    """Show the zone of each sentence: Introduction, Methods, Results or Conclusions.

    In plain text, a first line that a blank line follows and no full stop ends is the title.
    """
    rejected: list[Rejected] = []
    loaded = load(model or SHIPPED)
    zoned = zones(_abstracts(what, format_, rejected), loaded, labels)
    rows: list[dict[str, Any]] = []
    for count, (abstract, sentences) in enumerate(zoned):
        if json:
            rows += ({"pmid": abstract.id} | asdict(sentence) for sentence in sentences)
        else:
            out.print(*[""] * min(count, 1), _shown(abstract, sentences), sep="\n")
    if json:
        print_json({"sentences": rows, **_told(rejected)})
    for reading in rejected:
        complain(f"{reading.outcome}: {reading.source}: {reading.reason}")
    raise typer.Exit(1 if any(r.outcome == "quarantined" for r in rejected) else 0)


def _abstracts(what: str, format_: str, rejected: list[Rejected]) -> Iterator[Abstract]:
    """The abstracts of a file, or the one of a PMID; `rejected` grows with what is not one."""
    if what.isascii() and what.isdigit() and not Path(what).exists():
        from citespan.deploy.node.client import connect
        from citespan.pipelines.answers.indexed_abstracts import find

        yield find(connect(), what)
        return
    for reading in abstract_readings(Path(what), format_):
        if isinstance(reading, Rejected):
            rejected.append(reading)
        elif isinstance(reading, Abstract):
            yield reading


def _told(rejected: list[Rejected]) -> dict[str, list[dict[str, str]]]:
    return {
        outcome: [{"path": r.source, "reason": r.reason} for r in rejected if r.outcome == outcome]
        for outcome in ("skipped", "quarantined")
    }


def _shown(abstract: Abstract, sentences: list[ZonedSentence]) -> Table:
    table = Table.grid(padding=(0, 2))
    table.add_column(no_wrap=True)
    table.add_column(justify="right", no_wrap=True)
    table.add_column(overflow="fold")
    table.title = Text(f"{abstract.id}  {abstract.title}".rstrip(), style="bold")
    table.title_justify = "left"
    for sentence in sentences:
        style = COLOURS[sentence.zone]
        sure = "label" if sentence.by == "label" else f"{sentence.probability:.2f}"
        table.add_row(Text(sentence.zone, style), Text(sure, "dim"), Text(sentence.text, style))
    return table
