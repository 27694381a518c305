"""BM25 with Lucene's defaults, k1 = 1.2 and b = 0.75.

org.apache.lucene.search.similarities.BM25Similarity; Elasticsearch keeps the factor k1 + 1 that
Lucene dropped (its LegacyBM25Similarity). The server computes in 32 bits from the idf on, and so
does this, in the same order: otherwise rounding would rank spans that have equal scores on the
server. A term scores

    idf * (k1 + 1) * tf / (tf + k1 * (1 - b + b * length / average length)),
    idf = ln(1 + (documents - df + 0.5) / (df + 0.5))
"""

from collections.abc import Mapping
from typing import Any

from citespan.pipelines.retrieval.model import Floats, Statistics, models

K1 = 1.2
B = 0.75


@models.register
class BM25:
    name = "bm25"
    description = f"probabilistic BM25 (k1 = {K1}, b = {B})"
    similarity: Mapping[str, Any] = {"type": "BM25", "k1": K1, "b": B}

    def score(self, statistics: Statistics) -> Floats:
        import numpy as np

        s = statistics
        df = s.document_frequencies
        idf = np.log(1.0 + (s.documents - df + 0.5) / (df + 0.5)).astype(np.float32)
        unit, k1, b = np.float32(1), np.float32(K1), np.float32(B)
        lengths = s.lengths.astype(np.float32)
        inverse = unit / (k1 * ((unit - b) + b * lengths / np.float32(s.average_length)))
        weight = s.weights.astype(np.float32) * (k1 + unit) * idf
        scores: Floats = weight - weight / (unit + s.frequencies.astype(np.float32) * inverse)
        return scores.astype(np.float64)
