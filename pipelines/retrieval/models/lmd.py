"""Language model with a Dirichlet prior, Lucene's default mu = 2000.

org.apache.lucene.search.similarities.LMDirichletSimilarity, which never scores below zero. A
term scores

    max(0, ln(1 + tf / (mu * p)) + ln(mu / (length + mu))),
    p = (total frequency + 1) / (total length + 1)
"""

from collections.abc import Mapping
from typing import Any

from citespan.pipelines.retrieval.model import Floats, Statistics, models

MU = 2000.0


@models.register
class LMDirichlet:
    name = "lmd"
    description = f"language model with a Dirichlet prior (mu = {MU:.0f})"
    similarity: Mapping[str, Any] = {"type": "LMDirichlet", "mu": MU}

    def score(self, statistics: Statistics) -> Floats:
        import numpy as np

        s = statistics
        probability = (s.total_frequencies + 1.0) / (s.total_length + 1.0)
        score = np.log1p(s.frequencies / (MU * probability)) + np.log(MU / (s.lengths + MU))
        return np.where(s.frequencies > 0, s.weights * np.maximum(score, 0.0), 0.0)
