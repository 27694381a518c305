"""Editions: where what one load has written of an article is, and the documents of editions in
indices that articles share.

The documents of an edition are numbered from 0, and their ids are made of both. A deletion is
written with a higher version than the document, so that a request to write the document that
arrives later, because the network delayed it, does not bring it back.
"""

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import orjson
from elasticsearch import AuthorizationException, Elasticsearch, NotFoundError
from elasticsearch.helpers import scan

from citespan.es_mappings.articles import ArticleEntry
from citespan.es_mappings.index_name import numbered_id, slug
from citespan.pipelines.batches import batched
from citespan.pipelines.errors import RemainingDocumentsError
from citespan.pipelines.store.operation import Operation, write_operations
from citespan.pipelines.store.paging import search_all_shards
from citespan.pipelines.store.server import Server

EDITION = b"\0"
"""Stands in documents where the edition belongs, which is decided when they are written. JSON
never contains this character."""
_EDITION = EDITION.decode()
GROUP_BYTES = 8
"""The length of the random name of a group, which is the end of its editions' names in hex."""
_OF_A_GROUP = re.compile(rf"~[0-9a-f]{{{2 * GROUP_BYTES}}}\Z")
_COUNTED_AT_ONCE = 256
_READ_AT_ONCE = 5_000
_NAMED = 5
_WRITTEN, _DELETED = 1, 2  # versions of a document


@dataclass(frozen=True, slots=True)
class Place:
    """Where one edition of an article is stored: all that it takes to count or delete it.

    Attributes:
        index: that of its spans or sentences.
    """

    article: str
    layout: str
    index: str
    edition: str
    sentences: int
    spans: int
    citations: int = 0

    @classmethod
    def of_entry(cls, entry: ArticleEntry) -> "Place":
        """Return the place that the catalogue names."""
        return cls(
            entry.article,
            entry.layout,
            entry.index,
            entry.edition or "",
            int(entry.sentences),
            int(entry.spans),
            int(entry.citations or 0),
        )


@dataclass(frozen=True, slots=True)
class Stored:
    """The documents of one edition in one index, and how many it ought to have."""

    article: str
    index: str
    edition: str
    count: int


def make_action(article: str) -> bytes:
    """Return the line of a bulk request before a document of an article; `EDITION` stands where
    the edition belongs, and `%d` where the number of the document does."""
    name = numbered_id(_EDITION, "%d")
    return (
        f'{{"index":{{"routing":"{slug(article)}","_id":"{name}",'
        f'"version":{_WRITTEN},"version_type":"external_gte"}}}}'
    ).encode()


def write_edition(
    index: str, article: str, edition: str, pieces: Iterable[bytes]
) -> Iterator[Operation]:
    """Yield the operations that write the documents of an edition.

    Args:
        pieces: as `join_pieces` returns them, with `EDITION` where the edition belongs.
    """
    name = edition.encode()
    return write_operations(index, article, (piece.replace(EDITION, name) for piece in pieces))


def delete_documents(server: Server, editions: Sequence[Stored]) -> None:
    """Delete all documents of editions, if they exist.

    Raises:
        RemainingDocumentsError: if the server refuses to delete one.
    """
    editions = [edition for edition in editions if edition.count]
    if not editions:
        return
    # A deletion in an index that does not exist would create it.
    present = server.call(
        lambda: server.client.indices.get(
            index=sorted({edition.index for edition in editions}),
            ignore_unavailable=True,
            filter_path="*.aliases",
        )
    )
    names = {alias for index in present.values() for alias in index["aliases"]} | set(present)
    refused = server.sender.send(_delete(edition for edition in editions if edition.index in names))
    if refused:
        remain = sorted(refused)
        raise RemainingDocumentsError(
            f"documents of {', '.join(remain[:_NAMED])}{' and others' * (len(remain) > _NAMED)} "
            f"remain, since Elasticsearch refuses to delete them: {refused[remain[0]]}; when it "
            "takes deletions again, run `citespan doctor --repair`"
        )


def _delete(editions: Iterable[Stored]) -> Iterator[Operation]:
    for edition in editions:
        routing = slug(edition.article)
        action = {"routing": routing, "version": _DELETED, "version_type": "external_gte"}
        for number in range(edition.count):
            body = {"delete": action | {"_id": numbered_id(edition.edition, number)}}
            yield Operation(edition.index, edition.article, orjson.dumps(body))


def find_short(server: Server, editions: Sequence[Stored]) -> set[Stored]:
    """Return the editions that lack documents."""
    short: set[Stored] = set()
    for part in batched(editions, _COUNTED_AT_ONCE):
        try:
            counts = server.call(partial(_count, server.client, part))
        except AuthorizationException:
            return set()  # who may not search can't count; what was written is believed
        except NotFoundError:  # deleted a moment ago
            counts = [0] * len(part)
        short |= {
            edition for edition, count in zip(part, counts, strict=True) if count != edition.count
        }
    return short


def _count(client: Elasticsearch, editions: Sequence[Stored]) -> list[int]:
    """Return how many documents each edition has."""
    filters = [{"term": {"edition": edition.edition}} for edition in editions]
    names = sorted({edition.index for edition in editions})
    present = client.indices.get(index=names, ignore_unavailable=True, filter_path="*.aliases")
    if not present:
        return [0] * len(editions)
    found = search_all_shards(
        client,
        index=sorted(present),  # those that exist: a missing one and a forbidden one look alike
        size=0,
        track_total_hits=False,
        query={"terms": {"edition": [edition.edition for edition in editions]}},
        aggregations={"editions": {"filters": {"filters": filters}}},
        filter_path="aggregations.editions.buckets.doc_count",
    )
    return [bucket["doc_count"] for bucket in found["aggregations"]["editions"]["buckets"]]


def is_of_a_load(edition: str) -> bool:
    """Whether a load has named an edition, which may be of something else."""
    return _OF_A_GROUP.search(edition) is not None


@dataclass(frozen=True, slots=True)
class Orphans:
    """Where the catalogue and the documents of one layout differ.

    Attributes:
        unnamed: the places of all editions that no entry names.
        empty: the ids of the articles that have an entry and no document.
    """

    unnamed: list[Place]
    empty: list[str]


def find_orphans(
    server: Server, indices: str, read_named: Callable[[], Iterable[Stored]]
) -> tuple[list[Stored], list[str]]:
    """Return the documents of numbered editions that no entry names, and the ids of the articles
    that have an entry and no document.

    The documents of each article are counted, and only where an article has more than its entry
    says are its editions read.

    Args:
        indices: the pattern of the indices that have the documents.
        read_named: reads what the entries name, after the documents have been counted; an `index`
            of "" stands for any.
    """
    excess = server.call(lambda: dict(count_by_article(server.client, indices)))
    empty: list[str] = []
    named: dict[str, Stored] = {}
    for stored in read_named():
        if stored.count and stored.article not in excess:
            empty.append(stored.article)
        excess[stored.article] = excess.get(stored.article, 0) - stored.count
        named[stored.article] = stored
    unnamed = []
    for article in (article for article, count in excess.items() if count > 0):
        kept = named.get(article)
        editions = server.call(partial(_read_editions, server.client, indices, article))
        for (index, edition), count in editions.items():
            if kept is None or edition != kept.edition or kept.index not in ("", index):
                unnamed.append(Stored(article, index, edition, count))
    return unnamed, empty


def count_by_article(
    client: Elasticsearch,
    index: str,
    field: str = "article",
    query: Mapping[str, Any] | None = None,
) -> Iterator[tuple[str, int]]:
    """Yield how many documents name each article in a field, in the indices of that name.

    Args:
        query: which documents count; None for all.
    """
    for article, bucket in aggregate_by_article(client, index, field, query):
        yield article, bucket["doc_count"]


def aggregate_by_article(
    client: Elasticsearch,
    index: str,
    field: str,
    query: Mapping[str, Any] | None,
    aggregations: Mapping[str, Any] | None = None,
) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Yield each article that documents name in a field, with the bucket of these.

    Args:
        query: which documents count; None for all.
        aggregations: of the documents of each article.
    """
    more: dict[str, Any] = {"aggs": aggregations} if aggregations is not None else {}
    after: dict[str, Any] = {}
    while True:
        composite = {"size": _READ_AT_ONCE, "sources": [{"article": {"terms": {"field": field}}}]}
        answer = search_all_shards(
            client,
            index=index,
            size=0,
            ignore_unavailable=True,
            query=query,
            aggs={"each": {"composite": composite | after} | more},
        )
        each = answer.get("aggregations", {}).get("each", {"buckets": []})
        for bucket in each["buckets"]:
            yield bucket["key"]["article"], bucket
        if "after_key" not in each:
            return
        after = {"after": each["after_key"]}


def _read_editions(
    client: Elasticsearch, indices: str, article: str
) -> Mapping[tuple[str, str], int]:
    """Return how many documents each edition of an article has had, by index and edition."""
    found: dict[tuple[str, str], int] = defaultdict(int)
    query = {"query": {"term": {"article": article}}, "_source": ["edition", "number"]}
    for hit in scan(client, index=indices, query=query, size=_READ_AT_ONCE):
        source = hit["_source"]
        key = hit["_index"], source["edition"]
        found[key] = max(found[key], source["number"] + 1)
    return found
