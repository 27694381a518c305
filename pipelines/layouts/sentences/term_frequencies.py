"""How often terms and phrases occur in the sentences of articles, counted by the server.

Each is a named query under a similarity that returns the frequency
(`es_mappings.sentences.FREQUENCY`), and a hit has the score of each named query.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from elasticsearch import Elasticsearch
from numpy.typing import NDArray

from citespan.es_mappings.articles import ArticleEntry
from citespan.es_mappings.index_name import slug
from citespan.pipelines.batches import batched
from citespan.pipelines.retrieval.query_dsl import Phrase
from citespan.pipelines.store.paging import PAGE, ArticleSearch, search_pages

Counts = NDArray[np.float64]
_OPTIONS = {
    "_source": False,
    "sort": ["number"],
    "size": PAGE,
    "stored_fields": "_none_",
    "track_total_hits": False,
}
_MOST_CLAUSES = 1_000  # of a query; Elasticsearch allows at least 1,024


@dataclass(frozen=True)
class FrequencyRequest:
    """The terms and phrases to count in one article."""

    entry: ArticleEntry
    terms: Sequence[str]
    phrases: Sequence[Phrase] = ()

    def bodies(self) -> Iterator[dict[str, Any]]:
        """Yield search requests, whose named queries are the numbers of terms, then of phrases."""
        asked = [("term", "value", term) for term in self.terms]
        asked += [("match_phrase", "query", phrase.text) for phrase in self.phrases]
        queries = [
            {kind: {"text": {field: text, "_name": str(number)}}}
            for number, (kind, field, text) in enumerate(asked)
        ]
        for some in batched(queries, _MOST_CLAUSES):
            query = {
                "filter": [{"term": {"edition": {"value": self.entry.edition}}}],
                "minimum_should_match": 1,
                "should": some,
            }
            yield {"query": {"bool": query}, **_OPTIONS}


def count_frequencies(
    client: Elasticsearch, requests: Sequence[FrequencyRequest]
) -> Iterator[tuple[Counts, Counts]]:
    """Yield how often each occurs in each of an article's S sentences, request by request.

    Yields:
        (S, T) for the terms and (S, P) for the phrases, which are counted inside sentences only.

    Raises:
        CitespanError: if an article's index is gone, or the server refuses the search.
    """
    counts = [
        np.zeros((request.entry.sentences, len(request.terms) + len(request.phrases)))
        for request in requests
    ]
    numbered = [(number, body) for number, asked in enumerate(requests) for body in asked.bodies()]
    entries = [requests[number].entry for number, _ in numbered]
    searches = [
        ArticleSearch(entry, body, slug(entry.article))
        for entry, (_, body) in zip(entries, numbered, strict=True)
    ]
    fields = ("hits.hits.sort", "hits.hits.matched_queries")
    for at, hits in search_pages(client, searches, fields, include_named_queries_score=True):
        _fill(counts[numbered[at][0]], hits)
    for request, found in zip(requests, counts, strict=True):
        terms = len(request.terms)
        # The server adds up what each term of a phrase would score.
        sizes = np.array([len(phrase.terms) for phrase in request.phrases])
        yield found[:, :terms], found[:, terms:] / sizes


def _fill(counts: Counts, hits: Sequence[Mapping[str, Any]]) -> None:
    rows = [hit["sort"][0] for hit in hits for _ in hit["matched_queries"]]
    columns = [int(name) for hit in hits for name in hit["matched_queries"]]
    counts[rows, columns] = [score for hit in hits for score in hit["matched_queries"].values()]
