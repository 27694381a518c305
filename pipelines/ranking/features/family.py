"""What a family of features is."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from citespan.pipelines.ranking.analysed_article import Floats
from citespan.pipelines.ranking.pair import Pair

Columns = Sequence[Floats | float]


@dataclass(frozen=True)
class Family:
    """Features that are computed together.

    Attributes:
        name: as in `citespan ranker evaluate --without`.
        description: one line for people.
        names: of its features.
        compute: returns one array of shape (N,), or a number for all sentences, for each name.
    """

    name: str
    description: str
    names: tuple[str, ...]
    compute: Callable[[Pair], Columns]
