"""What a reformulation may know of an indexed article: its text, and what a search finds in it."""

from collections.abc import Sequence
from functools import cache, partial

from elasticsearch import Elasticsearch

from citespan.es_mappings.articles import ArticleEntry
from citespan.pipelines.indexing.article_text import article_text
from citespan.pipelines.reformulation.context import Context, Options
from citespan.pipelines.reformulation.query import Term
from citespan.pipelines.retrieval.model import RetrievalModel
from citespan.pipelines.retrieval.request import SearchRequest
from citespan.pipelines.retrieval.search import search
from citespan.pipelines.retrieval.span_texts import span_texts


def article_context(
    client: Elasticsearch, entry: ArticleEntry, options: Options, model: RetrievalModel
) -> Context:
    """The context in which citances of an article are reformulated, for searches by a model."""

    def first_spans(terms: Sequence[Term], spans: int) -> list[str]:
        if not terms:
            return []
        request = SearchRequest(entry, tuple(terms), model, top=spans)
        return span_texts(client, entry, search(client, request))

    return Context(options, cache(partial(article_text, client, entry)), first_spans)
