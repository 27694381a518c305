"""What a measure is, and the registry of all of them."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

import numpy as np
import numpy.typing as npt

from citespan.pipelines.evaluation.outcome import Outcome
from citespan.pipelines.registry import Registry

FloatArray = npt.NDArray[np.float64]
Average = Literal["citances", "micro", "macro"]


class Measure(Protocol):
    """A figure from 0 to 1 for a system on a collection, more being better.

    It is computed in two steps, so that a resample of the citances costs a sum and no more:
    what each citance contributes, and the figure that any sum of contributions gives.

    Attributes:
        name: as in tables and JSON.
        description: one line for tables of measures.
        source: where it is defined.
        average: "citances" if it is the mean of one value per citance, which is what a paired
            test needs; "micro" if it pools all citances; "macro" if it is made of one value
            per topic.
    """

    @property
    def name(self) -> str: ...

    @property
    def description(self) -> str: ...

    @property
    def source(self) -> str: ...

    @property
    def average(self) -> Average: ...

    def counts(self, outcomes: Sequence[Outcome]) -> FloatArray:
        """Return what each citance contributes, of shape (citances, k), k of the measure's choice.

        `outcomes` is all that one system did on a collection, in the collection's order.
        """
        ...

    def value(self, sums: FloatArray) -> FloatArray:
        """Return the figure that sums of `counts` give.

        Args:
            sums: of shape (..., topics, k): for each topic, the sum over its citances. A topic
                without a drawn citance is all zeros.

        Returns:
            Of shape (...).
        """
        ...


@dataclass(frozen=True, slots=True)
class MeanOverCitances:
    """A measure that has a value for each citance, and of a collection their mean."""

    name: str
    description: str
    source: str
    of: Callable[[Outcome], float]
    average: Average = "citances"

    def counts(self, outcomes: Sequence[Outcome]) -> FloatArray:
        """Return each citance's value, and 1."""
        values = np.fromiter(map(self.of, outcomes), dtype=np.float64)
        return np.column_stack([values, np.ones_like(values)])

    def value(self, sums: FloatArray) -> FloatArray:
        """Return the mean."""
        return compute_mean(sums)


def compute_mean(sums: FloatArray) -> FloatArray:
    """Return the means over all topics of (..., topics, 2) sums of values and of ones."""
    total = sums.sum(axis=-2)
    return divide(total[..., 0], total[..., 1])


def divide(above: FloatArray, below: FloatArray) -> FloatArray:
    """Divide; zero where `below` is, as is usual for measures of retrieval."""
    return np.divide(above, below, out=np.zeros_like(above), where=below > 0)


measures: Registry[Measure] = Registry(
    "measure", "citespan.pipelines.evaluation.measures", "citespan.measures", Measure
)
