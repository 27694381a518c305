"""Divergence from randomness: inverse document frequency, Laplace after-effect, normalisation 2.

org.apache.lucene.search.similarities.DFRSimilarity with BasicModelIn, AfterEffectL and
NormalizationH2 (c = 1), known as InL2 in Amati and Van Rijsbergen 2002. A term scores

    log2((documents + 1) / (df + 0.5)) * tfn / (tfn + 1),
    tfn = tf * log2(1 + average length / length)
"""

from collections.abc import Mapping
from typing import Any

from citespan.pipelines.retrieval.model import Floats, Statistics, models


@models.register
class DivergenceFromRandomness:
    name = "dfr"
    description = "divergence from randomness (InL2)"
    similarity: Mapping[str, Any] = {
        "type": "DFR",
        "basic_model": "in",
        "after_effect": "l",
        "normalization": "h2",
        "normalization.h2.c": "1.0",
    }

    def score(self, statistics: Statistics) -> Floats:
        import numpy as np

        s = statistics
        surprise = np.log2((s.documents + 1.0) / (s.document_frequencies + 0.5))
        tfn = s.frequencies * np.log2(1.0 + s.average_length / s.lengths)
        scores: Floats = s.weights * surprise * tfn / (tfn + 1.0)
        return scores
