"""Reading stored citations and links."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from elasticsearch import Elasticsearch

from citespan.es_mappings.articles import ArticleEntry
from citespan.es_mappings.citations import StoredCitation
from citespan.es_mappings.index_name import CITESPAN, IndexNames
from citespan.pipelines.store.paging import Hit, NumberedBody, page_through

_PAGE = 5_000


def read_citations(
    client: Elasticsearch, entries: Iterable[ArticleEntry], names: IndexNames = CITESPAN
) -> dict[str, list[StoredCitation]]:
    """Return the citations of the editions that entries name, by article, in the order of the
    text."""
    entries = list(entries)
    found: dict[str, list[StoredCitation]] = {entry.article: [] for entry in entries}
    wanted = [entry.edition for entry in entries if entry.citations]
    if wanted:
        query = {"terms": {"edition": wanted}}
        for source in _search_all(client, names.citations, query, ["article", "number"]):
            found[source["article"]].append(StoredCitation(**source))
    return found


def read_links(
    client: Elasticsearch,
    field: str,
    articles: Sequence[str],
    fields: Sequence[str] | None = None,
    names: IndexNames = CITESPAN,
) -> Iterator[Mapping[str, Any]]:
    """Yield the documents of links, in the order of the citing articles and their texts.

    Args:
        field: "citing" or "cited".
        articles: the ids of those that cite or are cited.
        fields: those to read; None for all.
    """
    query = {"terms": {field: list(articles)}}
    return _search_all(client, names.links, query, ["citing", "number"], fields)


def _search_all(
    client: Elasticsearch,
    index: str,
    query: Mapping[str, Any],
    sort: Sequence[str],
    fields: Sequence[str] | None = None,
) -> Iterator[Mapping[str, Any]]:
    """Yield all documents that a query finds.

    Args:
        sort: fields that together are different in all documents.
    """
    body = {
        "query": query,
        "size": _PAGE,
        "sort": list(sort),
        "source_includes": list(fields) if fields is not None else None,
        "track_total_hits": False,
    }

    def send(bodies: Sequence[NumberedBody]) -> Iterator[Sequence[Hit]]:
        for _, asked in bodies:
            yield client.search(
                index=index, ignore_unavailable=True, allow_partial_search_results=False, **asked
            )["hits"]["hits"]

    for _, hits in page_through([body], send):
        for hit in hits:
            yield hit["_source"]
