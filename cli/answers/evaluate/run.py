"""`citespan answers evaluate run`: the tables of an experiment on abstracts."""

from pathlib import Path
from typing import Annotated

import typer
from rich.table import Table

from citespan.cli.answers.inputs import (
    AbstractFormat,
    Mancon,
    Medline,
    has_quarantined,
    read_abstract_files,
    read_paper_data,
)
from citespan.cli.options import Json
from citespan.cli.output import out, print_json, progress, warn
from citespan.pipelines.errors import InputError
from citespan.pipelines.evaluation.shipped import find_experiment
from citespan.pipelines.training.answer_examples import from_titles
from citespan.pipelines.training.answer_experiment import read_answer_experiment
from citespan.pipelines.training.answer_tables import AnswerTable, count_steps, make_tables

EPILOG = "Example: citespan answers evaluate run experiments/bionlp2015.yml ori_pqal.json"


def run(
    experiment: Annotated[
        str,
        typer.Argument(
            help="A YAML file, or the name of a shipped experiment: bionlp2015.",
            metavar="EXPERIMENT",
        ),
    ],
    path: Annotated[
        Path | None,
        typer.Argument(
            help="Structured abstracts, some of which have a question as title.",
            show_default=False,
        ),
    ] = None,
    mancon: Mancon = None,
    medline: Medline = None,
    format_: AbstractFormat = "auto",
    json: Json = False,
) -> None:
    """Print the tables of an experiment beside the published ones.

    Each row names the data of our figures. citespan ships no abstracts; PubMedQA's ori_pqal.json
    from https://github.com/pubmedqa/pubmedqa has 1,000 with a question as title.
    """
    stated = read_answer_experiment(find_experiment(experiment))
    if path is None:
        raise InputError(
            f"{experiment}: no abstracts to run on; name a file of structured ones after it, such "
            "as PubMedQA's ori_pqal.json from https://github.com/pubmedqa/pubmedqa, since citespan "
            "ships none"
        )
    gathered = read_abstract_files([path], format_)
    own = read_paper_data(mancon, medline)
    corpora, further = (own.corpora, own.abstracts) if own else (None, [])
    abstracts = [*gathered.abstracts, *further]
    answered = from_titles(gathered.abstracts).answered
    made = []
    with progress("Evaluating", count_steps(stated, own is not None)) as advance:
        for table in make_tables(stated, abstracts, answered, corpora, advance):
            made.append(table)
            if not json and table.rows:
                out.print(_make_table(table))
    for caveat in dict.fromkeys(table.caveat for table in made if table.caveat):
        warn(f"left out: {caveat}")
    if json:
        named = {"experiment": stated.name, "published": stated.published.source}
        print_json(named | {"tables": [table.to_json() for table in made]})
    else:
        out.print(f"published: {stated.published.source}", style="dim", markup=False)
    raise typer.Exit(1 if has_quarantined(gathered.rejected) or (own and own.incomplete) else 0)


def _make_table(table: AnswerTable) -> Table:
    """Make a table of 80 columns at most; a line above the rows describes their data."""
    title = f"Table {table.number}. {table.title}"
    described = list(dict.fromkeys(row.data for row in table.rows))
    several = len(described) > 1
    numbered = [f"({n}) {data}" if several else data for n, data in enumerate(described, 1)]
    shown = Table(
        "",
        title=title,
        title_justify="left",
        caption="Ours: " + "; ".join(numbered),
        caption_justify="left",
    )
    for name in ("Precision", "Recall", "F1", "published\nPrecision", "\nRecall", "\nF1"):
        shown.add_column(name, justify="right")
    for number, data in enumerate(described, 1):
        for row in table.rows:
            if row.data == data:
                published = [f"{one:.2f}" for one in row.published] if row.published else ["-"] * 3
                shown.add_row(
                    f"{row.name} ({number})" if several else row.name,
                    *(f"{one:.3f}" for one in row.ours),
                    *published,
                )
        shown.add_section()
    return shown
