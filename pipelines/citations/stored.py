"""Reading stored citations and links."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict
from typing import Any, Final

from elasticsearch import Elasticsearch

from citespan.es_mappings.articles import ArticleEntry
from citespan.es_mappings.citations import StoredCitation
from citespan.es_mappings.index_name import CITESPAN, IndexNames
from citespan.es_mappings.links import CitationLink, LinkedPassage
from citespan.pipelines.batches import batched
from citespan.pipelines.indexing.reading.sources import Shard
from citespan.pipelines.shown import Row, flatten
from citespan.pipelines.store.catalogue import Catalogue
from citespan.pipelines.store.edition import count_by_article
from citespan.pipelines.store.paging import Hit, NumberedBody, page_through, search_all_shards

_PAGE = 5_000
_ARTICLES = 500  # whose links are read together
_NOT_NEEDED = ("lengths", "also_known_as", "source", "found_by", "authors", "title")
LINK_COLUMNS: Final = (
    *("article", "pmid", "doi", "title", "citing", "citing_pmid", "citing_doi", "citing_title"),
    *("citation", "section", "text", "query", "reference", "verdict", "support", "probability"),
    *("first_sentence", "last_sentence", "passage_section", "passage", "differences"),
    *("better", "ranker"),
)
"""Of the rows of links: the article is the one cited, and the passage the best one of it."""


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


def read_all_links(client: Elasticsearch, shard: Shard | None) -> Iterator[CitationLink]:
    """Yield the links of all citing articles, or of those of a part of them."""
    linked = count_by_article(client, CITESPAN.links, "citing")
    citing = (article for article, _ in linked if shard is None or shard.has(article))
    for articles in batched(citing, _ARTICLES):
        yield from map(CitationLink.from_document, read_links(client, "citing", articles))


def make_link_rows(client: Elasticsearch, links: Iterable[CitationLink]) -> Iterator[Row]:
    """Yield a row with `LINK_COLUMNS` for each link."""
    catalogue = Catalogue(client)
    for some in batched(links, _PAGE):
        articles = {article for link in some for article in (link.citing, link.cited)}
        entries = catalogue.look_up_loaded(articles, _NOT_NEEDED)
        for link in some:
            citing, cited = entries.get(link.citing), entries.get(link.cited)
            yield {
                **flatten(link.to_json()),
                "differences": "; ".join(map(str, link.differences)),
                "article": link.cited,
                "title": link.cited_title,
                "pmid": cited and cited.pmid,
                "doi": cited and cited.doi,
                "citing_pmid": citing and citing.pmid,
                "citing_doi": citing and citing.doi,
                **(_describe_best(link.passages[0]) if link.passages else {}),
            }


def _describe_best(passage: LinkedPassage) -> Row:
    described = asdict(passage)
    return {
        **{name: described[name] for name in ("probability", "first_sentence", "last_sentence")},
        "passage_section": passage.section,
        "passage": passage.text,
    }


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
            found = search_all_shards(client, index=index, ignore_unavailable=True, **asked)
            yield found["hits"]["hits"]

    for _, hits in page_through([body], send):
        for hit in hits:
            yield hit["_source"]
