"""The vector space model of paper A, section 2.2: Lucene's classic TF-IDF.

org.apache.lucene.search.similarities.ClassicSimilarity, which Elasticsearch no longer offers by
name but accepts as a scripted similarity. A term scores

    sqrt(tf) * idf / sqrt(length),    idf = 1 + ln((documents + 1) / (df + 1))
"""

from collections.abc import Mapping
from typing import Any

from citespan.pipelines.retrieval.model import Floats, Statistics, models


@models.register
class VectorSpace:
    name = "vsm"
    description = "vector space: Lucene's classic TF-IDF (the paper's choice)"
    similarity: Mapping[str, Any] = {
        "type": "scripted",
        "weight_script": {
            "source": "return query.boost"
            " * (1.0 + Math.log((field.docCount + 1.0) / (term.docFreq + 1.0)));"
        },
        "script": {"source": "return weight * Math.sqrt(doc.freq) / Math.sqrt(doc.length);"},
    }

    def score(self, statistics: Statistics) -> Floats:
        import numpy as np

        s = statistics
        idf = 1.0 + np.log((s.documents + 1.0) / (s.document_frequencies + 1.0))
        scores: Floats = np.sqrt(s.frequencies) * (s.weights * idf) / np.sqrt(s.lengths)
        return scores
