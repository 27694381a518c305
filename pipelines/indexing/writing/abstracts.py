"""Writes abstracts into the index of all abstracts, or of one collection.

An abstract is one document, so nothing is between loaded and not loaded. It is written only
in place of the document that was looked up: if another load, or an earlier group of this one, was
faster, the decision is made again. A deletion leaves a tombstone, so a request that arrives late
changes nothing.

Of two citations of one PMID the later in the files replaces the earlier, and a deletion what came
before it. So that loading the same files again changes nothing even for a moment, what is indexed
stays if this load is still going to read the place that it came from. Where the order of files is
not known, as of two loads, a citation does not replace what is newer by its own account, by its
version or the day of its revision, nor the deletion of the very same citation.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from threading import Lock
from typing import Any, Literal

from citespan.es_mappings import abstracts
from citespan.pipelines.corpus.abstract import Abstract, Deletion
from citespan.pipelines.corpus.article import Rejected, Sentence
from citespan.pipelines.indexing.documents.abstract_document import (
    PredictedZone,
    Zoner,
    build_document,
    build_tombstone,
    hash_abstract,
    needs_zones,
    split_abstract,
)
from citespan.pipelines.indexing.reading.sources import read_state
from citespan.pipelines.indexing.reading.unit import Reading, Unit
from citespan.pipelines.indexing.report import LoadReport, Outcome
from citespan.pipelines.indexing.writing.checkpoint import Checkpoint
from citespan.pipelines.indexing.writing.target import Group
from citespan.pipelines.store.operation import Operation, replace_document
from citespan.pipelines.store.paging import read_by_ids
from citespan.pipelines.store.sender import CONFLICT
from citespan.pipelines.store.server import Server
from citespan.pipelines.text.splitter import Splitter

GROUP_ABSTRACTS = 500
"""How many readings a group has at most, unless another number is asked for."""
_LOOKED_UP = [
    *("content", "version", "revised", "mapping_version", "loaded", "deleted", "unit", "source")
]


@dataclass
class _Item:
    """An abstract or a deletion on its way.

    Attributes:
        unit: what it was read from.
        place: how many readings come before it there.
        content: hash of what is indexed of the abstract.
        sentences: of the abstract, once they are computed.
        document: of the abstract, or the tombstone, once it is made.
        sent: what the request that is under way, or was lost, would make of it.
    """

    reading: Abstract | Deletion
    report: LoadReport
    unit: Unit
    place: int = 0
    content: str = ""
    zoned_by: str = ""
    sentences: list[Sentence] = field(default_factory=list)
    document: dict[str, Any] | None = None
    sent: Outcome | None = None


@dataclass
class AbstractTarget:
    """An index of abstracts.

    Attributes:
        checkpoint: of the load, which says what it has dealt with.
        splitter: of their sentences.
        zoner: predicts the zones of sentences without a label that names one; None for documents
            without these zones.
        name: of the index that they are written into.
        group_readings: how many readings a group has at most.
        paths: the files and folders that the load reads as a whole, as absolute sources; none if
            it reads something else as well.
    """

    server: Server
    checkpoint: Checkpoint
    splitter: Splitter
    zoner: Zoner | None
    name: str = abstracts.INDEX
    group_readings: int = GROUP_ABSTRACTS
    paths: Sequence[str] = ()
    _zoning: Lock = field(default_factory=Lock, init=False)

    def ensure(self) -> None:
        self.server.ensure(self.name, abstracts.mapping(), abstracts.settings())

    def shared_indices(self) -> list[str]:
        return [self.name]

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
            _Item(event.reading, report, event.unit)
            for event, report in zip(group.events, group.reports, strict=True)
            if isinstance(event.reading, Abstract | Deletion)
        ]
        for item in items:
            if isinstance(item.reading, Abstract):
                if self.zoner is not None and needs_zones(item.reading):
                    item.zoned_by = self.zoner.version
                item.content = hash_abstract(item.reading, self.splitter, item.zoned_by)
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
        self._number(group, items)
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
            refused = self.server.sender.send(operations)
            if operations:
                self.server.require_indices([self.name])
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
        self.server.refresh(self.name)

    def _number(self, group: Group, items: Sequence[_Item]) -> None:
        """Note the place of each item in its unit."""
        done: dict[str, int] = {}
        waiting = iter(items)
        for event in group.events:
            if event.reading is None:
                continue
            key = event.unit.key
            if key not in done:
                done[key] = self.checkpoint.count_done(key)
            if isinstance(event.reading, Abstract | Deletion):
                next(waiting).place = done[key]
            done[key] += 1

    def _decide(self, item: _Item, hit: Mapping[str, Any] | None) -> Operation | None:
        """Return what to do about an item; count it if nothing is to be done."""
        reading, entry = item.reading, hit["_source"] if hit is not None else None
        if isinstance(reading, Deletion):
            return self._decide_deletion(item, reading, hit)
        order = self._find_order(entry) if entry is not None else "earlier"
        if entry is not None and entry.get("deleted"):
            if order == "later":
                item.report.count("unchanged")
                return None
            if order == "unknown" and (newer := _describe_deletion(entry, reading, item.content)):
                item.report.reject(Rejected(reading.source, newer, "skipped"))
                return None
        elif entry is not None:
            if newer := _describe_newer(entry, reading):
                item.report.reject(Rejected(reading.source, newer, "skipped"))
                return None
            if _is_current(hit, item.content) or order == "later":
                if _is_own(item, entry):
                    _count_sent(item)
                else:
                    item.report.count("unchanged")
                return None
        item.sent = "replaced" if entry is not None and not entry.get("deleted") else "indexed"
        return self._replace(item, hit)

    def _decide_deletion(
        self, item: _Item, deletion: Deletion, hit: Mapping[str, Any] | None
    ) -> Operation | None:
        entry = hit["_source"] if hit is not None else None
        if entry is not None:
            if _is_own(item, entry):
                _count_sent(item)  # the answer to an earlier request was lost
                return None
            is_done = entry.get("deleted") and entry["version"] >= deletion.version
            if is_done or entry["version"] > deletion.version or self._find_order(entry) == "later":
                return None
        item.document = build_tombstone(deletion, entry)
        item.sent = "replaced" if entry is not None and not entry.get("deleted") else "indexed"
        return self._replace(item, hit)

    def _replace(self, item: _Item, hit: Mapping[str, Any] | None) -> Operation:
        """Return the writing of the document of an item in place of what was looked up."""
        assert item.document is not None
        if item.unit.size >= 0:
            item.document["unit"] = {
                "path": item.unit.key.partition(":")[2],
                "size": item.unit.size,
                "modified": item.unit.modified,
                "place": item.place,
            }
        version = None if hit is None else (hit["_seq_no"], hit["_primary_term"])
        pmid = item.reading.id
        return replace_document(self.name, pmid, pmid, item.document, version)

    def _find_order(self, entry: Mapping[str, Any]) -> Literal["earlier", "later", "unknown"]:
        """Return whether this load has dealt with the place that a document came from, or is still
        going to; unknown if that is no place of this load, or its file has changed."""
        written = entry.get("unit")
        if not written:
            return "unknown"
        path = written["path"]
        keys = [
            f"{number}:{path}"
            for number, read in enumerate(self.paths)
            if path == read or path.startswith(f"{read.rstrip('/')}/")
        ]
        if not keys or read_state(Path(path)) != (written["size"], written["modified"]):
            return "unknown"
        is_done = all(self.checkpoint.count_done(key) > written["place"] for key in keys)
        return "earlier" if is_done else "later"

    def _build_documents(self, items: list[_Item]) -> None:
        """Build the documents of abstracts; those to be zoned by a model are zoned together,
        since that is faster."""
        with self._zoning:
            zoned = []
            for item in items:
                assert isinstance(item.reading, Abstract)
                item.sentences = split_abstract(item.reading, self.splitter)
                if item.zoned_by:
                    zoned.append((item.reading, item.sentences))
            predicted = iter(self.zoner(zoned) if self.zoner is not None else ())
            for item in items:
                assert isinstance(item.reading, Abstract)
                zones: Sequence[PredictedZone] = next(predicted) if item.zoned_by else ()
                item.document = build_document(
                    item.reading, item.sentences, item.content, zones, item.zoned_by
                )

    def _look_up(self, pmids: list[str]) -> dict[str, Mapping[str, Any]]:
        """Return what is indexed of these PMIDs, as last written."""
        if not pmids:
            return {}
        client = self.server.client
        found = self.server.call(
            lambda: read_by_ids(client, self.name, pmids, source_includes=_LOOKED_UP)
        )
        return {hit["_id"]: hit for hit in found if hit is not None}


def _is_current(hit: Mapping[str, Any] | None, content: str) -> bool:
    if hit is None:
        return False
    entry = hit["_source"]
    if entry.get("deleted"):
        return False
    return bool(entry["content"] == content and entry["mapping_version"] == abstracts.VERSION)


def _is_own(item: _Item, entry: Mapping[str, Any]) -> bool:
    """Return whether a document is what a request wrote whose answer was lost: the time of writing,
    to the microsecond, shows it."""
    if item.sent is None or item.document is None:
        return False
    return bool(entry["loaded"] == item.document["loaded"])


def _count_sent(item: _Item) -> None:
    if isinstance(item.reading, Deletion):
        item.report.deleted += item.sent == "replaced"
    else:
        assert item.sent is not None
        item.report.count(item.sent, len(item.sentences))


def _reject(item: _Item, reason: str) -> None:
    asked = "to delete it" if isinstance(item.reading, Deletion) else "it"
    reason = f"Elasticsearch refused {asked}: {reason}"
    item.report.reject(Rejected(item.reading.source, reason))


def _describe_deletion(entry: Mapping[str, Any], abstract: Abstract, content: str) -> str:
    """Return why a deleted citation stays deleted, if it is this one or a newer one."""
    if entry["content"] == content or _describe_newer(entry, abstract):
        return f"Medline has deleted it since, by {entry['source']}"
    return ""


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
