"""The model of directions: what the passages of an article say a trial found.

Each passage is judged by logistic regression over its features. The directions of an article's
passages are pooled by the mean of their log-probabilities, weighted by how likely each passage is
evidence (logarithmic opinion pool; C. Genest, J. V. Zidek, "Combining probability distributions",
Statistical Science 1986), and calibrated by one exponent.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from citespan.pipelines.answers.directions.comparison import Comparison
from citespan.pipelines.answers.directions.features import describe_passage
from citespan.pipelines.counts import format_count
from citespan.pipelines.logistic_model import LogisticModel
from citespan.pipelines.model_folder import ModelKind

Floats = NDArray[np.float64]
DIRECTIONS: Final = ("decreased", "increased", "no difference")
UNCLEAR: Final = "unclear"
READ: Final = 5
"""Passages of an article that are read at most."""
LEAST: Final = 0.6
"""The probability from which a direction is said."""
_TINY: Final = 1e-6


@dataclass(frozen=True, slots=True)
class Direction:
    """What a trial found.

    Attributes:
        probabilities: of each of `DIRECTIONS`.
    """

    probabilities: tuple[float, ...]

    @property
    def probability(self) -> float:
        """That of the most likely direction."""
        return max(self.probabilities)

    @property
    def said(self) -> str:
        """The most likely direction; "unclear" if it is not likely enough."""
        if self.probability < LEAST:
            return UNCLEAR
        return DIRECTIONS[self.probabilities.index(self.probability)]

    def to_json(self) -> dict[str, Any]:
        """Return what is said, with its probability, and the probability of each direction."""
        return {
            "said": self.said,
            "probability": self.probability,
            "probabilities": dict(zip(DIRECTIONS, self.probabilities, strict=True)),
        }


@dataclass(frozen=True)
class DirectionModel:
    """A model of directions.

    Attributes:
        passages: judges a passage.
        exponent: of the pooled probabilities.
        right, said: of the articles it was measured on, out of fold, the share for which a
            direction is said, and among these the share for which it is right.
    """

    passages: LogisticModel
    exponent: float
    right: float
    said: float

    def judge(
        self, comparison: Comparison, passages: Sequence[str], weights: Sequence[float]
    ) -> Direction:
        """Return the direction that passages report, the same for the same.

        Args:
            passages: of one article, at least one.
            weights: how likely each is evidence; if all are 0, they count alike.
        """
        judged = self.passages.predict(
            [describe_passage(comparison, passage) for passage in passages]
        )
        pooled = pool(judged, weights) * self.exponent
        return Direction(tuple(float(chance) for chance in normalise(pooled)))

    @property
    def explanation(self) -> str:
        """One line on what a direction means, and how often it was right."""
        return (
            "Directions are read from the passages found, and said from a probability of "
            f"{LEAST}: measured end to end on trials of other articles, one was said for "
            f"{self.said:.0%}, and right for {self.right:.0%} of these."
        )


def pool(judged: Floats, weights: Sequence[float]) -> Floats:
    """Return the (3,) weighted mean of the log-probabilities of (passages, 3)."""
    own = np.array(weights, dtype=float)
    shares = own / own.sum() if own.sum() else np.full(len(own), 1 / len(own))
    mean: Floats = shares @ np.log(np.maximum(judged, _TINY))
    return mean


def normalise(logarithms: Floats) -> Floats:
    """Return probabilities that are proportional to these logarithms."""
    chances: Floats = np.exp(logarithms - logarithms.max())
    chances /= chances.sum()
    return chances


def count_directions(found: Iterable[Direction]) -> str:
    """Return how many trials found what: "9 trials: 5 decreased, 3 no difference, 1 increased"."""
    counts = Counter(direction.said for direction in found)
    named = [(name, counts[name]) for name in (*DIRECTIONS, UNCLEAR) if counts[name]]
    named.sort(key=lambda found: (found[0] == UNCLEAR, -found[1]))
    total = format_count(sum(counts.values()), "trial")
    return f"{total}: {', '.join(f'{count} {name}' for name, count in named)}" if named else total


def _parse(folder: Path, head: Mapping[str, Any]) -> DirectionModel:
    passages = LogisticModel.parse(folder, head)
    numbers = [float(head[name]) for name in ("exponent", "right", "said")]
    if passages.classes != DIRECTIONS or not np.isfinite(numbers).all():
        raise ValueError("other directions, or figures that are not finite")
    return DirectionModel(passages, *numbers)


KIND: Final = ModelKind(
    "direction model",
    "citespan answers train directions",
    1,
    "directions.json",
    Path(__file__).parents[1] / "models" / "directions",
    _parse,
)
load_model: Final = KIND.load
