"""Where the spans of an article are."""

from elasticsearch import Elasticsearch

from citespan.pipelines.indexing import catalogue


def spans_of(es: Elasticsearch, article_id: str) -> str:
    """The name of the index, by the catalogue."""
    return str(catalogue.find(es, article_id).index)
