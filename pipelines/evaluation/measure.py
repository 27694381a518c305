"""What a measure is, and the registry of all of them."""

from collections.abc import Sequence
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

    name: str
    description: str
    source: str
    average: Average

    def counts(self, outcomes: Sequence[Outcome]) -> FloatArray:
        """What each citance contributes, of shape (citances, k), k of the measure's choice.

        `outcomes` is all that one system did on a collection, in the collection's order.
        """
        ...

    def value(self, sums: FloatArray) -> FloatArray:
        """The figure that sums of `counts` give.

        Args:
            sums: of shape (..., topics, k): for each topic, the sum over its citances. A topic
                of which no citance was drawn is all zeros.

        Returns:
            Of shape (...).
        """
        ...


measures: Registry[Measure] = Registry(
    "measure", "citespan.pipelines.evaluation.measures", "citespan.measures"
)
