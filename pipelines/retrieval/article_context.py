"""What a reformulation may know of an indexed article: its text, and what a search finds in it."""

from collections.abc import Sequence
from functools import cache, partial

from elasticsearch import Elasticsearch
from elasticsearch.dsl import Search
from elasticsearch.dsl.query import Ids

from citespan.es_mappings.articles import ArticleEntry
from citespan.es_mappings.spans import span_id
from citespan.pipelines.indexing.article_text import article_text
from citespan.pipelines.reformulation.context import Context, Options
from citespan.pipelines.reformulation.query import Term
from citespan.pipelines.retrieval.model import RetrievalModel
from citespan.pipelines.retrieval.search import SearchRequest, search


def article_context(
    client: Elasticsearch, entry: ArticleEntry, options: Options, model: RetrievalModel
) -> Context:
    """The context in which citances of an article are reformulated, for searches by a model."""

    def first_spans(terms: Sequence[Term], spans: int) -> list[str]:
        if not terms:
            return []
        found = search(client, SearchRequest(entry, tuple(terms), model, top=spans))
        ids = [span_id(span.first_sentence, span.last_sentence) for span in found]
        body = Search().query(Ids(values=ids)).source(["text"]).extra(size=len(ids))
        hits = client.search(index=entry.index, **body.to_dict())["hits"]["hits"]
        texts = {hit["_id"]: str(hit["_source"]["text"]) for hit in hits}
        return [texts[identifier] for identifier in ids]

    return Context(options, cache(partial(article_text, client, entry)), first_spans)
