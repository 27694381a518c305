"""Comparing stored sentences with the catalogue."""

from collections.abc import Iterator

from elasticsearch import Elasticsearch

from citespan.es_mappings.index_name import IndexNames
from citespan.es_mappings.sentences import LAYOUT
from citespan.pipelines.store import edition
from citespan.pipelines.store.catalogue import Catalogue
from citespan.pipelines.store.edition import Orphans, Place, Stored, count_by_article
from citespan.pipelines.store.finding import LEFT_OVER, LOST, Finding, some
from citespan.pipelines.store.layout import ReadEntries
from citespan.pipelines.store.paging import count_all, search_all_shards
from citespan.pipelines.store.server import Server

_OF_LAYOUT = {"term": {"layout": LAYOUT}}
_MOST_INDICES = 1_000


def check(client: Elasticsearch, names: IndexNames, name: str) -> Iterator[Finding]:
    """Check that the indices exist, and compare all sentences in one sum."""
    articles_in, expected = _count_articles(client, names)
    if not articles_in and not client.indices.exists_alias(name=names.shared(LAYOUT)):
        yield Finding(name, "ok", "no articles in that layout")
        return
    present = set(client.indices.get(index=_all(names), filter_path="*.aliases"))
    gone = sorted(articles_in.keys() - present)
    if gone:
        lost = sum(articles_in[index] for index in gone)
        message = f"indices are gone: {some(gone)}, with {lost:,} articles"
        yield Finding(name, "failure", message, LOST)
        return
    found = count_all(client, index=_all(names)) if present else 0
    count = sum(articles_in.values())
    if found < expected:
        message = f"{expected - found:,} sentences are missing of {expected:,}"
        remedy = "name the articles by `citespan doctor --thorough`, and index them again"
        yield Finding(name, "failure", message, remedy)
    elif found > expected:
        message = f"{found - expected:,} sentences are of no article in the catalogue"
        yield Finding(name, "warning", message, LEFT_OVER)
    else:
        yield Finding(name, "ok", f"{count:,} articles, all of their {found:,} sentences")


def check_each(client: Elasticsearch, names: IndexNames) -> Iterator[Finding]:
    """Compare the sentences of each article with what the catalogue says."""
    if not client.indices.exists_alias(name=names.shared(LAYOUT)):
        return
    entries = Catalogue(client, names).scan(["article", "sentences"], _OF_LAYOUT)
    wanted = {version.entry.article: int(version.entry.sentences) for version in entries}
    found = dict(count_by_article(client, _all(names)))
    short = sorted(article for article, count in wanted.items() if found.get(article, 0) < count)
    if short:
        message = f"sentences are missing of {len(short):,} articles: {some(short)}"
        yield Finding("each article", "failure", message, LOST)
    over = sorted(article for article, count in found.items() if count > wanted.get(article, 0))
    if over:
        message = f"sentences that the catalogue does not know, of {len(over):,} articles: "
        yield Finding("each article", "warning", message + some(over), LEFT_OVER)
    if not (short or over):
        yield Finding("each article", "ok", f"{len(wanted):,} articles have just their sentences")


def find_orphans(server: Server, names: IndexNames, read_entries: ReadEntries) -> Orphans:
    """Return the editions that no entry names, and the articles without a sentence."""

    def read_named() -> Iterator[Stored]:
        for entry in read_entries():
            yield Stored(entry.article, entry.index, entry.edition, entry.sentences)

    unnamed, empty = edition.find_orphans(server, _all(names), read_named)
    places = [
        Place(stored.article, LAYOUT, stored.index, stored.edition, stored.count, 0)
        for stored in unnamed
    ]
    return Orphans(sorted(places, key=lambda place: (place.index, place.edition)), empty)


def find_unused(server: Server, names: IndexNames, read_entries: ReadEntries) -> list[str]:
    """Return nothing: articles share the indices."""
    return []


def _all(names: IndexNames) -> str:
    return f"{names.shared(LAYOUT)}-*"


def _count_articles(client: Elasticsearch, names: IndexNames) -> tuple[dict[str, int], int]:
    """Return how many articles the catalogue has in each index, and the sentences of all."""
    if not client.indices.exists(index=names.articles):
        return {}, 0
    answer = search_all_shards(
        client,
        index=names.articles,
        size=0,
        query=_OF_LAYOUT,
        aggs={
            "sentences": {"sum": {"field": "sentences"}},
            "indices": {"terms": {"field": "index", "size": _MOST_INDICES}},
        },
    )["aggregations"]
    buckets = answer["indices"]["buckets"]
    articles = {bucket["key"]: bucket["doc_count"] for bucket in buckets}
    return articles, int(answer["sentences"]["value"])
