"""What gives the sentences of abstracts their zones while abstracts are loaded.

The models that can do so are of a later stage, `citespan.pipelines.answers`; a load is given one.
"""

from collections.abc import Iterable, Sequence
from typing import Protocol

from citespan.pipelines.corpus.abstract import Abstract
from citespan.pipelines.corpus.article import Sentence
from citespan.pipelines.corpus.section_categories import Zone

SplitAbstract = tuple[Abstract, Sequence[Sentence]]
"""An abstract and its sentences, without those of its title."""

PredictedZone = tuple[Zone, float]
"""A zone and its probability, from 0 to 1."""


class Zoner(Protocol):
    """Predicts zones."""

    @property
    def version(self) -> str:
        """Another one wherever the same sentences may get other zones."""
        ...

    def __call__(self, abstracts: Sequence[SplitAbstract]) -> Iterable[Sequence[PredictedZone]]:
        """For each abstract the zone of each of its sentences, in order."""
        ...
