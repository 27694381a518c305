"""Searching articles of the layout `spans`: the server finds and scores spans.

Ties in score are broken by reading order on the server, so that what is cut off at `depth` does
not depend on how the index happens to be laid out. A hit carries nothing but its score and its
two sentence numbers (as sort values): texts are fetched later, for the few spans that remain.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from elasticsearch import Elasticsearch
from elasticsearch.dsl import Search

from citespan.pipelines.retrieval.merge import ScoredSpan
from citespan.pipelines.retrieval.query_dsl import spans_query
from citespan.pipelines.retrieval.request import SearchRequest
from citespan.pipelines.retrieval.responses import Searched, responses


def body(request: SearchRequest) -> Mapping[str, Any]:
    """The body of the search request."""
    search = (
        Search()
        .query(spans_query(request.terms, request.field))
        .source(False)
        .sort("_score", "first_sentence", "last_sentence")
        .extra(size=request.retrieved, stored_fields="_none_", track_total_hits=False)
    )
    found: Mapping[str, Any] = search.to_dict()
    return found


def search_spans(
    client: Elasticsearch, requests: Sequence[SearchRequest]
) -> list[list[ScoredSpan]]:
    """The retrieved spans for each request, best first, not merged.

    Raises:
        CitespanError: if an article's index is gone, or the server refuses a search.
    """
    searches: list[Searched] = [(request.article, {}, body(request)) for request in requests]
    return [
        [
            ScoredSpan(int(first), int(last), float(score))
            for score, first, last in (
                hit["sort"] for hit in response.get("hits", {}).get("hits", [])
            )
        ]
        for response in responses(client, searches, ["hits.hits.sort"])
    ]
