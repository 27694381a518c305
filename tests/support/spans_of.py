"""Where the spans of an article are."""

from elasticsearch import Elasticsearch

from citespan.pipelines.indexing.catalogue import Catalogue


def spans_of(es: Elasticsearch, article_id: str) -> str:
    """The name of the index, by the catalogue."""
    return str(Catalogue(es).find(article_id).index)
