"""Editions: where what one load has written of an article is, and the documents of editions in
indices that articles share.

The documents of an edition are numbered from 0, and their ids are made of both. A deletion is
written with a higher version than the document, so that a request to write the document that
arrives later, because the network delayed it, does not bring it back.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial

import orjson
from elasticsearch import AuthorizationException, Elasticsearch, NotFoundError

from citespan.es_mappings.articles import ArticleEntry
from citespan.es_mappings.index_name import numbered_id, slug
from citespan.pipelines.errors import RemainingDocumentsError
from citespan.pipelines.store.operation import Operation, write_operations
from citespan.pipelines.store.server import Server

EDITION = b"\0"
"""Stands in documents where the edition belongs, which is decided when they are written. JSON
never contains this character."""
_EDITION = EDITION.decode()
_COUNTED_AT_ONCE = 256
_NAMED = 5
_WRITTEN, _DELETED = 1, 2  # versions of a document


@dataclass(frozen=True, slots=True)
class Place:
    """Where one edition of an article is stored: all that it takes to count or delete it.

    Attributes:
        index: that of its spans or sentences; that of citations if nothing else is left of it.
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
    """The documents of one edition in one index, and how many there ought to be."""

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


def delete_documents(server: Server, some: Sequence[Stored]) -> None:
    """Delete all documents of editions, if they exist.

    Raises:
        RemainingDocumentsError: if the server refuses to delete one.
    """
    some = [one for one in some if one.count]
    if not some:
        return
    # A deletion in an index that does not exist would create it.
    present = server.call(
        lambda: server.client.indices.get(
            index=sorted({one.index for one in some}),
            ignore_unavailable=True,
            filter_path="*.aliases",
        )
    )
    names = {alias for one in present.values() for alias in one["aliases"]} | set(present)
    refused = server.sender.send(_delete(one for one in some if one.index in names))
    if refused:
        remain = sorted(refused)
        raise RemainingDocumentsError(
            f"documents of {', '.join(remain[:_NAMED])}{' and others' * (len(remain) > _NAMED)} "
            f"remain, since Elasticsearch refuses to delete them: {refused[remain[0]]}; when it "
            "takes deletions again, run `citespan doctor --repair`"
        )


def _delete(some: Iterable[Stored]) -> Iterator[Operation]:
    for one in some:
        action = {"routing": slug(one.article), "version": _DELETED, "version_type": "external_gte"}
        for number in range(one.count):
            body = {"delete": action | {"_id": numbered_id(one.edition, number)}}
            yield Operation(one.index, one.article, orjson.dumps(body))


def find_short(server: Server, some: Sequence[Stored]) -> set[Stored]:
    """Return the editions of which not all documents are there."""
    incomplete: set[Stored] = set()
    for at in range(0, len(some), _COUNTED_AT_ONCE):
        part = some[at : at + _COUNTED_AT_ONCE]
        try:
            counts = server.call(partial(_count, server.client, part))
        except AuthorizationException:
            return set()  # who may not search can't count; what was written is believed
        except NotFoundError:  # deleted a moment ago
            counts = [0] * len(part)
        incomplete |= {one for one, count in zip(part, counts, strict=True) if count != one.count}
    return incomplete


def _count(client: Elasticsearch, some: Sequence[Stored]) -> list[int]:
    """Return how many documents there are of each edition."""
    filters = [{"term": {"edition": one.edition}} for one in some]
    names = sorted({one.index for one in some})
    present = client.indices.get(index=names, ignore_unavailable=True, filter_path="*.aliases")
    if not present:
        return [0] * len(some)
    found = client.search(
        index=sorted(present),  # those that exist: a missing one and a forbidden one look alike
        size=0,
        track_total_hits=False,
        allow_partial_search_results=False,  # what can't be read now need not be missing
        query={"terms": {"edition": [one.edition for one in some]}},
        aggregations={"editions": {"filters": {"filters": filters}}},
        filter_path="aggregations.editions.buckets.doc_count",
    )
    return [bucket["doc_count"] for bucket in found["aggregations"]["editions"]["buckets"]]
