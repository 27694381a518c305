"""Precision, recall and F1 of what was found against what should have been."""

from collections.abc import Set
from dataclasses import asdict, dataclass
from typing import Any, NamedTuple


class PrecisionRecallF1(NamedTuple):
    """The three ratios, each from 0 to 1."""

    precision: float
    recall: float
    f1: float


@dataclass(frozen=True, slots=True)
class PrecisionRecall:
    """How many things were found rightly and wrongly, and how many were missed.

    Tallies of several texts are added. A ratio whose denominator is 0 is 0.
    """

    right: int = 0
    wrong: int = 0
    missed: int = 0

    @classmethod
    def of(cls, found: Set[Any], expected: Set[Any]) -> "PrecisionRecall":
        """Compare two sets."""
        return cls(len(found & expected), len(found - expected), len(expected - found))

    @property
    def expected(self) -> int:
        """How many should have been found."""
        return self.right + self.missed

    @property
    def precision(self) -> float:
        """Share of those found that are right."""
        found = self.right + self.wrong
        return self.right / found if found else 0.0

    @property
    def recall(self) -> float:
        """Share of those expected that were found."""
        return self.right / self.expected if self.expected else 0.0

    @property
    def f1(self) -> float:
        """Harmonic mean of precision and recall."""
        both = 2 * self.right + self.wrong + self.missed
        return 2 * self.right / both if both else 0.0

    def __add__(self, other: "PrecisionRecall") -> "PrecisionRecall":
        return PrecisionRecall(
            self.right + other.right, self.wrong + other.wrong, self.missed + other.missed
        )

    def to_json(self) -> dict[str, float]:
        """Return the counts and the ratios by name."""
        return asdict(self) | {"precision": self.precision, "recall": self.recall, "f1": self.f1}
