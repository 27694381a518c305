"""What came of an experiment, as JSON and as the files of its run folder: `table.md` and
`table.tex` to read, `table.csv` with all figures, and the rest.
"""

import csv
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Final

import orjson

from citespan.pipelines.corpus.article import Rejected
from citespan.pipelines.errors import InputError
from citespan.pipelines.evaluation.outcome import Outcome
from citespan.pipelines.evaluation.scores import Score
from citespan.pipelines.evaluation.significance import Significance
from citespan.pipelines.evaluation.spans_file import write_spans
from citespan.pipelines.evaluation.specification import Experiment
from citespan.pipelines.evaluation.trec import write_qrels, write_run
from citespan.pipelines.shown import Row, Shown, short_repr

if TYPE_CHECKING:
    from matplotlib.figure import Figure

MAIN_MEASURE: Final = "f1"

COLUMNS: Final[Mapping[str, str]] = {
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
"""The measures that people read first, with their headings."""

HEADINGS: Final[Mapping[str, str]] = {
    **COLUMNS,
    "rouge_l_recall": "ROUGE-L\nR",
    "rouge_l_precision": "ROUGE-L\nP",
    "rouge_l": "ROUGE-L\nF1",
    "success_1": "success\nat 1",
    "mrr_10": "MRR",
    "ndcg_10": "nDCG",
}
"""The headings of columns that an experiment chooses; other measures have their names."""


def choose_columns(columns: Sequence[str]) -> dict[str, str]:
    """Return the measures of an experiment's table with their headings, each in one line."""
    headings = {name: HEADINGS.get(name, name) for name in columns} if columns else COLUMNS
    return {name: heading.replace("\n", " ") for name, heading in headings.items()}


def format_value(value: float) -> str:
    """Return a value from 0 to 1 as in .173."""
    return f"{value:.3f}".removeprefix("0")


def format_interval(low: float, high: float) -> str:
    """Return an interval as in .151-.195."""
    return f"{format_value(low)}-{format_value(high)}"


def format_stars(tests: Significance) -> str:
    """Return two stars for p < .01 against the baseline, one for p < .05, by Holm's correction.

    The test is the paired t-test, or for a measure that pools all citances, which has none, the
    randomisation test.
    """
    p_value = tests.p_value_corrected
    if p_value is None:
        p_value = tests.p_randomisation_corrected
    if p_value is None:
        return ""
    return "**" if p_value < 0.01 else "*" if p_value < 0.05 else ""


FORMAT = 2
"""Of `results.json`; a folder of another one is not read."""
RESULTS_FILE = "results.json"
SPANS_FILE = "spans.jsonl"


def check_folder(folder: Path) -> None:
    """Check that a run folder can be made or written to, and make nothing.

    Raises:
        InputError: naming what is in the way.
    """
    there = folder
    while not there.exists() and there != there.parent:
        there = there.parent
    if not there.is_dir():
        raise InputError(f"{folder}: {there} is a file; name another folder by `out`")
    if not os.access(there, os.W_OK | os.X_OK):
        raise InputError(f"{folder}: {there} can't be written to; name another folder by `out`")


@short_repr
@dataclass(frozen=True)
class Results(Shown):
    """What came of an experiment.

    Attributes:
        collection: its name.
        collection_path: FORMAT:PATH by which it is read again.
        citances: how many were searched, by every system.
        records: annotation records in the collection, and how many of them were used.
        rejected: records that could not be used, topics and articles that could not.
        remarks: lines on records that were used although something in them looks wrong.
        without_terms: for each system, the citances without a term after its reformulation;
            they count as retrieving nothing.
        shortened: for each system, the citances with more terms than a query has room for; those
            of the greatest weight were searched for.
        queries_changed: for each system that searches, for how many citances its query is
            another than the baseline's.
        scores: by system and measure.
        published_caveat: why the published figures can't be compared with these; None if they can.
        published_shown: whether the published figures are on this collection.
        configuration: every setting of the run (`provenance.py`).
        versions: of what computed the figures, by name.
        run_folder: where the TREC files, the tables, `spans.jsonl` and `results.json` are.
    """

    html: ClassVar[str] = "results"

    experiment: Experiment
    collection: str
    collection_path: str
    records: int
    records_used: int
    citances: int
    rejected: tuple[Rejected, ...]
    remarks: tuple[str, ...]
    without_terms: Mapping[str, tuple[str, ...]]
    shortened: Mapping[str, tuple[str, ...]]
    queries_changed: Mapping[str, int]
    scores: Mapping[str, Mapping[str, Score]]
    published_shown: bool
    published_caveat: str | None
    configuration: Mapping[str, Any]
    versions: Mapping[str, str]
    run_folder: Path

    def compute_change(self, system: str, measure: str) -> float | None:
        """Return the difference to the baseline in per cent of the baseline's value.

        None for the baseline itself, and where its value is zero.
        """
        base = self.scores[self.experiment.baseline][measure].value
        if system == self.experiment.baseline or not base:
            return None
        return 100 * (self.scores[system][measure].value - base) / base

    @property
    def columns(self) -> dict[str, str]:
        """The measures of its table, with their headings."""
        return choose_columns(self.experiment.columns)

    @staticmethod
    def stars(score: Score) -> str:
        """Return what `format_stars` does of the tests of a score."""
        return format_stars(score.tests)

    def to_rows(self) -> list[Row]:
        """Return a row for each system and measure, as `table.csv` has them."""
        return list_scores(self.scores)

    def draw(self, plot: str = "systems") -> "Figure":
        """Draw a plot of `citespan evaluate report`, from what the run folder has.

        Args:
            plot: "systems", "differences", "precision", "top-k", "span-lengths", "reliability" or
                "settings".

        Returns:
            A figure of matplotlib, which notebooks show.

        Raises:
            UnknownNameError: for an unknown plot.
            InputError: if the run has nothing of it to see, or the folder or the collection is
                gone.
        """
        from citespan.pipelines.evaluation.plots.drawn import draw_plot
        from citespan.pipelines.evaluation.read_collection import read_collection
        from citespan.pipelines.evaluation.run_folder import read_run_folder, replay_run

        collection = read_collection(self.collection_path)
        return draw_plot(plot, replay_run(read_run_folder(self.run_folder), collection))

    def to_json(self) -> dict[str, Any]:
        """Return what `citespan evaluate run --json` prints. `low`, `high` and the p-values beside
        them are those of the main measure; `intervals` and `tests` have those of all."""
        return self._to_file() | {"run_folder": str(self.run_folder)}

    def _to_file(self) -> dict[str, Any]:
        """Return what `results.json` has: the same, wherever it is written."""
        published = self.experiment.published
        return {
            "format": FORMAT,
            "experiment": self.experiment.name,
            "description": self.experiment.description,
            "collection": self.collection,
            "collection_path": self.collection_path,
            "records": self.records,
            "records_used": self.records_used,
            "citances": self.citances,
            "rejected": [rejected.to_json() for rejected in self.rejected],
            "remarks": list(self.remarks),
            "baseline": self.experiment.baseline,
            "main_measure": MAIN_MEASURE,
            "columns": list(self.experiment.columns),
            "published": published
            and {
                "source": published.source,
                "collection": published.collection.name,
                "shown": self.published_shown,
                "remark": self.published_caveat,
            },
            "systems": [self._system_to_json(system) for system in self.scores],
            "configuration": self.configuration,
            "versions": self.versions,
        }

    def _system_to_json(self, system: str) -> dict[str, Any]:
        scores = self.scores[system]
        main = scores[MAIN_MEASURE]
        published = self.experiment.published
        figures = published.figures.get(system, {}) if published and self.published_shown else {}
        return {
            "system": system,
            "measures": {name: score.value for name, score in scores.items()},
            "low": main.low,
            "high": main.high,
            **main.tests._asdict(),
            "changes": {name: self.compute_change(system, name) for name in scores},
            "intervals": {name: [score.low, score.high] for name, score in scores.items()},
            "tests": {name: score.tests._asdict() for name, score in scores.items()},
            "published": {name: asdict(figure) for name, figure in figures.items()},
            "without_terms": list(self.without_terms.get(system, ())),
            "shortened": list(self.shortened.get(system, ())),
            "queries_changed": self.queries_changed.get(system),
        }

    def write(self, outcomes: Mapping[str, Sequence[Outcome]]) -> None:
        """Write the run folder; files of an earlier run there are replaced.

        Args:
            outcomes: by system, in the order of the scores.
        """
        folder = self.run_folder
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        # Written last: a folder that has it is whole.
        (folder / RESULTS_FILE).unlink(missing_ok=True)
        for system, theirs in outcomes.items():
            write_run(folder / f"{system}.run", theirs, system)
        write_qrels(folder / "qrels.txt", next(iter(outcomes.values())))
        write_spans(folder / SPANS_FILE, outcomes)
        write_tables(folder, self.experiment, self.scores)
        (folder / RESULTS_FILE).write_bytes(
            orjson.dumps(self._to_file(), option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE)
        )


_TEX = {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}"}
_TEX |= {character: f"\\{character}" for character in "&%$#_{}"}

Scores = Mapping[str, Mapping[str, Score]]
"""By system and measure."""


def list_scores(scores: Scores) -> list[Row]:
    """Return a row for each system and measure."""
    return [
        {"system": system, "measure": measure, "value": score.value}
        | {"low": score.low, "high": score.high, **score.tests._asdict()}
        for system, theirs in scores.items()
        for measure, score in theirs.items()
    ]


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
        writer.writerows(map(dict.values, list_scores(scores)))


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
