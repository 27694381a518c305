"""What a retrieval model is, and the registry of all of them."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from citespan.es_mappings.similarity import MAIN, Similarity
from citespan.pipelines.registry import Registry

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Statistics:
    """All that a model scores from: D spans of one article, T query terms.

    Attributes:
        frequencies: (D, T), how often each term occurs in each span.
        lengths: (D, 1), of the spans in terms, as Lucene remembers them.
        document_frequencies: (T,), in how many spans each term occurs.
        total_frequencies: (T,), how often each term occurs in all spans.
        documents: the number of spans that have any term at all.
        total_length: of all spans, in terms, exact.
        weights: (T,), of the terms in the query.
    """

    frequencies: Floats
    lengths: Floats
    document_frequencies: Floats
    total_frequencies: Floats
    documents: int
    total_length: int
    weights: Floats

    @property
    def average_length(self) -> float:
        """Of the spans, in terms."""
        return self.total_length / self.documents


class RetrievalModel(Protocol):
    """Scores spans by their terms.

    Attributes:
        name: as in `--model`.
        description: one line for `--help`.
        similarity: the settings that make Elasticsearch score by this model.
    """

    name: str
    description: str
    similarity: Mapping[str, Any]

    def score(self, statistics: Statistics) -> Floats:
        """The (D, T) scores that Elasticsearch gives to the terms, zero where a term does not
        occur."""
        ...


models: Registry[RetrievalModel] = Registry(
    "model", "citespan.pipelines.retrieval.models", "citespan.retrieval_models"
)


def similarities(names: Iterable[str]) -> tuple[Similarity, ...]:
    """The models as they are told to Elasticsearch, each once, the vector space always first.

    Raises:
        UnknownNameError: for a name that is no model's.
    """
    wanted = dict.fromkeys([MAIN, *(name.strip() for name in names)])
    return tuple(Similarity(name, models[name].similarity) for name in wanted)
