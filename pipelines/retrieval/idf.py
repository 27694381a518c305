"""Where retrieval models take the frequencies of terms in a collection from.

The collection of the published method is the article itself: its spans. A background corpus tells
rare words from common ones where the article has too few spans to do so. With "both", the spans
and the documents of the background are one collection. A term that the background does not have
counts as in one of its documents. Lengths and their average are always the article's.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final, Literal

from citespan.pipelines.reformulation.background import background_at
from citespan.pipelines.retrieval.model import Statistics

IdfSource = Literal["article", "background", "both"]


@dataclass(frozen=True, slots=True)
class Idf:
    """The collection whose frequencies count.

    Attributes:
        background: a table made by `citespan background build`; None for the shipped one.
    """

    source: IdfSource = "article"
    background: Path | None = None

    def count(self, statistics: Statistics, terms: Sequence[str]) -> Statistics:
        """Return statistics of an article with the frequencies of this collection.

        Args:
            terms: (T,), as Elasticsearch indexes them.

        Raises:
            InputError: if the table can't be used.
        """
        if self.source == "article":
            return statistics
        import numpy as np

        table = background_at(self.background, "biomedical")
        counts = np.array([table.counts.get(term, (1, 1)) for term in terms], dtype=np.float64)
        documents, occurrences = counts.reshape(-1, 2).T
        counted = replace(
            statistics,
            document_frequencies=documents,
            total_frequencies=occurrences,
            documents=table.documents,
            total_length=table.occurrences,
        )
        if self.source == "background":
            return counted
        return replace(
            counted,
            document_frequencies=documents + statistics.document_frequencies,
            total_frequencies=occurrences + statistics.total_frequencies,
            documents=table.documents + statistics.documents,
            total_length=table.occurrences + statistics.total_length,
        )


ARTICLE: Final = Idf()
