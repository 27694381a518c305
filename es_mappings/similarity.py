"""A retrieval model in Elasticsearch: a named similarity, and the field that it scores."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

MAIN = "vsm"


@dataclass(frozen=True)
class Similarity:
    """One similarity.

    Attributes:
        name: the retrieval model's name.
        settings: as in `index.similarity.<name>`; see the docstring of the model's module for
            the Lucene class and the formula.
    """

    name: str
    settings: Mapping[str, Any]

    @property
    def field(self) -> str:
        """The field that this model scores: `text` for the vector space, which every index has,
        and `text.<name>` for the others."""
        return "text" if self.name == MAIN else f"text.{self.name}"
