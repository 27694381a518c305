"""What one system did in an earlier experiment, read back from its run folder."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import orjson

from citespan.pipelines.corpus.collection import Collection
from citespan.pipelines.errors import InputError, UnknownNameError
from citespan.pipelines.evaluation.outcome import Outcome
from citespan.pipelines.evaluation.results import RESULTS_FILE, SPANS_FILE
from citespan.pipelines.evaluation.spans_file import RetrievedSpans, read_spans
from citespan.pipelines.retrieval.merge import ScoredSpan
from citespan.pipelines.text.sentences import sentences
from citespan.pipelines.text.splitter import DEFAULT, splitters


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


def read_run(name: str) -> SystemRun:
    """The run that FOLDER:SYSTEM names; FOLDER alone will do where it has one system.

    Raises:
        InputError: if there is no run folder, or it is broken, or has several systems and none
            is named.
        UnknownNameError: if it has no such system.
    """
    folder, system = Path(name), ""
    if not folder.exists() and ":" in name:
        path, _, system = name.rpartition(":")
        folder = Path(path)
    results = _results(folder / RESULTS_FILE)
    try:
        systems = [str(one["system"]) for one in results["systems"]]
        collection, path = str(results["collection"]), str(results["collection_path"])
    except (KeyError, TypeError) as error:
        raise InputError(
            f"{folder / RESULTS_FILE}: not of a run ({error} is missing or wrong); run the "
            "experiment again"
        ) from error
    if not system and len(systems) == 1:
        system = systems[0]
    if not system:
        raise InputError(
            f"{folder}: has several systems; write {folder}:SYSTEM with one of: "
            + ", ".join(systems)
        )
    if system not in systems:
        raise UnknownNameError(f"system of {folder}", system, systems)
    lines = read_spans(folder / SPANS_FILE)
    retrieved = {line.citance: line for line in lines if line.system == system}
    return SystemRun(folder, system, collection, path, retrieved)


def _results(path: Path) -> dict[str, Any]:
    try:
        results = orjson.loads(path.read_bytes())
    except OSError as error:
        raise InputError(
            f"{path}: can't be read ({error.strerror}); give a folder that `citespan evaluate run` "
            "has written"
        ) from error
    except orjson.JSONDecodeError as error:
        raise InputError(f"{path}: not JSON ({error}); run the experiment again") from error
    return results if isinstance(results, dict) else {}


class Replay:
    """Puts what systems retrieved beside what annotators marked, once more.

    Args:
        collection: that the systems ran on.
    """

    def __init__(self, collection: Collection) -> None:
        splitter = splitters[DEFAULT]
        self._citances = {citance.id: citance for citance in collection.citances}
        self._articles = {
            article.id: replace(article, sentences=sentences(article, splitter))
            for article in collection.articles.values()
        }

    def outcome(self, run: SystemRun, citance: str) -> Outcome:
        """What a system did on one citance.

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
