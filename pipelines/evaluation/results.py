"""What came of an experiment, as JSON and as the files of its run folder."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import orjson

from citespan.pipelines.corpus.article import Rejected
from citespan.pipelines.evaluation.outcome import Outcome
from citespan.pipelines.evaluation.scores import Score
from citespan.pipelines.evaluation.spans_file import write_spans
from citespan.pipelines.evaluation.specification import Experiment
from citespan.pipelines.evaluation.trec import write_qrels, write_run

MAIN_MEASURE = "f1"
RESULTS_FILE = "results.json"
SPANS_FILE = "spans.jsonl"


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
        queries_changed: for each system that searches, for how many citances its query is
            another than the baseline's.
        scores: by system and measure.
        published_remark: why the published figures can't be compared with these, or what to
            mind in doing so; None if nothing does.
        published_shown: whether the published figures are on this collection.
        run_folder: where the TREC files, `spans.jsonl` and `results.json` are.
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
    queries_changed: Mapping[str, int]
    scores: Mapping[str, Mapping[str, Score]]
    published_shown: bool
    published_remark: str | None
    run_folder: Path

    def change(self, system: str, measure: str) -> float | None:
        """The difference to the baseline in per cent of the baseline's value; None for the
        baseline itself, and where its value is zero."""
        base = self.scores[self.experiment.baseline][measure].value
        if system == self.experiment.baseline or not base:
            return None
        return 100 * (self.scores[system][measure].value - base) / base

    def to_json(self) -> dict[str, Any]:
        """As `citespan evaluate run --json` prints it. `low`, `high` and the p-values beside
        them are those of the main measure; `intervals` and `tests` have those of all."""
        published = self.experiment.published
        return {
            "experiment": self.experiment.name,
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
                "remark": self.published_remark,
            },
            "systems": [self._system(system) for system in self.scores],
            "run_folder": str(self.run_folder),
        }

    def _system(self, system: str) -> dict[str, Any]:
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
            "changes": {name: self.change(system, name) for name in scores},
            "intervals": {name: [score.low, score.high] for name, score in scores.items()},
            "tests": {name: score.tests._asdict() for name, score in scores.items()},
            "published": {name: asdict(figure) for name, figure in figures.items()},
            "without_terms": list(self.without_terms.get(system, ())),
            "queries_changed": self.queries_changed.get(system),
        }

    def write(self, outcomes: Mapping[str, Sequence[Outcome]]) -> None:
        """Write the run folder; files of an earlier run there are replaced.

        Args:
            outcomes: by system, in the order of the scores.
        """
        folder = self.run_folder
        folder.mkdir(parents=True, exist_ok=True)
        for system, theirs in outcomes.items():
            write_run(folder / f"{system}.run", theirs, system)
        write_qrels(folder / "qrels.txt", next(iter(outcomes.values())))
        write_spans(folder / SPANS_FILE, outcomes)
        (folder / RESULTS_FILE).write_bytes(
            orjson.dumps(self.to_json(), option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE)
        )
