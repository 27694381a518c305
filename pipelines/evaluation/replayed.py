"""An earlier run with its collection at hand: what each system did on each citance, measured."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from citespan.pipelines.corpus.collection import Collection
from citespan.pipelines.evaluation.measure import FloatArray, measures
from citespan.pipelines.evaluation.outcome import Outcome
from citespan.pipelines.evaluation.run_folder import Replay, RunFolder, RunResults
from citespan.pipelines.evaluation.scores import score_alone
from citespan.pipelines.ranking.ranker import NONE


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
