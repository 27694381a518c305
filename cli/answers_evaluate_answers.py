"""`citespan answers evaluate answers`: answer detection measured, every feature set."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.table import Table

from citespan.cli.answers_corpora import Mancon, Medline, paper_corpora, quarantined, told_of
from citespan.cli.answers_options import AbstractFormat
from citespan.cli.options import Json
from citespan.cli.output import complain, out, print_json, progress
from citespan.pipelines.answers import zone_configuration

if TYPE_CHECKING:
    from citespan.pipelines.answers.answer_corpora import Measured
    from citespan.pipelines.answers.answer_scores import AnswerScores

EPILOG = "Example: citespan answers evaluate answers pubmedqa.json --json"


def answers(
    path: Annotated[
        Path, typer.Argument(help="Structured abstracts, of which some have a question as title.")
    ],
    mancon: Mancon = None,
    medline: Medline = None,
    configuration: Annotated[
        str,
        typer.Option(
            help="Of the zones, where sections are hidden: "
            + ", ".join(zone_configuration.CONFIGURATIONS)
            + "."
        ),
    ] = zone_configuration.DEFAULT,
    folds: Annotated[int, typer.Option(min=2, help="How many.")] = 10,
    format_: AbstractFormat = "auto",
    json: Json = False,
) -> None:
    """Cross-validate detectors of answers, all of a question in one fold.

    The question of an abstract is its title and the answer the first sentence of its
    Conclusions; with --mancon and --medline also the paper's own corpora.
    """
    from citespan.pipelines.answers.abstract_files import gather
    from citespan.pipelines.answers.answer_corpora import (
        measured_on_paper_corpora,
        measured_on_titles,
    )
    from citespan.pipelines.answers.answered_abstracts import from_titles

    chosen = zone_configuration.configuration(configuration)
    gathered = gather([path], format_)
    told_of(gathered)
    titles = from_titles(gathered.abstracts)
    own = paper_corpora(mancon, medline)
    with progress("Cross-validating", folds * (3 if own else 2) + bool(own)) as advance:
        found = []
        if own and len(titles.answered) < folds:
            complain(f"{path}: {len(titles.answered)} questions made of titles, left out")
        else:
            found.append(measured_on_titles(titles.answered, chosen, folds, advance))
        if own:
            abstracts = [*gathered.abstracts, *own[1]]
            found.append(measured_on_paper_corpora(own[0], abstracts, chosen, folds, advance))
    for one in found:
        if one.remark:
            complain(f"both steps left out: {one.remark}")
    if json:
        counts = {
            "abstracts": len(gathered.abstracts),
            "questions": len(titles.answered),
            "other_titles": titles.other_titles,
            "without_zones": titles.without_zones,
            "folds": folds,
            "configuration": chosen.name,
        }
        print_json(counts | {"results": [one.to_json() for one in found]})
    else:
        out.print(
            f"{len(gathered.abstracts):,} abstracts: {len(titles.answered):,} with a question as "
            f"title, {titles.other_titles:,} with another title, {titles.without_zones:,} without "
            "Results or Conclusions"
        )
        for one in found:
            _show(one)
    raise typer.Exit(1 if quarantined(gathered) or (own and own[2]) else 0)


def _show(one: "Measured") -> None:
    rows = {f"feature set {name}": scores for name, scores in one.by_labels.items()}
    _table(one.data, rows | {"all of the Conclusions": one.conclusions})
    if one.both:
        _table(
            one.data_of_both, {f"feature set {name}": scores for name, scores in one.both.items()}
        )


def _table(title: str, rows: "dict[str, AnswerScores]") -> None:
    table = Table("", title=title, title_justify="left")
    for name in ("Precision", "Recall", "F1", "Overall F1", "Found", "Missed", "Taken", "Left"):
        table.add_column(name, justify="right")
    for name, scores in rows.items():
        answer = scores.answer
        shares = (answer.precision, answer.recall, answer.f1, scores.overall.f1)
        counts = (
            *(scores.answers_found, scores.answers_missed),
            *(scores.others_taken, scores.others_left),
        )
        table.add_row(name, *(f"{share:.3f}" for share in shares), *map(str, counts))
    out.print(table)
    out.print(
        "Found, missed: answers. Taken, left: other sentences of the claim zone, taken for answers "
        "or not.",
        style="dim",
    )
