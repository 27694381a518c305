"""Bulk loading of abstracts into the one index of all abstracts.

An abstract is one document, and writing it is one step, so there is nothing between loaded and
not loaded. Batches are looked up, then written while the next one is read; at most two are in
memory. A batch waits for the one before it if they share a PMID, so citations are dealt with in
the order of the files: of two of one PMID, the later replaces the earlier, and a deletion removes
what came before it. Only a citation that says itself that it is older than what is indexed, by
its version or by the day of its revision, does not.

What a batch is about to change is noted in the checkpoint before, and what became of it after it
is in the index. So a load that is resumed sends at most two batches twice, and counts nothing
twice.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import orjson
from elasticsearch import Elasticsearch, TransportError

from citespan.es_mappings import abstracts
from citespan.pipelines.corpus.abstract import Abstract, AbstractReading, Deletion
from citespan.pipelines.corpus.article import Rejected, Sentence
from citespan.pipelines.indexing.census import Census, Outcome
from citespan.pipelines.indexing.documents.abstract_document import (
    abstract_hash,
    abstract_sentences,
    document,
    needs_zones,
)
from citespan.pipelines.indexing.documents.zoner import PredictedZone, Zoner
from citespan.pipelines.indexing.reading.unit import Unit
from citespan.pipelines.indexing.server import ensure_index
from citespan.pipelines.indexing.writing.abstract_batch import AbstractBatch, AbstractEvent, batches
from citespan.pipelines.indexing.writing.bulk_sender import BulkSender, load_sender
from citespan.pipelines.indexing.writing.checkpoint import Checkpoint
from citespan.pipelines.indexing.writing.intent import DELETED, AbstractIntent
from citespan.pipelines.indexing.writing.operation import Operation
from citespan.pipelines.indexing.writing.patience import Patience, without_retries
from citespan.pipelines.text.splitter import Splitter

BATCH = 500
_LOOKED_UP = ["content", "version", "revised", "mapping_version"]


@dataclass(frozen=True, slots=True)
class _Written:
    """An abstract that is new or has changed; `zoned_by` is "" if all its zones are labels'."""

    abstract: Abstract
    census: Census
    sentences: list[Sentence]
    content: str
    outcome: Outcome
    zoned_by: str


@dataclass
class _Writing:
    """A batch on its way; `refusals` will be why the server won't do it, by PMID."""

    batch: AbstractBatch
    abstracts: list[_Written] = field(default_factory=list)
    deletions: list[tuple[Deletion, Census]] = field(default_factory=list)
    refusals: Future[dict[str, str]] | None = None


@dataclass
class AbstractLoader:
    """Loads abstracts, and counts what became of each.

    Attributes:
        splitter: of their sentences.
        on_input: called with the number of inputs that have just been dealt with.
        zoner: predicts the zones of sentences without a label that names one; None for documents
            without these.
        patience: with the server.
        batch: how many abstracts are looked up and written together at most.
    """

    client: Elasticsearch
    splitter: Splitter
    on_input: Callable[[int], None] = lambda _: None
    census: Census = field(default_factory=Census)
    zoner: Zoner | None = None
    patience: Patience = field(default_factory=Patience)
    batch: int = BATCH

    def __post_init__(self) -> None:
        self._client = without_retries(self.client)

    def load(self, readings: Iterable[AbstractReading]) -> Census:
        """Load all abstracts and remove those deleted, not to be resumed.

        Raises: as `load_events`.
        """
        unit = Unit("", "", Path())
        with Checkpoint(None, {}) as checkpoint:
            return self.load_events(((unit, reading) for reading in readings), checkpoint)

    def load_events(self, events: Iterable[AbstractEvent], checkpoint: Checkpoint) -> Census:
        """Load all abstracts and remove those deleted; what can't be loaded is counted.

        Raises:
            ElasticsearchUnreachableError: if the server goes away; what is loaded stays.
            CitespanError: if the server refuses the whole load, as for want of permission, or
                the checkpoint can't be written.
        """
        with load_sender(self._client, self.patience, self.census) as sender:
            self.patience.call(self._ensure)
            self._load_batches(batches(events, self.batch), sender, checkpoint)
            self.patience.call(lambda: self._client.indices.refresh(index=abstracts.INDEX))
        self.census.finish()
        return self.census

    def _ensure(self) -> None:
        ensure_index(self._client, abstracts.INDEX, abstracts.mapping(), abstracts.settings())

    def _load_batches(
        self, found: Iterator[AbstractBatch], sender: BulkSender, checkpoint: Checkpoint
    ) -> None:
        last: Unit | None = None
        with ThreadPoolExecutor(1) as writer:
            earlier: _Writing | None = None
            for batch in found:
                for unit in batch.parts:
                    if unit != last and (unit.done or unit.finished):
                        self._count(checkpoint.census(unit))
                    last = unit
                if earlier is not None and not batch.readings.keys().isdisjoint(
                    earlier.batch.readings
                ):
                    self._finish(earlier, checkpoint)
                    earlier = None
                current = self._decide(batch, checkpoint)
                operations = self._operations(current)
                if operations:
                    checkpoint.intend_abstracts(_intents(current))
                    current.refusals = writer.submit(sender.send, operations)
                if earlier is not None:
                    self._finish(earlier, checkpoint)
                earlier = current
            if earlier is not None:
                self._finish(earlier, checkpoint)

    def _decide(self, batch: AbstractBatch, checkpoint: Checkpoint) -> _Writing:
        """What there is to do; count what needs nothing done."""
        writing = _Writing(batch)
        present = self.patience.call(lambda: self._present(list(batch.readings)))
        for pmid, (unit, reading) in batch.readings.items():
            census = batch.parts[unit].census
            entry = present.get(pmid)
            before = checkpoint.abstract_leftovers.pop(pmid, None)
            if isinstance(reading, Abstract):
                self._decide_one(reading, census, entry, before, writing)
                continue
            census.deletions += 1
            if entry is not None and entry["version"] <= reading.version:
                writing.deletions.append((reading, census))
            elif entry is None and before == AbstractIntent(pmid, "", DELETED):
                census.deleted += 1  # by the run that was interrupted
        return writing

    def _decide_one(
        self,
        abstract: Abstract,
        census: Census,
        entry: Mapping[str, Any] | None,
        before: AbstractIntent | None,
        writing: _Writing,
    ) -> None:
        zoned_by = self.zoner.version if self.zoner is not None and needs_zones(abstract) else ""
        content = abstract_hash(abstract, self.splitter, zoned_by)
        if entry is not None and (newer := _newer(entry, abstract)):
            census.reject(Rejected(abstract.source, newer, "skipped"))
            return
        is_there = (
            entry is not None
            and entry["content"] == content
            and entry["mapping_version"] == abstracts.VERSION
        )
        if is_there and (before is None or before.content != content):
            census.count("unchanged", 0, 0)
            return
        sentences = abstract_sentences(abstract, self.splitter)
        if is_there and before is not None:  # written by the run that was interrupted
            census.count(before.outcome, len(sentences), 0)  # type: ignore[arg-type]  # no deletion
            return
        outcome: Outcome = "indexed" if entry is None else "replaced"
        writing.abstracts.append(_Written(abstract, census, sentences, content, outcome, zoned_by))

    def _operations(self, writing: _Writing) -> list[Operation]:
        """All that is to be written and deleted; abstracts without labels are zoned together,
        since that is faster."""
        without = [(one.abstract, one.sentences) for one in writing.abstracts if one.zoned_by]
        predicted = iter(self.zoner(without) if self.zoner is not None else ())
        operations = [
            Operation(abstracts.INDEX, one.id, b'{"delete":{"_id":"%s"}}' % one.id.encode())
            for one, _ in writing.deletions
        ]
        for one in writing.abstracts:
            zones: Sequence[PredictedZone] = next(predicted) if one.zoned_by else ()
            body = document(one.abstract, one.sentences, one.content, zones, one.zoned_by)
            pmid = one.abstract.id
            action = b'{"index":{"_id":"%s"}}\n' % pmid.encode()
            operations.append(Operation(abstracts.INDEX, pmid, action + orjson.dumps(body)))
        return operations

    def _present(self, pmids: list[str]) -> dict[str, Mapping[str, Any]]:
        """What is indexed of these PMIDs; sees what was written just now."""
        if not pmids:
            return {}
        found = self._client.mget(index=abstracts.INDEX, ids=pmids, source_includes=_LOOKED_UP)
        failed = next((hit["error"] for hit in found["docs"] if "error" in hit), None)
        if failed is not None or len(found["docs"]) != len(pmids):
            raise TransportError(f"abstracts were looked up in part ({failed})")
        return {hit["_id"]: hit["_source"] for hit in found["docs"] if hit.get("found")}

    def _finish(self, writing: _Writing, checkpoint: Checkpoint) -> None:
        """Wait for a batch, count it, and note that."""
        refusals = writing.refusals.result() if writing.refusals is not None else {}
        for deletion, census in writing.deletions:
            if deletion.id in refusals:
                reason = f"Elasticsearch refused to delete it: {refusals[deletion.id]}"
                census.reject(Rejected(deletion.source, reason))
            else:
                census.deleted += 1
        for one in writing.abstracts:
            if one.abstract.id in refusals:
                reason = f"Elasticsearch refused it: {refusals[one.abstract.id]}"
                one.census.reject(Rejected(one.abstract.source, reason))
            else:
                one.census.count(one.outcome, len(one.sentences), 0)
        parts = writing.batch.parts
        checkpoint.commit_abstracts(
            {
                unit: (part.readings, part.ended, part.census)
                for unit, part in parts.items()
                if not unit.finished
            },
            writing.batch.readings,
        )
        for part in parts.values():
            self._count(part.census)

    def _count(self, census: Census) -> None:
        self.census.add(census)
        self.on_input(census.inputs)


def _intents(writing: _Writing) -> Iterator[AbstractIntent]:
    for one in writing.abstracts:
        yield AbstractIntent(one.abstract.id, one.content, one.outcome)
    for deletion, _ in writing.deletions:
        yield AbstractIntent(deletion.id, "", DELETED)


def _newer(entry: Mapping[str, Any], abstract: Abstract) -> str:
    """Why what is indexed is to stay, if it is newer by what both say of themselves."""
    if entry["version"] != abstract.version:
        if entry["version"] < abstract.version:
            return ""
        return f"version {abstract.version}; version {entry['version']} is indexed"
    revised = entry.get("revised", "")
    if revised and abstract.revised and abstract.revised < revised:
        return f"revised {abstract.revised}; the revision of {revised} is indexed"
    return ""
