"""What systems did in an earlier experiment, read back from its run folder."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from pydantic import TypeAdapter

from citespan.pipelines.corpus.collection import Collection
from citespan.pipelines.errors import InputError, UnknownNameError
from citespan.pipelines.evaluation.measure import FloatArray, measures
from citespan.pipelines.evaluation.outcome import Outcome
from citespan.pipelines.evaluation.read_collection import split_articles
from citespan.pipelines.evaluation.results import FORMAT, RESULTS_FILE, SPANS_FILE
from citespan.pipelines.evaluation.scores import score_alone
from citespan.pipelines.evaluation.significance import Significance
from citespan.pipelines.evaluation.spans_file import RetrievedSpans, read_spans
from citespan.pipelines.ranking.ranker import NONE
from citespan.pipelines.retrieval.merge import ScoredSpan
from citespan.pipelines.validation import validate_json


@dataclass(frozen=True)
class SystemRun:
    """One system of a run folder.

    Attributes:
        collection: the name of the collection it ran on.
        collection_path: FORMAT:PATH where that was.
        retrieved: by citance, in the collection's order.
    """

    folder: Path
    system: str
    collection: str
    collection_path: str
    retrieved: Mapping[str, RetrievedSpans]

    @property
    def name(self) -> str:
        """As in `citespan evaluate compare`."""
        return f"{self.folder}:{self.system}"


@dataclass(frozen=True)
class SystemResults:
    """The figures of one system, by measure.

    Attributes:
        intervals: of 95%.
        tests: against the baseline.
    """

    system: str
    measures: dict[str, float]
    intervals: dict[str, tuple[float, float]]
    tests: dict[str, Significance]


@dataclass(frozen=True)
class RunConfiguration:
    """The seed, and every setting of every system, by name."""

    seed: int
    systems: dict[str, dict[str, Any]]


@dataclass(frozen=True)
class RunResults:
    """What `results.json` says; its other keys are for people and other tools."""

    experiment: str
    description: str
    collection: str
    collection_path: str
    citances: int
    baseline: str
    main_measure: str
    columns: tuple[str, ...]
    systems: tuple[SystemResults, ...]
    configuration: RunConfiguration
    versions: dict[str, str]

    def __post_init__(self) -> None:
        names = [system.system for system in self.systems]
        if names != list(self.configuration.systems) or self.baseline not in names:
            raise ValueError("its systems are not those of its configuration")
        for name in (self.main_measure, *self.columns):
            for own in self.systems:
                if name not in own.measures.keys() & own.intervals.keys() & own.tests.keys():
                    raise ValueError(f"{own.system} has no {name}")


@dataclass(frozen=True)
class RunFolder:
    """A folder that `citespan evaluate run` has written.

    Attributes:
        systems: what each retrieved, in the order of the results.
    """

    folder: Path
    results: RunResults
    systems: Mapping[str, SystemRun]

    @property
    def citances(self) -> list[str]:
        """The ids of the citances, the same for all systems, in the collection's order."""
        return list(next(iter(self.systems.values())).retrieved)


def read_run_folder(folder: Path) -> RunFolder:
    """Read a run folder.

    Raises:
        InputError: if it is none, was written by another version of citespan, or only in part.
    """
    results = _read_results(folder / RESULTS_FILE)
    retrieved: dict[str, dict[str, RetrievedSpans]] = {
        system.system: {} for system in results.systems
    }
    for line in read_spans(folder / SPANS_FILE):
        retrieved.setdefault(line.system, {})[line.citance] = line
    citances = retrieved.get(results.baseline, {}).keys()
    if (
        len(retrieved) != len(results.systems)
        or len(citances) != results.citances
        or any(lines.keys() != citances for lines in retrieved.values())
    ):
        raise InputError(
            f"{folder}: {SPANS_FILE} and {RESULTS_FILE} don't belong together; "
            "run the experiment again"
        )
    collection = results.collection, results.collection_path
    runs = {name: SystemRun(folder, name, *collection, own) for name, own in retrieved.items()}
    return RunFolder(folder, results, runs)


def read_run(name: str) -> SystemRun:
    """Read the run that FOLDER:SYSTEM names; FOLDER alone will do where it has one system.

    Raises:
        InputError: if there is no run folder, or it is broken, or has several systems and none
            is named.
        UnknownNameError: if it has no such system.
    """
    folder, system = Path(name), ""
    if not folder.exists() and ":" in name:
        path, _, system = name.rpartition(":")
        folder = Path(path)
    systems = read_run_folder(folder).systems
    if not system and len(systems) == 1:
        [system] = systems
    if not system:
        raise InputError(
            f"{folder}: has several systems; write {folder}:SYSTEM with one of: "
            + ", ".join(systems)
        )
    if system not in systems:
        raise UnknownNameError(f"system of {folder}", system, list(systems))
    return systems[system]


@dataclass(frozen=True)
class _Written:
    format: int = 1


def _read_results(path: Path) -> RunResults:
    try:
        data = path.read_bytes()
    except OSError as error:
        raise InputError(
            f"{path}: can't be read ({error.strerror}); give a folder that `citespan evaluate run` "
            "has written to its end"
        ) from error
    remedy = "run the experiment again"
    written = validate_json(TypeAdapter(_Written), data, str(path), "of a run", remedy)
    if written.format != FORMAT:
        raise InputError(
            f"{path}: has format {written.format} of another version of citespan, and this one "
            f"reads {FORMAT}; {remedy}"
        )
    return validate_json(TypeAdapter(RunResults), data, str(path), "of a run", remedy)


class Replay:
    """Puts what systems retrieved beside what annotators marked, once more.

    Args:
        collection: that the systems ran on.
    """

    def __init__(self, collection: Collection) -> None:
        self._citances = {citance.id: citance for citance in collection.citances}
        self._articles = split_articles(collection)

    def outcome(self, run: SystemRun, citance: str) -> Outcome:
        """Return what a system did on one citance.

        Raises:
            InputError: if the collection isn't what it was when the system ran.
        """
        line = run.retrieved[citance]
        spans = tuple(ScoredSpan(s.first_sentence, s.last_sentence, s.score) for s in line.spans)
        try:
            outcome = Outcome(self._citances[citance], self._articles[line.article], spans)
            same = all(
                outcome.interval(span) == (there.start, there.end)
                for span, there in zip(spans, line.spans, strict=True)
            )
        except (KeyError, ValueError):
            same = False
        if not same:
            raise InputError(
                f"{run.folder}: citance {citance}: the collection {run.collection} is not what "
                "it was in this run; run the experiment again"
            )
        return outcome


@dataclass(frozen=True)
class ReplayedRun:
    """A run, and the outcomes of its systems.

    Attributes:
        outcomes: by system, in one order of the citances for all.
    """

    run: RunFolder
    outcomes: Mapping[str, Sequence[Outcome]]

    @property
    def results(self) -> RunResults:
        """The figures of the run."""
        return self.run.results

    @property
    def citances(self) -> int:
        """How many there are."""
        return self.results.citances

    @cached_property
    def values(self) -> Mapping[str, FloatArray]:
        """The main measure of each citance, by system."""
        return {name: self.measure(name, self.results.main_measure) for name in self.outcomes}

    @cached_property
    def ranges(self) -> FloatArray:
        """How far the systems are apart on each citance: the greatest value less the least."""
        spread: FloatArray = np.ptp(np.vstack([*self.values.values()]), axis=0)
        return spread

    def measure(self, system: str, measure: str) -> FloatArray:
        """Return the value of a measure for each citance taken alone, of shape (citances,)."""
        counts = measures[measure].counts(self.outcomes[system])
        return score_alone(measures[measure], counts)

    def get_setting(self, system: str, name: str) -> object:
        """Return a setting of a system; None if it has no such setting."""
        value: object = self.results.configuration.systems[system].get(name)
        return value

    def list_ranked(self) -> list[str]:
        """Return the systems whose scores are probabilities."""
        return [
            name for name in self.outcomes if self.get_setting(name, "ranker") not in (None, NONE)
        ]


def replay_run(run: RunFolder, collection: Collection) -> ReplayedRun:
    """Put a run and its collection together.

    Raises:
        InputError: if the collection isn't what it was when the experiment ran.
    """
    replay = Replay(collection)
    outcomes = {
        name: tuple(replay.outcome(system, citance) for citance in run.citances)
        for name, system in run.systems.items()
    }
    return ReplayedRun(run, outcomes)
