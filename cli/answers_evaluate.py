"""`citespan answers evaluate zones`: zoning measured by cross-validation."""

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.table import Table

from citespan.cli.answers_options import AbstractFormat
from citespan.cli.options import Json
from citespan.cli.output import complain, out, print_json, progress
from citespan.pipelines.answers import zone_configuration
from citespan.pipelines.answers.zone_configuration import CONFIGURATIONS

if TYPE_CHECKING:
    from citespan.pipelines.answers.zone_evaluation import CrossValidation

app = typer.Typer(
    no_args_is_help=True, help="Measure zoning and answer detection on abstracts with labels."
)

# Paper B, tables 1 and 2: F1 by zone and overall, on 10,000 abstracts on cardiovascular disease.
_PUBLISHED = {
    "alamri2015": (0.96, 0.83, 0.88, 0.92, 0.89),
    "hirohata2008": (0.95, 0.83, 0.87, 0.91, 0.88),
}


@app.command(epilog="Example: citespan answers evaluate zones pubmedqa.json --ablation")
def zones(
    path: Annotated[Path, typer.Argument(help="A file or folder of structured abstracts.")],
    configuration: Annotated[
        list[str] | None,
        typer.Option(
            help="Repeatable; of " + ", ".join(CONFIGURATIONS) + ".", show_default="all of them"
        ),
    ] = None,
    ablation: Annotated[
        bool, typer.Option("--ablation", help="Also without each feature group in turn.")
    ] = False,
    add: Annotated[
        list[str] | None,
        typer.Option(help="A feature group to add to each, as 'tense by tags'. Repeatable."),
    ] = None,
    folds: Annotated[int, typer.Option(min=2, help="How many.")] = 5,
    format_: AbstractFormat = "auto",
    json: Json = False,
) -> None:
    """Cross-validate zone models by abstract, with labels hidden from them.

    The model sees sentences split by section; "joined" is the same with the sections joined
    to one text first, as unstructured abstracts come.
    """
    from citespan.pipelines.answers import zone_evaluation
    from citespan.pipelines.answers.abstract_files import gather

    chosen = [
        zone_configuration.extended(zone_configuration.configuration(name), add or ())
        for name in configuration or CONFIGURATIONS
    ]
    gathered = gather([path], format_)
    models = sum(1 + len(c.features) * ablation for c in chosen)
    rows: list[dict[str, Any]] = []
    with progress("Cross-validating", models * folds) as advance:
        for one in chosen:
            data = zone_evaluation.analysed(gathered.abstracts, one)
            whole = zone_evaluation.cross_validation(data, one, folds, advance)
            rows.append(_row(one.name, None, whole))
            if ablation:
                rows += (
                    _row(one.name, without, result)
                    for without, result in zone_evaluation.ablation(data, one, folds, advance)
                )
    for reading in gathered.rejected:
        complain(f"{reading.outcome}: {reading.source}: {reading.reason}")
    if json:
        counts = {
            "abstracts": len(gathered.abstracts),
            "rejected": [asdict(reading) for reading in gathered.rejected],
            "folds": folds,
        }
        print_json(counts | {"results": rows})
    else:
        _show(rows)
    quarantined = any(r.outcome == "quarantined" for r in gathered.rejected)
    raise typer.Exit(1 if quarantined else 0)


def _row(name: str, without: str | None, result: "CrossValidation") -> dict[str, Any]:
    return {"configuration": name, "without": without, **asdict(result)}


def _show(rows: list[dict[str, Any]]) -> None:
    table = Table("Configuration", "Zone")
    for name in ("Precision", "Recall", "F1", "F1, joined", "F1, published", "Sentences"):
        table.add_column(name, justify="right")
    for row in rows:
        if row["without"] is None:
            _add(table, row)
    out.print(table)
    published = "published: paper B, 10,000 other abstracts; ours are cross-validated on these"
    out.print(published, style="dim")
    summary = Table("Configuration", "Without")
    for name in ("F1", "Change", "Sentences right", "Abstracts right", "Joined: F1", "Glued"):
        summary.add_column(name, justify="right")
    whole = {r["configuration"]: r["scores"]["overall"]["f1"] for r in rows if not r["without"]}
    for row in rows:
        scores = row["scores"]
        change = scores["overall"]["f1"] - whole[row["configuration"]]
        summary.add_row(
            row["configuration"],
            row["without"] or "",
            f"{scores['overall']['f1']:.4f}",
            f"{change:+.4f}" if row["without"] else "",
            f"{scores['sentence_accuracy']:.4f}",
            f"{scores['abstract_accuracy']:.3f}",
            f"{row['joined']['overall']['f1']:.4f}",
            str(row["glued"]),
        )
    out.print(summary)


def _add(table: Table, row: dict[str, Any]) -> None:
    scores, joined = row["scores"], row["joined"]
    published = _PUBLISHED.get(row["configuration"])
    lines = [*scores["zones"].items(), ("weighted", scores["overall"])]
    for place, (zone, score) in enumerate(lines):
        other = joined["zones"].get(zone, joined["overall"])
        table.add_row(
            row["configuration"] if place == 0 else "",
            zone,
            *(f"{score[name]:.3f}" for name in ("precision", "recall", "f1")),
            f"{other['f1']:.3f}",
            f"{published[place]:.2f}" if published else "",
            str(score["sentences"]),
        )
    table.add_section()
