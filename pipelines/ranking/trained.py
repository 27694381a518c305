"""Rankers by trained models: each opens its model when it is first used."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from citespan.pipelines.ranking.ranker import Ranking
from citespan.pipelines.ranking.sentences import ArticleSentences

if TYPE_CHECKING:  # NumPy is imported only where sentences are ranked
    from citespan.pipelines.ranking.model import RankerModel

SHIPPED: Final = Path(__file__).parent / "models"


@dataclass(frozen=True)
class TrainedRanker:
    """A ranker by the model in a folder.

    Raises:
        InputError: on use, if the model can't be used.
    """

    folder: Path
    description: str = "trained on data of one's own"

    @property
    def name(self) -> str:
        """The name of the folder."""
        return self.folder.name

    @property
    def model(self) -> RankerModel:
        """Its model, loaded once."""
        from citespan.pipelines.ranking.model import load_model

        return load_model(self.folder)

    @property
    def version(self) -> str:
        """See `Ranker`."""
        return self.model.version

    @property
    def threshold(self) -> float:
        """See `Ranker`."""
        return self.model.threshold

    def rank(
        self, query: str, article: ArticleSentences, candidates: Sequence[int] | None = None
    ) -> Ranking:
        """See `Ranker`."""
        return self.model.rank(query, article, candidates)
