"""The tables of a run folder: `table.md` and `table.tex` to read, `table.csv` with all figures."""

import csv
import re
from collections.abc import Iterator, Mapping
from pathlib import Path

from citespan.pipelines.evaluation.figures import (
    choose_columns,
    format_interval,
    format_stars,
    format_value,
)
from citespan.pipelines.evaluation.scores import Score
from citespan.pipelines.evaluation.significance import Significance
from citespan.pipelines.evaluation.specification import Experiment

_TEX = {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}"}
_TEX |= {character: f"\\{character}" for character in "&%$#_{}"}

Scores = Mapping[str, Mapping[str, Score]]
"""By system and measure."""


def write_tables(folder: Path, experiment: Experiment, scores: Scores) -> None:
    """Write the scores of all systems as Markdown, LaTeX and CSV."""
    rows = list(_make_rows(experiment, scores))
    for name, lines in (
        ("table.md", _make_markdown(experiment, rows)),
        ("table.tex", _make_latex(experiment, rows)),
    ):
        (folder / name).write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    with (folder / "table.csv").open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(("system", "measure", "value", "low", "high", *Significance._fields))
        for system, theirs in scores.items():
            for measure, score in theirs.items():
                writer.writerow((system, measure, score.value, score.low, score.high, *score.tests))


def _make_rows(experiment: Experiment, scores: Scores) -> Iterator[list[str]]:
    """Yield the headings, then for each system its name and a figure for each column, the first
    one with its interval."""
    columns = choose_columns(experiment.columns)
    yield ["system", *columns.values()]
    for system, theirs in scores.items():
        cells = [format_value(theirs[name].value) + format_stars(theirs[name].tests)
                 for name in columns]  # fmt: skip
        first = theirs[next(iter(columns))]
        cells[0] += f" ({format_interval(first.low, first.high)})"
        yield [system, *cells]


def _make_markdown(experiment: Experiment, rows: list[list[str]]) -> Iterator[str]:
    yield f"| {' | '.join(rows[0])} |"
    yield f"| --- |{' ---: |' * (len(rows[0]) - 1)}"
    for system, *cells in rows[1:]:
        yield f"| `{system}` | {' | '.join(cell.replace('*', chr(92) + '*') for cell in cells)} |"
    yield ""
    yield _explain(experiment).replace("*", "\\*")


def _make_latex(experiment: Experiment, rows: list[list[str]]) -> Iterator[str]:
    yield f"% {_explain(experiment)}"
    yield r"\begin{tabular}{l" + "r" * (len(rows[0]) - 1) + "}"
    yield r"\hline"
    for number, row in enumerate(rows):
        cells = (re.sub(r"\*+", r"$^{\g<0>}$", _escape(cell)) for cell in row)
        yield " & ".join(cell.replace("-.", "--.") for cell in cells) + r" \\"
        if number == 0:
            yield r"\hline"
    yield r"\hline"
    yield r"\end{tabular}"


def _escape(text: str) -> str:
    return "".join(_TEX.get(character, character) for character in text)


def _explain(experiment: Experiment) -> str:
    return (
        f"In brackets the 95% bootstrap interval; * p < .05, ** p < .01 against "
        f"{experiment.baseline} (paired t-test; randomisation test where citances are pooled; "
        "Holm's correction)."
    )
