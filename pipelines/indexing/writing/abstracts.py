"""Writes abstracts into the index of all abstracts, or of one collection.

An abstract is one document, so there is nothing between loaded and not loaded. It is written or
deleted only in place of the document that was looked up: if another load, or an earlier group of
this one, was faster, the decision is made again. So of two citations of one PMID the later in the
files replaces the earlier, a deletion removes what came before it, and a request that arrives late
changes nothing, except that a late copy of the first writing of an abstract undoes its deletion.
Only a citation that is older by its own account than the indexed one, by its version or by the day
of its revision, does not replace it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from threading import Lock
from typing import Any

import orjson
from elasticsearch import TransportError

from citespan.es_mappings import abstracts
from citespan.pipelines.corpus.abstract import Abstract, Deletion
from citespan.pipelines.corpus.article import Rejected, Sentence
from citespan.pipelines.indexing.bulk.operation import Operation
from citespan.pipelines.indexing.bulk.sender import CONFLICT
from citespan.pipelines.indexing.documents.abstract_document import (
    PredictedZone,
    Zoner,
    build_document,
    hash_abstract,
    needs_zones,
    split_abstract,
)
from citespan.pipelines.indexing.reading.unit import Reading
from citespan.pipelines.indexing.report import LoadReport, Outcome
from citespan.pipelines.indexing.server import Server, ensure_index
from citespan.pipelines.indexing.writing.target import Group
from citespan.pipelines.server_reason import read_documents
from citespan.pipelines.text.splitter import Splitter

_GROUP_ABSTRACTS = 500
_LOOKED_UP = ["content", "version", "revised", "mapping_version", "loaded"]


@dataclass
class _Item:
    """An abstract or a deletion on its way.

    Attributes:
        content: hash of what is indexed of the abstract.
        sentences, document: of the abstract, once they are computed.
        sent: what the request that is under way, or was lost, would make of it.
    """

    reading: Abstract | Deletion
    report: LoadReport
    content: str = ""
    zoned_by: str = ""
    sentences: list[Sentence] = field(default_factory=list)
    document: dict[str, Any] | None = None
    sent: Outcome | None = None


class AbstractTarget:
    """An index of abstracts.

    Args:
        splitter: of their sentences.
        zoner: predicts the zones of sentences without a label that names one; None for documents
            without these zones.
        group_readings: how many readings a group has at most.
        index: that they are written into.
    """

    def __init__(
        self,
        server: Server,
        splitter: Splitter,
        zoner: Zoner | None = None,
        group_readings: int | None = None,
        index: str = abstracts.INDEX,
    ) -> None:
        self._server = server
        self._splitter = splitter
        self._zoner = zoner
        self._zoning = Lock()
        self._index = self.name = index
        self.group_readings = group_readings or _GROUP_ABSTRACTS

    def ensure(self) -> None:
        self._server.call(
            lambda: ensure_index(
                self._server.client, self._index, abstracts.mapping(), abstracts.settings()
            )
        )

    def shared_indices(self) -> list[str]:
        return [self._index]

    def find_missing(self, ids: Sequence[str]) -> set[str]:
        return set(ids) - self._look_up(list(ids)).keys()

    def fits(self, group: Group, reading: Reading) -> bool:
        """Whether the group has no other reading of that PMID."""
        return isinstance(reading, Rejected) or reading.id not in group.ids

    def size(self, reading: Reading) -> int:
        return 4 * len(reading.text) if isinstance(reading, Abstract) else 0

    def prepare(self, group: Group) -> None:
        """Build the documents of abstracts that seem to be new or changed."""
        items = [
            _Item(event.reading, report)
            for event, report in zip(group.events, group.reports, strict=True)
            if isinstance(event.reading, Abstract | Deletion)
        ]
        for item in items:
            if isinstance(item.reading, Abstract):
                if self._zoner is not None and needs_zones(item.reading):
                    item.zoned_by = self._zoner.version
                item.content = hash_abstract(item.reading, self._splitter, item.zoned_by)
        present = self._look_up([item.reading.id for item in items])
        self._build_documents(
            [
                item
                for item in items
                if isinstance(item.reading, Abstract)
                and not _is_current(present.get(item.reading.id), item.content)
            ]
        )
        group.prepared = items

    def write(self, group: Group) -> None:
        items: list[_Item] = group.prepared
        waiting = {item.reading.id: item for item in items}
        for item in waiting.values():
            item.report.deletions += isinstance(item.reading, Deletion)
        while waiting:
            present = self._look_up(list(waiting))
            sent: dict[str, _Item] = {}
            operations = []
            self._build_documents(
                [
                    item
                    for pmid, item in waiting.items()
                    if isinstance(item.reading, Abstract)
                    and item.document is None
                    and not _is_current(present.get(pmid), item.content)
                ]
            )
            for pmid, item in waiting.items():
                operation = self._decide(item, present.get(pmid))
                if operation is not None:
                    sent[pmid] = item
                    operations.append(operation)
            refused = self._server.sender.send(operations)
            if operations:
                self._server.require_indices([self._index])
            waiting = {}
            for pmid, item in sent.items():
                reason = refused.get(pmid)
                if reason == CONFLICT:
                    waiting[pmid] = item
                elif reason is not None:
                    _reject(item, reason)
                else:
                    _count_sent(item)

    def finish(self) -> None:
        self._server.refresh(self._index)

    def _decide(self, item: _Item, hit: Mapping[str, Any] | None) -> Operation | None:
        """Return what to do about an item; count it if there is nothing to do."""
        reading, entry = item.reading, hit["_source"] if hit is not None else None
        if isinstance(reading, Deletion):
            if hit is not None and entry is not None and entry["version"] <= reading.version:
                item.sent = "indexed"
                return _make_operation(self._index, "delete", reading.id, hit)
            if hit is None and item.sent is not None:
                _count_sent(item)  # the answer to an earlier request was lost
            return None
        if entry is not None and (newer := _describe_newer(entry, reading)):
            item.report.reject(Rejected(reading.source, newer, "skipped"))
            return None
        assert item.document is not None or entry is not None
        if _is_current(hit, item.content):
            # The time of writing, to the microsecond, shows whether it is this load's own.
            ours = item.document is not None and entry["loaded"] == item.document["loaded"]  # type: ignore[index]
            if ours and item.sent is not None:
                _count_sent(item)
            else:
                item.report.count("unchanged")
            return None
        item.sent = "indexed" if hit is None else "replaced"
        assert item.document is not None
        action = "create" if hit is None else "index"
        return _make_operation(self._index, action, reading.id, hit, item.document)

    def _build_documents(self, items: list[_Item]) -> None:
        """Build the documents of abstracts; those to be zoned by a model are zoned together,
        since that is faster."""
        with self._zoning:
            zoned = []
            for item in items:
                assert isinstance(item.reading, Abstract)
                item.sentences = split_abstract(item.reading, self._splitter)
                if item.zoned_by:
                    zoned.append((item.reading, item.sentences))
            predicted = iter(self._zoner(zoned) if self._zoner is not None else ())
            for item in items:
                assert isinstance(item.reading, Abstract)
                zones: Sequence[PredictedZone] = next(predicted) if item.zoned_by else ()
                item.document = build_document(
                    item.reading, item.sentences, item.content, zones, item.zoned_by
                )

    def _look_up(self, pmids: list[str]) -> dict[str, Mapping[str, Any]]:
        """Return what is indexed of these PMIDs, as last written."""
        return self._server.call(lambda: self._read(pmids)) if pmids else {}

    def _read(self, pmids: list[str]) -> dict[str, Mapping[str, Any]]:
        found = self._server.client.mget(index=self._index, ids=pmids, source_includes=_LOOKED_UP)
        documents = read_documents(found)
        if len(documents) != len(pmids):
            raise TransportError("abstracts were looked up in part")
        return {hit["_id"]: hit for hit in documents if hit is not None}


def _is_current(hit: Mapping[str, Any] | None, content: str) -> bool:
    if hit is None:
        return False
    entry = hit["_source"]
    return bool(entry["content"] == content and entry["mapping_version"] == abstracts.VERSION)


def _make_operation(
    index: str,
    action: str,
    pmid: str,
    hit: Mapping[str, Any] | None,
    document: Mapping[str, Any] | None = None,
) -> Operation:
    address: dict[str, Any] = {"_id": pmid}
    if hit is not None:
        address |= {"if_seq_no": hit["_seq_no"], "if_primary_term": hit["_primary_term"]}
    lines = [{action: address}, *([document] if document is not None else [])]
    return Operation(index, pmid, b"\n".join(map(orjson.dumps, lines)))


def make_deletion(index: str, pmid: str, seq_no: int, primary_term: int) -> Operation:
    """Return the deletion of an abstract, unless it has been written since it was looked up."""
    hit = {"_seq_no": seq_no, "_primary_term": primary_term}
    return _make_operation(index, "delete", pmid, hit)


def _count_sent(item: _Item) -> None:
    if isinstance(item.reading, Deletion):
        item.report.deleted += 1
    else:
        assert item.sent is not None
        item.report.count(item.sent, len(item.sentences))


def _reject(item: _Item, reason: str) -> None:
    what = "to delete it" if isinstance(item.reading, Deletion) else "it"
    reason = f"Elasticsearch refused {what}: {reason}"
    item.report.reject(Rejected(item.reading.source, reason))


def _describe_newer(entry: Mapping[str, Any], abstract: Abstract) -> str:
    """Return why the indexed citation stays, if it is newer by what both say of themselves."""
    if entry["version"] != abstract.version:
        if entry["version"] < abstract.version:
            return ""
        return f"version {abstract.version}; version {entry['version']} is indexed"
    revised = entry.get("revised", "")
    if revised and abstract.revised and abstract.revised < revised:
        return f"revised {abstract.revised}; the revision of {revised} is indexed"
    return ""
