"""What a ranker is, and the registry of all of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final, Protocol, TypeAlias

from citespan.pipelines.errors import UnknownNameError
from citespan.pipelines.ranking.sentences import ArticleSentences
from citespan.pipelines.registry import Registry

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from citespan.pipelines.ranking.model import RankerModel


NONE = "none"
"""In place of a ranker's name: the method of Cohan et al. (2015), paper A, without a ranker."""
OUT_OF_FOLD = "out-of-fold"
"""In experiments, in place of a ranker's name: one trained on the other folds of the collection."""
DEFAULT = "evidence"
"""The ranker that searches use unless another is named."""

Floats: TypeAlias = "NDArray[np.float64]"


@dataclass(frozen=True)
class Ranking:
    """What a ranker says of the N sentences of one article for one query.

    Attributes:
        scores: (N,), the higher the better; -inf for a sentence that is no candidate.
        probabilities: (N,), calibrated: that the sentence is evidence.
        support: calibrated: the probability that the article has any evidence.
    """

    scores: Floats
    probabilities: Floats
    support: float


class Ranker(Protocol):
    """Ranks the sentences of an article by how likely they are the evidence.

    Attributes:
        name: as in `--ranker`.
        description: one line for `--help`.
        version: of its model; stored with every result that is kept.
        threshold: below this support, the passages of an article are weak.
    """

    @property
    def name(self) -> str: ...

    @property
    def description(self) -> str: ...

    @property
    def version(self) -> str: ...

    @property
    def threshold(self) -> float: ...

    def rank(
        self, query: str, article: ArticleSentences, candidates: Sequence[int] | None = None
    ) -> Ranking:
        """Rank the sentences of an article.

        Args:
            query: a citing sentence, or a question.
            candidates: the numbers of the sentences to rank; None for all.
        """
        ...


rankers: Registry[Ranker] = Registry(
    "ranker", "citespan.pipelines.ranking.rankers", "citespan.rankers", Ranker
)


def find_ranker(name: str | Ranker, *others: str) -> Ranker | None:
    """Return the ranker of a name, or of the model in a folder; None for "none".

    Args:
        name: a folder has a "/" in it, or the name of no ranker; a ranker itself is returned.
        others: further names that the message of an error gives to choose from.

    Raises:
        UnknownNameError: if there is no such ranker.
    """
    if not isinstance(name, str):
        return name
    if name == NONE:
        return None
    if "/" not in name and name in rankers.names():
        return rankers[name]
    if "/" in name or Path(name).is_dir():
        return TrainedRanker(Path(name).resolve())
    raise UnknownNameError("ranker", name, [*rankers.names(), NONE, *others])


def name_ranker(ranker: str | Ranker) -> str:
    """Return the name of a ranker, which may be one already."""
    return ranker if isinstance(ranker, str) else ranker.name


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
        return self.model.version

    @property
    def threshold(self) -> float:
        return self.model.threshold

    def rank(
        self, query: str, article: ArticleSentences, candidates: Sequence[int] | None = None
    ) -> Ranking:
        return self.model.rank(query, article, candidates)
