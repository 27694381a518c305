"""`citespan answers find`: the sentences of abstracts that answer a question."""

import csv as csv_module
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.padding import Padding
from rich.text import Text

from citespan.cli.answers_corpora import quarantined, told_of
from citespan.cli.answers_options import AbstractFormat, ZoneModelFolder
from citespan.cli.answers_zone import COLOURS
from citespan.cli.options import Json
from citespan.cli.output import out, print_json
from citespan.pipelines.errors import InputError

if TYPE_CHECKING:
    from citespan.pipelines.answers.finding import Answer

EPILOG = 'Example: citespan answers find "Does aspirin prevent stroke?" --year 2010-'

_COLUMNS = ("rank", "pmid", "year", "zone", "score", "sentence", "title")


def find(
    question: Annotated[str, typer.Argument(help="A research question; - reads it from stdin.")],
    file: Annotated[
        Path | None,
        typer.Argument(
            help="A file or folder of abstracts; the index if none is named.", show_default=False
        ),
    ] = None,
    index: Annotated[
        bool, typer.Option("--index", help="Look among the indexed abstracts, the default.")
    ] = False,
    top: Annotated[int, typer.Option(min=1, max=1000, help="How many sentences to show.")] = 10,
    per_abstract: Annotated[
        int, typer.Option(min=1, help="At most so many sentences of one abstract, its best.")
    ] = 1,
    year: Annotated[
        str | None, typer.Option(help="Of publication: 2010, 2010-, -2015 or 2010-2015.")
    ] = None,
    format_: AbstractFormat = "auto",
    model: ZoneModelFolder = None,
    detector: Annotated[
        Path | None,
        typer.Option(
            help="Folder of a detector, made by `citespan answers train answers`.",
            show_default="the shipped one",
        ),
    ] = None,
    csv: Annotated[bool, typer.Option("--csv", help="Print CSV on stdout.")] = False,
    json: Json = False,
) -> None:
    """Find the sentences that answer a question, the likeliest first, over all abstracts.

    A score is the BM25 score of the abstract times the probability that the sentence is the
    answer. Sections with labels keep the zones of these. With --year, abstracts without a year
    are left out.
    """
    from citespan.pipelines.answers import answer_model, zone_model
    from citespan.pipelines.answers.candidates import (
        candidates_of,
        indexed_candidates,
        searched,
    )
    from citespan.pipelines.answers.finding import DEPTH, find_answers
    from citespan.pipelines.answers.years import Years, read_years

    if csv and json:
        raise InputError("--csv and --json: choose one")
    if file is not None and index:
        raise InputError(f"--index and {file}: choose one")
    text = " ".join((sys.stdin.read() if question == "-" else question).split())
    searched(text)
    years = read_years(year) if year else Years()
    zoned_by = zone_model.load(model or zone_model.SHIPPED)
    found_by = answer_model.load(detector or answer_model.SHIPPED)
    unread = False
    if file is None:
        from citespan.deploy.node.client import connect

        candidates = indexed_candidates(connect(), text, years, max(DEPTH, top), zoned_by.version)
    else:
        from citespan.pipelines.answers.abstract_files import gather

        gathered = gather([file], format_)
        told_of(gathered)
        unread = quarantined(gathered)
        candidates = candidates_of(gathered.abstracts, text, years, max(DEPTH, top))
    found = find_answers(text, candidates, zoned_by, found_by, top, per_abstract)
    if json:
        print_json({"question": text, "results": [one.to_json() for one in found]})
    elif csv:
        _write_csv(found)
    else:
        _show(found)
    raise typer.Exit(1 if unread else 0)


def _write_csv(found: "Sequence[Answer]") -> None:
    writer = csv_module.DictWriter(sys.stdout, _COLUMNS, extrasaction="ignore")
    writer.writeheader()
    writer.writerows(one.to_json() for one in found)


def _show(found: "Sequence[Answer]") -> None:
    if not found:
        out.print("No abstract has any word of the question.")
    for one in found:
        abstract, zone = one.abstract, one.sentence.zone
        about = f"  {abstract.year or 'no year'}  score {one.score:.2f}  "
        said = zone if one.sentence.by == "label" else f"{zone} ({one.sentence.probability:.2f})"
        out.print()
        out.print(
            Text.assemble(
                (f"{one.rank}. ", "bold"), f"PMID {abstract.id}", about, (said, COLOURS[zone])
            )
        )
        if abstract.title:
            out.print(Padding(Text(abstract.title, "bold"), (0, 0, 0, 3)))
        parts = [
            Text(one.before.text if one.before else "", "dim"),
            Text(one.sentence.text, f"bold {COLOURS[zone]}"),
            Text(one.after.text if one.after else "", "dim"),
        ]
        out.print(Padding(Text(" ").join(part for part in parts if part.plain), (0, 0, 0, 3)))
