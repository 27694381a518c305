"""Multinomial logistic regression over features that an example has or has not."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:  # NumPy is imported only where many rows are predicted: a load predicts none
    import numpy as np
    from numpy.typing import NDArray


@dataclass(frozen=True)
class LogisticModel:
    """A model of K classes.

    Attributes:
        classes: their names.
        intercepts: (K,).
        weights: (K,) of each feature; features that it does not have count nothing.
    """

    classes: tuple[str, ...]
    intercepts: tuple[float, ...]
    weights: Mapping[str, tuple[float, ...]]

    def predict(self, features: Sequence[Iterable[str]]) -> NDArray[np.float64]:
        """Return the (rows, K) probabilities of rows of features, each counted once."""
        import numpy as np

        odds = np.tile(np.array(self.intercepts), (len(features), 1))
        for row, own in zip(odds, features, strict=True):
            for feature in sorted(set(own)):
                if feature in self.weights:
                    row += self.weights[feature]
        chances: NDArray[np.float64] = np.exp(odds - odds.max(axis=1, keepdims=True))
        chances /= chances.sum(axis=1, keepdims=True)
        return chances

    def to_json(self) -> dict[str, Any]:
        """Return the members of the head of a model's folder."""
        return {
            "classes": self.classes,
            "intercepts": self.intercepts,
            "weights": {
                feature: " ".join(map(str, own)) for feature, own in sorted(self.weights.items())
            },
        }

    @classmethod
    def parse(cls, _folder: Path, head: Mapping[str, Any]) -> LogisticModel:
        """Return the model of a head.

        Raises:
            ValueError: if weights are of other classes or not finite; KeyError, TypeError.
        """
        classes = tuple(map(str, head["classes"]))
        intercepts = tuple(map(float, head["intercepts"]))
        weights = {
            feature: tuple(map(float, own.split())) for feature, own in head["weights"].items()
        }
        sizes = {len(classes), len(intercepts), *map(len, weights.values())}
        every = [number for own in (intercepts, *weights.values()) for number in own]
        if sizes != {len(classes)} or not all(map(isfinite, every)):
            raise ValueError("weights of other classes, or not finite")
        return cls(classes, intercepts, weights)
