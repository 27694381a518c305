"""Whether the catalogue and the indices say the same."""

from collections.abc import Iterator
from typing import Any

from elasticsearch import Elasticsearch
from elasticsearch.helpers import scan

from citespan.deploy.doctor.finding import Finding, some
from citespan.deploy.doctor.indices import listed
from citespan.es_mappings import articles
from citespan.es_mappings.index_name import ALL_SPANS, SENTENCES

_PAGE = 5000
_LEFT = "an interrupted load has left them, or a load is at work: repeat the load, or delete them"
_LOST = "index these articles again"


def spans(client: Elasticsearch) -> Iterator[Finding]:
    """Articles of the layout `spans` against their indices, and the documents in these."""
    rows = listed(client, ALL_SPANS, "index,docs.count")
    counts = {row["index"]: row.get("docs.count") for row in rows}
    entries = list(_entries(client, "spans", ["article", "index", "spans"]))
    gone = sorted(entry["article"] for entry in entries if entry["index"] not in counts)
    if gone:
        yield Finding("spans", "failure", f"the index is gone of {some(gone)}", _LOST)
    short = sorted(
        entry["article"]
        for entry in entries
        if (count := counts.get(entry["index"])) is not None and int(count) != entry["spans"]
    )
    if short:
        what = f"not as many spans as the catalogue says: {some(short)}"
        yield Finding("spans", "failure", what, "delete their indices, and " + _LOST)
    left = sorted(counts.keys() - {entry["index"] for entry in entries})
    if left:
        what = f"{len(left):,} indices of no article in the catalogue: {some(left)}"
        yield Finding("spans", "warning", what, _LEFT)
    if not (gone or short or left):
        yield Finding("spans", "ok", f"{len(entries):,} articles, all with their spans")


def sentences(client: Elasticsearch) -> Iterator[Finding]:
    """Articles of the layout `sentences`: their indices, and all their sentences in one sum."""
    articles_in, expected = _articles_in(client)
    if not articles_in and not client.indices.exists_alias(name=SENTENCES):
        yield Finding("sentences", "ok", "no articles in that layout")
        return
    present = set(client.indices.get(index=f"{SENTENCES}-*", filter_path="*.aliases"))
    gone = sorted(articles_in.keys() - present)
    if gone:
        lost = sum(articles_in[index] for index in gone)
        what = f"indices are gone: {some(gone)}, with {lost:,} articles"
        yield Finding("sentences", "failure", what, _LOST)
        return
    found = int(client.count(index=f"{SENTENCES}-*")["count"]) if present else 0
    count = sum(articles_in.values())
    if found < expected:
        what = f"{expected - found:,} sentences are missing of {expected:,}"
        remedy = "name the articles by `citespan doctor --thorough`, and index them again"
        yield Finding("sentences", "failure", what, remedy)
    elif found > expected:
        what = f"{found - expected:,} sentences are of no article in the catalogue"
        yield Finding("sentences", "warning", what, _LEFT)
    else:
        yield Finding("sentences", "ok", f"{count:,} articles, all of their {found:,} sentences")


def sentences_of_each(client: Elasticsearch) -> Iterator[Finding]:
    """How many sentences there are of each article, against what the catalogue says."""
    if not client.indices.exists_alias(name=SENTENCES):
        return
    wanted = {
        entry["article"]: entry["sentences"]
        for entry in _entries(client, "sentences", ["article", "sentences"])
    }
    found = dict(_counted(client))
    short = sorted(a for a, count in wanted.items() if found.get(a, 0) < count)
    if short:
        what = f"sentences are missing of {len(short):,} articles: {some(short)}"
        yield Finding("each article", "failure", what, _LOST)
    over = sorted(a for a, count in found.items() if count > wanted.get(a, 0))
    if over:
        what = f"sentences that the catalogue does not know, of {len(over):,} articles: "
        yield Finding("each article", "warning", what + some(over), _LEFT)
    if not (short or over):
        yield Finding("each article", "ok", f"{len(wanted):,} articles have just their sentences")


def _articles_in(client: Elasticsearch) -> tuple[dict[str, int], int]:
    """How many articles the catalogue has in each sentence index, and the sentences of all."""
    if not client.indices.exists(index=articles.INDEX):
        return {}, 0
    told = client.search(
        index=articles.INDEX,
        size=0,
        query={"term": {"layout": "sentences"}},
        aggs={
            "sentences": {"sum": {"field": "sentences"}},
            "indices": {"terms": {"field": "index", "size": 1000}},
        },
    )["aggregations"]
    buckets = told["indices"]["buckets"]
    return {one["key"]: one["doc_count"] for one in buckets}, int(told["sentences"]["value"])


def _counted(client: Elasticsearch) -> Iterator[tuple[str, int]]:
    after: dict[str, Any] = {}
    while True:
        composite = {"size": _PAGE, "sources": [{"article": {"terms": {"field": "article"}}}]}
        told = client.search(
            index=f"{SENTENCES}-*", size=0, aggs={"each": {"composite": composite | after}}
        )["aggregations"]["each"]
        for bucket in told["buckets"]:
            yield bucket["key"]["article"], bucket["doc_count"]
        if "after_key" not in told:
            return
        after = {"after": told["after_key"]}


def _entries(client: Elasticsearch, layout: str, fields: list[str]) -> Iterator[dict[str, Any]]:
    if client.indices.exists(index=articles.INDEX):
        query = {"query": {"term": {"layout": layout}}, "_source": fields}
        for hit in scan(client, index=articles.INDEX, query=query, size=_PAGE):
            yield hit["_source"]
