"""`citespan answers evaluate run`: the tables of an experiment on abstracts."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.table import Table

from citespan.cli.answers_corpora import Mancon, Medline, paper_corpora, quarantined, told_of
from citespan.cli.answers_options import AbstractFormat
from citespan.cli.options import Json
from citespan.cli.output import complain, out, print_json, progress

if TYPE_CHECKING:
    from citespan.pipelines.answers.answer_tables import AnswerTable

EPILOG = "Example: citespan answers evaluate run experiments/bionlp2015.yml pubmedqa.json"


def run(
    experiment: Annotated[
        Path, typer.Argument(help="An experiment's YAML file.", metavar="EXPERIMENT.yml")
    ],
    path: Annotated[
        Path, typer.Argument(help="Structured abstracts, of which some have a question as title.")
    ],
    mancon: Mancon = None,
    medline: Medline = None,
    format_: AbstractFormat = "auto",
    json: Json = False,
) -> None:
    """Print the tables of an experiment beside the published ones, with the data of each row."""
    from citespan.pipelines.answers.abstract_files import gather
    from citespan.pipelines.answers.answer_experiment import read_answer_experiment
    from citespan.pipelines.answers.answer_tables import steps, tables
    from citespan.pipelines.answers.answered_abstracts import from_titles

    stated = read_answer_experiment(experiment)
    gathered = gather([path], format_)
    told_of(gathered)
    own = paper_corpora(mancon, medline)
    corpora, further = (own[0], own[1]) if own else (None, [])
    abstracts = [*gathered.abstracts, *further]
    answered = from_titles(gathered.abstracts).answered
    made = []
    with progress("Evaluating", steps(stated, own is not None)) as advance:
        for table in tables(stated, abstracts, answered, corpora, advance):
            made.append(table)
            if not json:
                _show(table)
    for remark in dict.fromkeys(table.remark for table in made if table.remark):
        complain(f"left out: {remark}")
    if json:
        named = {"experiment": stated.name, "published": stated.source}
        print_json(named | {"tables": [table.to_json() for table in made]})
    else:
        out.print(f"published: {stated.source}", style="dim", markup=False)
    raise typer.Exit(1 if quarantined(gathered) or (own and own[2]) else 0)


def _show(table: "AnswerTable") -> None:
    shown = Table("", title=f"Table {table.number}. {table.title}", title_justify="left")
    for name in ("Precision", "Recall", "F1", "published\nPrecision", "\nRecall", "\nF1"):
        shown.add_column(name, justify="right")
    shown.add_column("Data of ours", overflow="fold")
    last = None
    for row in table.rows:
        if last is not None and row.data != last:
            shown.add_section()
        published = [f"{one:.2f}" for one in row.published] if row.published else ["-"] * 3
        shown.add_row(
            row.name,
            *(f"{one:.3f}" for one in row.ours),
            *published,
            "" if row.data == last else row.data,
        )
        last = row.data
    if table.rows:
        out.print(shown)
