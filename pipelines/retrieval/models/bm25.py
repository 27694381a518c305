"""BM25 with Lucene's defaults, k1 = 1.2 and b = 0.75.

org.apache.lucene.search.similarities.BM25Similarity; Elasticsearch keeps the factor k1 + 1 that
Lucene dropped (its LegacyBM25Similarity). A term scores

    idf * (k1 + 1) * tf / (tf + k1 * (1 - b + b * length / average length)),
    idf = ln(1 + (documents - df + 0.5) / (df + 0.5))
"""

from collections.abc import Mapping
from typing import Any

import numpy as np

from citespan.pipelines.retrieval.model import Floats, Statistics, models

K1 = 1.2
B = 0.75


@models.register
class BM25:
    name = "bm25"
    description = f"probabilistic BM25 (k1 = {K1}, b = {B})"
    similarity: Mapping[str, Any] = {"type": "BM25", "k1": K1, "b": B}

    def score(self, statistics: Statistics) -> Floats:
        s = statistics
        df = s.document_frequencies
        idf = np.log(1.0 + (s.documents - df + 0.5) / (df + 0.5))
        saturation = K1 * (1.0 - B + B * s.lengths / s.average_length)
        scores: Floats = idf * (K1 + 1.0) * s.frequencies / (s.frequencies + saturation)
        return scores
