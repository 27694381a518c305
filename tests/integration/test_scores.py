"""The server's scores are our formulas', for all four models, on random articles.

Only the analysis is the server's: sentences are analysed by the `_analyze` API, and everything
from there on (lengths, frequencies, Lucene's length encoding, formulas) is computed in NumPy.
"""

import random
from collections import Counter

import loading
import numpy as np
import pytest
from elasticsearch import Elasticsearch
from made_articles import WORDS, random_article

from citespan.es_mappings.analysis import ANALYZER
from citespan.pipelines.indexing.documents.windows import SpanLengths, windows
from citespan.pipelines.reformulation.query import Term
from citespan.pipelines.retrieval.lengths import round_lengths
from citespan.pipelines.retrieval.model import Statistics, models
from citespan.pipelines.retrieval.request import SearchRequest
from citespan.pipelines.retrieval.search import search
from citespan.pipelines.store.catalogue import Catalogue

LENGTHS = SpanLengths()


def analysed(es: Elasticsearch, index: str, text: str) -> list[str]:
    response = es.indices.analyze(index=index, analyzer=ANALYZER, text=text)
    return [token["token"] for token in response["tokens"]]


def statistics(documents: list[Counter[str]], weights: Counter[str]) -> Statistics:
    frequencies = np.array([[doc[term] for term in weights] for doc in documents], dtype=float)
    lengths = np.array([sum(doc.values()) for doc in documents])
    return Statistics(
        frequencies=frequencies,
        lengths=round_lengths(lengths)[:, np.newaxis].astype(float),
        average_length=float(lengths.sum() / (lengths > 0).sum()),
        document_frequencies=(frequencies > 0).sum(axis=0).astype(float),
        total_frequencies=frequencies.sum(axis=0),
        documents=int((lengths > 0).sum()),
        total_length=int(lengths.sum()),
        weights=np.array(list(weights.values())),
    )


@pytest.mark.parametrize("seed", range(4))
def test_scores_equal_the_formulas(es: Elasticsearch, seed: int) -> None:
    generator = random.Random(seed)
    article = random_article(f"differential-{seed}", generator.randint(2, 60), generator)
    assert article.sentences is not None
    report = loading.load(es, [article], models.names(), LENGTHS)
    assert report.indexed == 1, report
    entry = Catalogue(es).find(article.id)

    tokens = [analysed(es, entry.index, article.text[s.start : s.end]) for s in article.sentences]
    spans = windows(len(tokens), LENGTHS)
    documents = [Counter(t for n in range(a, b + 1) for t in tokens[n]) for a, b in spans]
    words = generator.sample([w for w in WORDS if w not in {"the", "of", "and", "in", "not"}], 6)
    query = tuple(Term(word, generator.choice([1.0, 2.0, 0.3])) for word in words)
    weights: Counter[str] = Counter()
    for term in query:
        for token in analysed(es, entry.index, term.text):
            weights[token] += term.weight
    counted = statistics(documents, weights)

    for model in models:
        expected = model.score(counted).sum(axis=1)
        request = SearchRequest(entry, query, model, top=10_000, depth=10_000, merged=False)
        found = {(s.first_sentence, s.last_sentence): s.score for s in search(es, request)}
        matching = counted.frequencies.sum(axis=1) > 0
        assert set(found) == {span for span, hit in zip(spans, matching, strict=True) if hit}
        for span, score in zip(spans, expected, strict=True):
            if span in found:
                assert found[span] == pytest.approx(score, rel=1e-4, abs=1e-6), (model.name, span)
