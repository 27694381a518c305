"""Texts of articles in the catalogue, indexed again from the articles' documents.

The catalogue's entries are indexed with the texts of their articles but do not store them, so an
entry that the server itself writes anew has lost its text.
"""

from collections.abc import Iterator
from itertools import islice

from elasticsearch import Elasticsearch
from elasticsearch.helpers import bulk, scan

from citespan.es_mappings import articles
from citespan.es_mappings.articles import TEXT, ArticleEntry
from citespan.pipelines.errors import ArticleGoneError
from citespan.pipelines.indexing.layouts.layout import layout_of

_AT_ONCE = 100


def restore_texts(client: Elasticsearch, catalogue: str = articles.INDEX) -> int:
    """Index the texts of all articles whose entries have none.

    An article whose documents are gone is left as it is; `citespan doctor` reports those.

    Args:
        catalogue: the index of the entries.

    Returns:
        The number of texts.

    Raises:
        BulkIndexError: if the server refuses a text.
    """
    client.indices.refresh(index=catalogue)
    query = {"bool": {"must_not": [{"exists": {"field": TEXT}}]}}
    hits = scan(client, index=catalogue, query={"query": query, "seq_no_primary_term": True})
    restored = 0
    while some := list(islice(hits, _AT_ONCE)):
        done, _ = bulk(client, list(_add_texts(client, some)), index=catalogue)
        restored += done
    client.indices.refresh(index=catalogue)
    return restored


def _add_texts(client: Elasticsearch, hits: list[dict[str, object]]) -> Iterator[dict[str, object]]:
    for hit in hits:
        entry = ArticleEntry.from_es(hit)
        try:
            entry.text = layout_of(entry).read_text(client, entry)
        except ArticleGoneError:
            continue
        yield {
            "_op_type": "index",
            "_id": hit["_id"],
            "if_seq_no": hit["_seq_no"],
            "if_primary_term": hit["_primary_term"],
            "_source": entry.to_dict(skip_empty=True),
        }
