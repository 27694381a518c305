"""The tables that `citespan evaluate run` prints."""

from rich.table import Table

from citespan.cli.output import out
from citespan.pipelines.evaluation.published import PublishedFigure
from citespan.pipelines.evaluation.results import MAIN_MEASURE, Results
from citespan.pipelines.evaluation.scores import Score

# The columns that people read first; all measures are in the JSON and in results.json.
_COLUMNS = {
    "recall": "R",
    "precision": "P",
    "f1": "F1",
    "rouge_l": "ROUGE-L",
    "sentence_precision_micro": "sent.\nP",
    "sentence_recall_micro": "sent.\nR",
    "sentence_f1_micro": "sent.\nF1",
    "sentence_f1_macro": "macro\nF1",
    "official_sentence_f1_micro": "official\nF1",
}
_WIDE = 130  # columns of a terminal in which values and their changes stand side by side
_HEADINGS = _COLUMNS | {
    "rouge_l_recall": "ROUGE-L\nR",
    "rouge_l_precision": "ROUGE-L\nP",
    "rouge_l": "ROUGE-L\nF1",
}


def show(results: Results) -> None:
    """All that came of an experiment, on stdout."""
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
    table = Table("system")
    for heading in _COLUMNS.values():
        table.add_column(heading, justify="right", no_wrap=True)
    for system, scores in results.scores.items():
        cells = []
        for name in _COLUMNS:
            score = scores[name]
            cell = _value(score.value) + _stars(score)
            if name == MAIN_MEASURE:
                cell += f" [dim]{score.low:.3f}-{score.high:.3f}[/dim]".replace("0.", ".")
            cells.append(cell)
        table.add_row(system, *cells)
    out.print(table)
    out.print(
        "R, P, F1: characters, weighted over annotators, with F1's 95% bootstrap interval; sent.: "
        f"sentence overlap, micro; {_meaning_of_stars(results)} All measures: citespan evaluate "
        "measures"
    )


def _show_changes(results: Results) -> None:
    """As in table 2 of paper A: values, with their difference to the baseline in per cent."""
    columns = results.experiment.columns
    published = results.experiment.published
    between = " " if out.width >= _WIDE else "\n"
    table = Table()
    table.add_column("system", overflow="fold")
    for name in columns:
        table.add_column(_HEADINGS.get(name, name), justify="right", no_wrap=True)
    for system, scores in results.scores.items():
        cells = []
        for name in columns:
            change = results.change(system, name)
            value = _value(scores[name].value) + _stars(scores[name])
            cells.append(value if change is None else f"{value}{between}({change:+.1f}%)")
        table.add_row(system, *cells)
        if published and results.published_shown and system in published.figures:
            figures = published.figures[system]
            cells = [_published(figures[name], between) for name in columns]
            table.add_row("  published", *cells, style="dim")
    out.print(table)
    out.print(
        "R, P, F1: characters, weighted over annotators; in brackets the difference to "
        f"{results.experiment.baseline}; {_meaning_of_stars(results)} All measures: citespan "
        "evaluate measures"
    )
    if published:
        shown = results.published_shown
        start = "Published: " if shown else "No published figures beside these: "
        remark = results.published_remark
        own = " Its stars are of t-tests without correction." if shown else ""
        said = published.source if remark is None else f"{published.source}; {remark}"
        out.print(f"{start}{said}.{own}", markup=False)


def _show_tests(results: Results) -> None:
    """The p-values of the main measure, and how many queries a reformulation changed."""
    tested = {s: score[MAIN_MEASURE] for s, score in results.scores.items()}
    if len(tested) < 2:
        return
    table = Table("system")
    for heading in (
        "other\nqueries",
        f"{MAIN_MEASURE}\nt-test",
        "\ncorrected",
        "random-\nisation",
        "\ncorrected",
    ):
        table.add_column(heading, justify="right", no_wrap=True)
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
        table.add_row(system, "" if changed is None else str(changed), *map(_p_value, p_values))
    out.print(table)
    out.print(
        f"p-values of {MAIN_MEASURE} against {results.experiment.baseline}, paired, two-sided, "
        "and by Holm's correction over the systems of this table; other queries: citances whose "
        "query differs from the baseline's."
    )


def _value(value: float) -> str:
    return f"{value:.3f}".removeprefix("0")


def _p_value(p_value: float | None) -> str:
    if p_value is None:
        return "-"
    return "<.0001" if p_value < 0.0001 else f"{p_value:.4f}".removeprefix("0")


def _published(figure: PublishedFigure, between: str) -> str:
    value = _value(figure.value) + "*" * figure.stars
    return value if figure.change is None else f"{value}{between}({figure.change:+.1f}%)"


def _stars(score: Score) -> str:
    p_value = score.tests.p_value_corrected
    if p_value is None:
        return ""
    return "**" if p_value < 0.01 else "*" if p_value < 0.05 else ""


def _meaning_of_stars(results: Results) -> str:
    return (
        f"* p < .05, ** p < .01 against {results.experiment.baseline} (paired t-test, Holm's "
        "correction over the systems)."
    )
