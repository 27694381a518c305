"""What a retrieval model is, and the registry of all of them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

from citespan.es_mappings.similarity import MAIN, Similarity
from citespan.pipelines.registry import Registry

if TYPE_CHECKING:  # NumPy is imported only where scores are computed: a node scores span indices
    import numpy as np
    from numpy.typing import NDArray

Floats: TypeAlias = "NDArray[np.float64]"


@dataclass(frozen=True)
class Statistics:
    """What a model computes scores from: D spans of one article, T query terms.

    The collection that terms are counted in is that of all spans of the article, or another one
    (see `idf`).

    Attributes:
        frequencies: (D, T), how often each term occurs in each span.
        lengths: (D, 1), of the spans in terms, as Lucene stores them.
        average_length: of all spans of the article, in terms, exact.
        document_frequencies: (T,), in how many documents of the collection each term occurs.
        total_frequencies: (T,), how often each term occurs in the collection.
        documents: the number of documents of the collection that have any term at all.
        total_length: of the collection, in terms, exact.
        weights: (T,), of the terms in the query.
    """

    frequencies: Floats
    lengths: Floats
    average_length: float
    document_frequencies: Floats
    total_frequencies: Floats
    documents: int
    total_length: int
    weights: Floats


class RetrievalModel(Protocol):
    """Scores spans by their terms.

    Attributes:
        name: as in `--model`.
        description: one line for `--help`.
        similarity: Elasticsearch's settings for this model.
    """

    name: str
    description: str
    similarity: Mapping[str, Any]

    def score(self, statistics: Statistics) -> Floats:
        """Return the (D, T) scores that Elasticsearch gives to the terms, zero where a term does
        not occur."""
        ...


models: Registry[RetrievalModel] = Registry(
    "model", "citespan.pipelines.retrieval.models", "citespan.retrieval_models", RetrievalModel
)


def similarities(names: Iterable[str]) -> tuple[Similarity, ...]:
    """Return the models' similarities for Elasticsearch, each once, the vector space always first.

    Raises:
        UnknownNameError: for a name that is no model's.
    """
    wanted = dict.fromkeys([MAIN, *(name.strip() for name in names)])
    return tuple(Similarity(name, models[name].similarity) for name in wanted)
