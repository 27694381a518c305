"""`citespan answers evaluate zones`: cross-validate zone models."""

from collections.abc import Mapping
from dataclasses import asdict
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.table import Table

from citespan.cli.answers.inputs import AbstractFormat, Folds, has_quarantined, read_abstract_files
from citespan.cli.options import Json
from citespan.cli.output import out, print_json, progress
from citespan.pipelines.answers.zones.configuration import (
    CONFIGURATIONS,
    add_features,
    get_configuration,
)
from citespan.pipelines.precision_recall import PrecisionRecallF1
from citespan.pipelines.training.answer_experiment import OVERALL, read_shipped_experiment
from citespan.pipelines.training.zones import (
    CrossValidation,
    ablate,
    analyse_split_and_joined,
    cross_validate,
)

EPILOG = "Example: citespan answers evaluate zones pubmedqa.json --ablation"


def zones(
    path: Annotated[Path, typer.Argument(help="A file or folder of structured abstracts.")],
    configuration: Annotated[
        list[str] | None,
        typer.Option(
            help="One of " + ", ".join(CONFIGURATIONS) + ". Repeatable.", show_default="all"
        ),
    ] = None,
    ablation: Annotated[
        bool, typer.Option("--ablation", help="Also without each feature group in turn.")
    ] = False,
    add: Annotated[
        list[str] | None,
        typer.Option(help="A feature group to add, such as 'tense by tags'. Repeatable."),
    ] = None,
    folds: Folds = 5,
    format_: AbstractFormat = "auto",
    json: Json = False,
) -> None:
    """Cross-validate zone models by abstract, with the labels of sections hidden from them.

    The sentences are split by section. "F1 joined" is for the same sentences if the sections are
    joined to one text first, as in unstructured abstracts. The published figures are those of
    Alamri and Stevenson 2015, on 10,000 other abstracts.
    """

    chosen = [
        add_features(get_configuration(name), add or ()) for name in configuration or CONFIGURATIONS
    ]
    gathered = read_abstract_files([path], format_)
    models = sum(1 + len(c.features) * ablation for c in chosen)
    rows: list[dict[str, Any]] = []
    with progress("Cross-validating", models * folds) as advance:
        for one in chosen:
            data = analyse_split_and_joined(gathered.abstracts, one)
            whole = cross_validate(data, one, folds, advance)
            rows.append(_make_row(one.name, None, whole))
            if ablation:
                rows += (
                    _make_row(one.name, without, result)
                    for without, result in ablate(data, one, folds, advance)
                )
    if json:
        counts = {
            "abstracts": len(gathered.abstracts),
            "rejected": [asdict(reading) for reading in gathered.rejected],
            "folds": folds,
        }
        print_json(counts | {"results": rows})
    else:
        for table in _make_tables(rows):
            out.print(table)
        out.print(
            "Published: Alamri and Stevenson 2015, on 10,000 other abstracts. Joined: the sections "
            "joined to one text first. Glued: sentences of that text that cross the end of a "
            "section.",
            style="dim",
        )
    raise typer.Exit(1 if has_quarantined(gathered.rejected) else 0)


def _make_row(name: str, without: str | None, result: CrossValidation) -> dict[str, Any]:
    return {"configuration": name, "without": without, **asdict(result)}


def _make_tables(rows: list[dict[str, Any]]) -> list[Table]:
    """Make a table for each configuration and one that compares all, 80 columns wide at most."""
    published = read_shipped_experiment().published.zones
    whole = [row for row in rows if row["without"] is None]
    tables = [_make_zone_table(row, published.get(row["configuration"], {})) for row in whole]
    if len(rows) == len(whole):
        return [*tables, _make_summary("Configuration", [(r["configuration"], r) for r in whole])]
    for name, ablated in groupby(rows, key=itemgetter("configuration")):
        named = [(row["without"] or "nothing", row) for row in ablated]
        tables.append(_make_summary("Without", named, title=name))
    return tables


def _make_zone_table(row: dict[str, Any], published: Mapping[str, PrecisionRecallF1]) -> Table:

    scores, joined = row["scores"], row["joined"]
    table = Table("Zone", title=row["configuration"], title_justify="left")
    for name in ("Precision", "Recall", "F1", "F1\njoined", "F1\npublished", "Sentences"):
        table.add_column(name, justify="right")
    lines = [*scores["zones"].items(), (OVERALL, scores["overall"])]
    for zone, score in lines:
        other = joined["zones"].get(zone, joined["overall"])
        table.add_row(
            zone,
            *(f"{score[name]:.3f}" for name in ("precision", "recall", "f1")),
            f"{other['f1']:.3f}",
            f"{published[zone].f1:.2f}" if zone in published else "",
            f"{score['sentences']:,}",
        )
    return table


def _make_summary(
    heading: str, rows: list[tuple[str, dict[str, Any]]], title: str | None = None
) -> Table:
    """Make a table of overall figures; with a title, changes are from the first row."""
    table = Table(title=title, title_justify="left")
    table.add_column(heading, overflow="fold")
    changes = ("Change",) if title else ()
    for name in ("F1", *changes, "Sentences\nright", "Abstracts\nright", "Joined\nF1", "Glued"):
        table.add_column(name, justify="right")
    first = rows[0][1]["scores"]["overall"]["f1"]
    for name, row in rows:
        scores = row["scores"]
        f1 = scores["overall"]["f1"]
        change = (f"{f1 - first:+.4f}" if row["without"] else "",) if title else ()
        table.add_row(
            name,
            f"{f1:.4f}",
            *change,
            f"{scores['sentence_accuracy']:.4f}",
            f"{scores['abstract_accuracy']:.3f}",
            f"{row['joined']['overall']['f1']:.4f}",
            str(row["glued"]),
        )
    return table
