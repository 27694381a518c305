"""What came of an experiment, as JSON and as the files of its run folder."""

import os
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import orjson

from citespan.pipelines.corpus.article import Rejected
from citespan.pipelines.errors import InputError
from citespan.pipelines.evaluation.figures import MAIN_MEASURE
from citespan.pipelines.evaluation.outcome import Outcome
from citespan.pipelines.evaluation.scores import Score
from citespan.pipelines.evaluation.spans_file import write_spans
from citespan.pipelines.evaluation.specification import Experiment
from citespan.pipelines.evaluation.tables import write_tables
from citespan.pipelines.evaluation.trec import write_qrels, write_run

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
        raise InputError(f"{folder}: {there} is a file; name another folder by --out")
    if not os.access(there, os.W_OK | os.X_OK):
        raise InputError(f"{folder}: {there} can't be written to; name another folder by --out")


@dataclass(frozen=True)
class Results:
    """What came of an experiment.

    Attributes:
        collection: its name.
        collection_path: FORMAT:PATH by which it is read again.
        citances: how many were searched, by every system.
        records: annotation records in the collection, and how many of them were used.
        rejected: records that could not be used, topics and articles that could not.
        remarks: lines on records that were used although something in them looks wrong.
        without_terms: for each system, the citances of which its reformulation left nothing;
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
            "rejected": [{"path": r.source, "reason": r.reason} for r in self.rejected],
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
