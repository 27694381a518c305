"""How likely a passage disagrees with a clause: trees over the features of the two.

A model is a folder: `disagreement.json` (the threshold, the SHA-256 of the trees), the trees as
LightGBM writes them, and its card.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np

from citespan.pipelines.model_folder import ModelKind
from citespan.pipelines.ranking.differences.features import FEATURES
from citespan.pipelines.ranking.trees import Trees, read_trees

TREES: Final = "trees.txt"


@dataclass(frozen=True, eq=False)
class DisagreementModel:
    """A model.

    Attributes:
        threshold: at this probability or above, the passages are said to disagree.
        version: the beginning of the checksum of its trees.
    """

    trees: Trees
    threshold: float
    version: str = ""

    def predict(self, features: Mapping[str, float]) -> float:
        """Return the probability that the passages disagree.

        Args:
            features: those of `describe`; the model takes its own.
        """
        row = np.array([[float(features[name]) for name in self.trees.features]])
        return float(1.0 / (1.0 + np.exp(-self.trees.predict(row)[0])))


def _parse(folder: Path, head: dict[str, Any]) -> DisagreementModel:
    written = KIND.read_checked(folder, TREES, head["sha256"])
    threshold = float(head["threshold"])
    if not 0 < threshold <= 1:
        raise ValueError("a threshold that is no probability")
    trees = read_trees(written.decode(), str(folder / TREES))
    if unknown := sorted(set(trees.features) - set(FEATURES)):
        raise ValueError(f"unknown features: {', '.join(unknown)}")
    return DisagreementModel(trees, threshold, str(head["sha256"])[:12])


KIND: Final = ModelKind(
    "disagreement model",
    "citespan disagreement train",
    1,
    "disagreement.json",
    Path(__file__).parent / "models" / "disagreement",
    _parse,
)
load_model: Final = KIND.load
