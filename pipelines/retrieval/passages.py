"""Retrieved spans as they are shown, from either layout."""

from collections.abc import Sequence

from elasticsearch import Elasticsearch

from citespan.pipelines.retrieval.merge import ScoredSpan
from citespan.pipelines.retrieval.passage import Passage
from citespan.pipelines.retrieval.request import SearchRequest
from citespan.pipelines.retrieval.sentence_passages import sentence_passages
from citespan.pipelines.retrieval.span_passages import span_passages


def passages(
    client: Elasticsearch, request: SearchRequest, spans: Sequence[ScoredSpan]
) -> list[Passage]:
    """The spans, in their order, with all there is to show of them."""
    if not spans:
        return []
    if request.article.layout == "spans":
        return span_passages(client, request, spans)
    return sentence_passages(client, request, spans)
