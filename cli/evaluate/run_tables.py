"""The tables that `citespan evaluate run` prints."""

from rich.text import Text

from citespan.cli.output import out
from citespan.cli.tables import FigureTable
from citespan.pipelines.evaluation.figures import (
    COLUMNS,
    HEADINGS,
    MAIN_MEASURE,
    format_interval,
    format_stars,
    format_value,
)
from citespan.pipelines.evaluation.published import PublishedFigure
from citespan.pipelines.evaluation.results import Results

_WIDE = 130  # columns of a terminal in which values and their changes stand side by side


def show(results: Results) -> None:
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
