"""`citespan evaluate run`, `compare` and `agreement`: experiments and their tables."""

from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

import typer
from rich.text import Text

from citespan.cli.options import Json, layout_help
from citespan.cli.output import out, print_result, progress, warn
from citespan.cli.readings import warn_by_reason
from citespan.cli.setting_options import with_reformulation_options
from citespan.cli.tables import FigureTable
from citespan.deploy.client import connect
from citespan.pipelines.evaluation import comparison
from citespan.pipelines.evaluation import experiment as experiments
from citespan.pipelines.evaluation.agreement import (
    LEVELS,
    PUBLISHED,
    SOURCE,
    Agreement,
    measure_agreement,
)
from citespan.pipelines.evaluation.comparison import (
    CitanceDifference,
    Comparison,
    find_marked,
    split_span,
)
from citespan.pipelines.evaluation.measure import measures
from citespan.pipelines.evaluation.outcome import Outcome
from citespan.pipelines.evaluation.published import PublishedFigure
from citespan.pipelines.evaluation.read_collection import make_absolute, read_collection
from citespan.pipelines.evaluation.results import (
    COLUMNS,
    HEADINGS,
    MAIN_MEASURE,
    Results,
    check_folder,
    format_interval,
    format_stars,
    format_value,
)
from citespan.pipelines.evaluation.run_folder import read_run
from citespan.pipelines.evaluation.shipped import find_experiment, sample
from citespan.pipelines.evaluation.specification import read_experiment
from citespan.pipelines.reformulation.options import Options
from citespan.pipelines.retrieval.query_dsl import MOST_TERMS
from citespan.pipelines.training.ranker_fitting import train_on_folds

_WIDE = 130  # columns of a terminal in which values and their changes stand side by side
_OPEN, _CLOSE = "⟦", "⟧"
_NAMED = 10


@with_reformulation_options
def run(
    experiment: Annotated[
        str,
        typer.Argument(
            help="A YAML file, or the name of a shipped experiment (`citespan evaluate "
            "experiments`).",
            metavar="EXPERIMENT",
        ),
    ],
    collection: Annotated[
        str | None,
        typer.Option(
            help="FORMAT:PATH, as in tac2014:data or scisumm:train.",
            show_default="the sample that ships with citespan",
        ),
    ] = None,
    folder: Annotated[
        Path | None,
        typer.Option("--out", help="The folder to write.", show_default="runs/NAME-TIME"),
    ] = None,
    layout: Annotated[
        str | None,
        typer.Option(
            help=layout_help() + ".", show_default="sentences, spans for systems with umls-field"
        ),
    ] = None,
    json: Json = False,
    *,
    options: Options,
) -> None:
    """Run an experiment: index, search every citance, measure, write TREC run and qrels files.

    Experiments have indices of their own (citespan-experiments-*), which later runs use again. A
    run never changes or searches the articles that `citespan index` has loaded.

    Options of reformulations apply to every system, unless the experiment's file sets them.

    Example: citespan evaluate run models --collection scisumm:data/train
    """
    specification = read_experiment(find_experiment(experiment))
    if folder is None:
        time = datetime.now(UTC).strftime("%Y%m%dT%H%M%SZ")
        folder = Path("runs") / f"{specification.name}-{time}"
    check_folder(folder)
    collection = collection or f"tac2014:{sample('tac2014')}"
    read = read_collection(collection)
    steps = len(read.articles) + len(read.citances) * len(specification.systems)
    with progress("Evaluating", steps) as advance:
        settings = experiments.RunSettings(folder, options, layout, advance)
        results = experiments.run(
            connect(), specification, read, make_absolute(collection), settings, train_on_folds
        )
    _warn(results)
    print_result(json, results.to_json(), _show_results, results)
    raise typer.Exit(1 if results.rejected else 0)


def _warn(results: Results) -> None:
    warn_by_reason("not used", ((each.source, each.reason) for each in results.rejected))
    for remark in results.remarks:
        warn(f"used, but check it: {remark}")
    for system, citances in results.without_terms.items():
        if citances:
            warn(f"{system}: nothing left to search for in {_name_some(citances)}")
    for system, citances in results.shortened.items():
        if citances:
            warn(
                f"{system}: too long, only the {MOST_TERMS:,} terms of the greatest weight were "
                f"searched for: {_name_some(citances)}"
            )


def _name_some(citances: tuple[str, ...]) -> str:
    if len(citances) <= _NAMED:
        return ", ".join(citances)
    named = ", ".join(citances[:_NAMED])
    return f"{len(citances):,} citances: {named}, … (all of them are in results.json)"


def _show_results(results: Results) -> None:
    """Print the results of an experiment."""
    experiment = results.experiment
    out.print(
        f"{experiment.name} on {results.collection}: {results.citances:,} citances", markup=False
    )
    if experiment.columns:
        _show_changes(results)
    else:
        _show_values(results)
    _show_tests(results)
    unused = results.records - results.records_used
    out.print(
        f"{results.records:,} annotation records: {results.records_used:,} used, {unused} not"
    )
    out.print(f"run files: {results.run_folder}", markup=False)


def _show_values(results: Results) -> None:
    table = FigureTable(["system"], list(COLUMNS.values()))
    for system, scores in results.scores.items():
        cells = []
        for name in COLUMNS:
            score = scores[name]
            cell = Text(format_value(score.value) + format_stars(score.tests))
            if name == MAIN_MEASURE:
                cell.append(f" {format_interval(score.low, score.high)}", style="dim")
            cells.append(cell)
        table.add_row(system, *cells)
    table.print()
    out.print(
        "R, P, F1: characters, weighted over annotators, with F1's 95% bootstrap interval; sent.: "
        f"sentence overlap, micro; {_explain_stars(results)} All measures: citespan evaluate "
        "measures"
    )


def _show_changes(results: Results) -> None:
    """Print values with their difference to the baseline in per cent.

    As in table 2 of Cohan et al. 2015.
    """
    columns = results.experiment.columns
    published = results.experiment.published
    between = " " if out.width >= _WIDE else "\n"
    table = FigureTable(["system"], [HEADINGS.get(name, name) for name in columns])
    for system, scores in results.scores.items():
        cells = []
        for name in columns:
            change = results.compute_change(system, name)
            value = format_value(scores[name].value) + format_stars(scores[name].tests)
            if name == columns[0] and published is None:
                value += f" {format_interval(scores[name].low, scores[name].high)}"
            cells.append(value if change is None else f"{value}{between}({change:+.1f}%)")
        table.add_row(system, *cells)
        if published and results.published_shown and system in published.figures:
            figures = published.figures[system]
            cells = [_format_published(figures[name], between) for name in columns]
            table.add_row("  published", *cells, style="dim")
    table.print()
    interval = "" if published else f"{columns[0]} with its 95% bootstrap interval; "
    out.print(
        f"R, P, F1: characters, weighted over annotators; {interval}in brackets the difference to "
        f"{results.experiment.baseline}; {_explain_stars(results)} All measures: citespan "
        "evaluate measures"
    )
    if published:
        shown = results.published_shown
        start = "Published: " if shown else "No published figures beside these: "
        caveat = results.published_caveat
        own = " Its stars are of t-tests without correction." if shown else ""
        said = published.source if caveat is None else f"{published.source}; {caveat}"
        out.print(f"{start}{said}.{own}", markup=False)


def _show_tests(results: Results) -> None:
    """Print the p-values of the main measure, and how many queries a reformulation changed."""
    tested = {s: score[MAIN_MEASURE] for s, score in results.scores.items()}
    if len(tested) < 2:
        return
    headings = ("other\nqueries", f"{MAIN_MEASURE}\nt-test", "\ncorrected")
    table = FigureTable(["system"], [*headings, "random-\nisation", "\ncorrected"])
    for system, score in tested.items():
        if system == results.experiment.baseline:
            continue
        tests = score.tests
        p_values = (
            tests.p_value,
            tests.p_value_corrected,
            tests.p_randomisation,
            tests.p_randomisation_corrected,
        )
        changed = results.queries_changed.get(system)
        table.add_row(
            system, "" if changed is None else str(changed), *map(_format_p_value, p_values)
        )
    table.print()
    out.print(
        f"p-values of {MAIN_MEASURE} against {results.experiment.baseline}, paired, two-sided, "
        "and by Holm's correction over the systems of this table; other queries: citances whose "
        "query differs from the baseline's."
    )


def _format_p_value(p_value: float | None) -> str:
    if p_value is None:
        return "-"
    return "<.0001" if p_value < 0.0001 else f"{p_value:.4f}".removeprefix("0")


def _format_published(figure: PublishedFigure, between: str) -> str:
    value = format_value(figure.value) + "*" * figure.stars
    return value if figure.change is None else f"{value}{between}({figure.change:+.1f}%)"


def _explain_stars(results: Results) -> str:
    return (
        f"* p < .05, ** p < .01 against {results.experiment.baseline} (paired t-test; for micro "
        "averages randomisation test; Holm's correction over the systems)."
    )


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
        str | None, typer.Option(help="FORMAT:PATH, if it has moved since the first run.")
    ] = None,
    json: Json = False,
) -> None:
    """List the citances that differ most between two systems, with their texts and spans.

    Example: citespan evaluate compare runs/naacl2015:baseline runs/naacl2015:np+umls-expand
    """
    runs = read_run(first), read_run(second)
    comparison.check_same_collection(*runs)
    read = read_collection(collection or runs[0].collection_path)
    compared = comparison.compare(*runs, read, measures[measure])
    print_result(json, compared.to_json(top), _show_comparison, compared, top)


def _show_comparison(compared: Comparison, top: int) -> None:
    for heading, citances in (
        (f"{compared.second.system} better", compared.list_gained(top)),
        (f"{compared.second.system} worse", compared.list_lost(top)),
    ):
        if citances:
            out.rule(Text(heading, style="bold"))
        for citance in citances:
            _show_citance(compared, citance)
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


def _show_citance(compared: Comparison, change: CitanceDifference) -> None:
    citance, article = change.first.citance, change.first.article
    figures = f"{change.first_value:.3f} → {change.second_value:.3f} ({change.difference:+.3f})"
    out.print()
    out.print(Text.assemble((citance.id, "bold"), f"  {figures}"))
    out.print(Text(citance.text))
    for start, end in find_marked(change.first):
        out.print(Text.assemble(("  marked: ", "dim"), (article.text[start:end], "green")))
    for run, outcome in ((compared.first, change.first), (compared.second, change.second)):
        out.print(Text(f"  {run.system}:", style="dim"))
        _show_spans(outcome)


def _show_spans(outcome: Outcome) -> None:
    if not outcome.spans:
        out.print(Text("    nothing", style="dim"))
    for rank, span in enumerate(outcome.spans, start=1):
        line = Text(f"    {rank}. {span.score:.3f}  ")
        for piece, is_marked in split_span(outcome, span):
            line.append(*((f"{_OPEN}{piece}{_CLOSE}", "green") if is_marked else (piece,)))
        out.print(line)


def show_agreement(
    collection: Annotated[
        str, typer.Argument(help="FORMAT:PATH, as in tac2014:data.", metavar="FORMAT:PATH")
    ],
    json: Json = False,
) -> None:
    """Show how far the annotators of a collection agree, as in table 1 of Cohan et al. 2015.

    Example: citespan evaluate agreement tac2014:data
    """
    found = measure_agreement(read_collection(collection))
    print_result(json, found.to_json(), _show_agreement, found)


def _show_agreement(found: Agreement) -> None:
    headings = ["citances", "overlap"]
    if found.published:
        headings += ["published\ncitances", "published\noverlap"]
    table = FigureTable(["agreement"], headings)
    for level, ours in found.levels.items():
        cells = [LEVELS[level], f"{ours.count:,}", _format_overlap(ours.mean, ours.deviation)]
        if found.published:
            theirs = PUBLISHED[level]
            cells += [f"{theirs.count:,}", _format_overlap(theirs.mean, theirs.deviation)]
        table.add_row(*cells)
    cells = ["all levels", f"{found.total:,}", ""]
    if found.published:
        cells += [f"{sum(level.count for level in PUBLISHED.values()):,}", ""]
    table.add_section()
    table.add_row(*cells)
    out.print(f"agreement on {found.collection}", markup=False)
    table.print()
    out.print(
        "Level: the largest share of annotators who marked the same character: all, more than "
        "half, or at least two. Overlap: the share of the characters marked by anybody that "
        "as many marked, mean ± standard deviation over citances."
    )
    for number, reason in (
        (found.single, "with one annotator only"),
        (found.unmarked, "for which no annotator marked anything"),
    ):
        if number:
            out.print(f"not in the table: {number:,} citances {reason}")
    if found.published:
        caveat = f"; {found.caveat}" if found.caveat else ""
        out.print(f"Published: {SOURCE}{caveat}.", markup=False)
    else:
        out.print(f"No published figures beside these: {found.caveat}.", markup=False)


def _format_overlap(mean: float | None, deviation: float | None) -> str:
    if mean is None:
        return "-"
    return f"{mean:.1f}%" if deviation is None else f"{mean:.1f} ± {deviation:.1f}%"
