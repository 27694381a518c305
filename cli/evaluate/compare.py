"""`citespan evaluate compare`: on which citances two systems differ most."""

from typing import Annotated

import typer
from rich.text import Text

from citespan.cli.options import Json
from citespan.cli.output import out, print_json
from citespan.pipelines.evaluation import comparison
from citespan.pipelines.evaluation.comparison import (
    CitanceDifference,
    Comparison,
    find_marked,
    find_marked_within,
)
from citespan.pipelines.evaluation.measure import measures
from citespan.pipelines.evaluation.outcome import Outcome
from citespan.pipelines.evaluation.read_collection import read_collection
from citespan.pipelines.evaluation.run_folder import read_run

EPILOG = "Example: citespan evaluate compare runs/naacl2015:baseline runs/naacl2015:np+umls-expand"
_OPEN, _CLOSE = "⟦", "⟧"


def compare(
    first: Annotated[
        str, typer.Argument(help="A run folder and a system of it.", metavar="FOLDER:SYSTEM")
    ],
    second: Annotated[
        str,
        typer.Argument(
            help="The run folder and system to compare it with.", metavar="FOLDER:SYSTEM"
        ),
    ],
    measure: Annotated[
        str, typer.Option(help="The measure to compare by, one that is a mean over citances.")
    ] = "f1",
    top: Annotated[
        int,
        typer.Option(
            min=1,
            help="Number of citances to show, of those that improved and of those that got worse.",
        ),
    ] = 10,
    collection: Annotated[
        str | None,
        typer.Option(help="FORMAT:PATH, if it has moved since the first run."),
    ] = None,
    json: Json = False,
) -> None:
    """List the citances that differ most between two systems, with their texts and spans."""
    runs = read_run(first), read_run(second)
    comparison.check_same_collection(*runs)
    read = read_collection(collection or runs[0].collection_path)
    compared = comparison.compare(*runs, read, measures[measure])
    if json:
        print_json(compared.to_json(top))
    else:
        _show(compared, top)


def _show(compared: Comparison, top: int) -> None:
    for heading, citances in (
        (f"{compared.second.system} better", compared.list_gained(top)),
        (f"{compared.second.system} worse", compared.list_lost(top)),
    ):
        if citances:
            out.rule(Text(heading, style="bold"))
        for one in citances:
            _show_citance(compared, one)
    out.rule()
    before, after = compared.values
    wins, ties, losses = compared.wins_ties_losses
    p_value = "not defined" if compared.p_value is None else f"p = {compared.p_value:.4f}"
    out.print(
        f"{compared.measure} on {compared.first.collection}, {len(compared.differences):,} "
        f"citances: {compared.first.system} {before:.3f}, {compared.second.system} {after:.3f} "
        f"({after - before:+.3f})\n"
        f"{compared.second.system} is better on {wins:,}, the same on {ties:,}, worse on "
        f"{losses:,}\n"
        f"paired t-test: {p_value}; randomisation test: p = {compared.p_randomisation:.4f}",
        markup=False,
    )
    if compared.only_first or compared.only_second:
        out.print(
            f"citances that only one run has, not compared: {compared.only_first:,} and "
            f"{compared.only_second:,}"
        )
    out.print(f"{_OPEN}marked{_CLOSE}: by at least one annotator")


def _show_citance(compared: Comparison, one: CitanceDifference) -> None:

    citance, article = one.first.citance, one.first.article
    figures = f"{one.first_value:.3f} → {one.second_value:.3f} ({one.difference:+.3f})"
    out.print()
    out.print(Text.assemble((citance.id, "bold"), f"  {figures}"))
    out.print(Text(citance.text))
    for start, end in find_marked(one.first):
        out.print(Text.assemble(("  marked: ", "dim"), (article.text[start:end], "green")))
    for run, outcome in ((compared.first, one.first), (compared.second, one.second)):
        out.print(Text(f"  {run.system}:", style="dim"))
        _show_spans(outcome)


def _show_spans(outcome: Outcome) -> None:

    if not outcome.spans:
        out.print(Text("    nothing", style="dim"))
    for rank, span in enumerate(outcome.spans, start=1):
        start, end = outcome.interval(span)
        text = outcome.article.text[start:end]
        line = Text(f"    {rank}. {span.score:.3f}  ")
        last = 0
        for first, after in find_marked_within(outcome, span):
            line.append(text[last:first])
            line.append(f"{_OPEN}{text[first:after]}{_CLOSE}", style="green")
            last = after
        line.append(text[last:])
        out.print(line)
