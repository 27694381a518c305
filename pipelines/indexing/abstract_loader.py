"""Bulk loading of abstracts into the one index of all abstracts.

An abstract is one document, and writing it is one step, so there is nothing between loaded and
not loaded. Batches are looked up, then written while the next one is read; at most two are in
memory. No batch has a PMID twice, and a batch waits for the one before it if they share a PMID,
so citations are dealt with in the order of the files: of two of one PMID, the later replaces the
earlier, and a deletion removes what came before it. Only a citation that says itself that it is
older than what is indexed, by its version or by the day of its revision, does not.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any

import orjson
from elasticsearch import Elasticsearch

from citespan.es_mappings import abstracts
from citespan.pipelines.corpus.abstract import Abstract, AbstractReading, Deletion
from citespan.pipelines.corpus.article import Rejected, Sentence
from citespan.pipelines.indexing.abstract_document import (
    abstract_hash,
    abstract_sentences,
    document,
    needs_zones,
)
from citespan.pipelines.indexing.census import Census, Outcome
from citespan.pipelines.indexing.server import ensure_index, failures_told, patient
from citespan.pipelines.indexing.zoner import PredictedZone, Zoner
from citespan.pipelines.server_reason import shortened
from citespan.pipelines.text.splitter import Splitter

_BATCH = 500
_BATCH_CHARACTERS = 4_000_000
_LOOKED_UP = ["content", "version", "revised", "mapping_version"]

_Batch = dict[str, Abstract | Deletion]


@dataclass(frozen=True, slots=True)
class _Written:
    """An abstract that is new or has changed; `zoned_by` is "" if all its zones are labels'."""

    abstract: Abstract
    sentences: list[Sentence]
    content: str
    outcome: Outcome
    zoned_by: str


@dataclass
class _Writing:
    """A batch on its way; `refusals` will be why the server won't have a document, by PMID."""

    pmids: frozenset[str]
    abstracts: list[_Written] = field(default_factory=list)
    deleted: int = 0
    lines: list[bytes] = field(default_factory=list)
    refusals: Future[dict[str, str]] | None = None


@dataclass
class AbstractLoader:
    """Loads abstracts, and counts what became of each.

    Attributes:
        splitter: of their sentences.
        on_input: called with the number of inputs that have just been dealt with.
        zoner: predicts the zones of sentences without a label that names one; None for documents
            without these.
    """

    client: Elasticsearch
    splitter: Splitter
    on_input: Callable[[int], None] = lambda _: None
    census: Census = field(default_factory=Census)
    zoner: Zoner | None = None

    def __post_init__(self) -> None:
        self._client = patient(self.client)

    def load(self, readings: Iterable[AbstractReading]) -> Census:
        """Load all abstracts and remove those deleted; what can't be loaded is counted.

        Raises:
            ElasticsearchUnreachableError: if the server goes away; what is loaded stays.
            CitespanError: if the server refuses the whole load, as for want of permission.
        """
        with failures_told(self.census):
            ensure_index(self._client, abstracts.INDEX, abstracts.mapping(), abstracts.settings())
            self._load_batches(self._batches(readings))
            self._client.indices.refresh(index=abstracts.INDEX)
        self.census.finish()
        return self.census

    def _load_batches(self, batches: Iterator[_Batch]) -> None:
        with ThreadPoolExecutor(1) as writer:
            earlier = _Writing(frozenset())
            for batch in batches:
                if not earlier.pmids.isdisjoint(batch):
                    self._finish(earlier)
                    earlier = _Writing(frozenset())
                current = self._prepare(batch)
                if current.lines:
                    current.refusals = writer.submit(self._write, b"\n".join(current.lines))
                    current.lines = []
                self._finish(earlier)
                earlier = current
            self._finish(earlier)

    def _batches(self, readings: Iterable[AbstractReading]) -> Iterator[_Batch]:
        batch: _Batch = {}
        characters = 0
        for reading in readings:
            if isinstance(reading, Rejected):
                self._reject(reading)
                continue
            full = len(batch) >= _BATCH or characters >= _BATCH_CHARACTERS
            if full or reading.id in batch:
                yield batch
                batch, characters = {}, 0
            batch[reading.id] = reading
            characters += len(reading.text) if isinstance(reading, Abstract) else 0
        if batch:
            yield batch

    def _prepare(self, batch: _Batch) -> _Writing:
        """What there is to write of a batch; count what is loaded already."""
        present = self._present(batch)
        writing = _Writing(frozenset(batch))
        for reading in batch.values():
            entry = present.get(reading.id)
            if isinstance(reading, Abstract):
                self._prepare_one(reading, entry, writing)
                continue
            self.census.deletions += 1
            if entry is not None and entry["version"] <= reading.version:
                writing.lines.append(b'{"delete":{"_id":"%s"}}' % reading.id.encode())
                writing.deleted += 1
        self._add_lines(writing)
        if writing.lines:
            writing.lines.append(b"")  # a bulk request ends in a line feed
        return writing

    def _prepare_one(
        self, abstract: Abstract, entry: Mapping[str, Any] | None, writing: _Writing
    ) -> None:
        zoned_by = self.zoner.version if self.zoner is not None and needs_zones(abstract) else ""
        content = abstract_hash(abstract, self.splitter, zoned_by)
        if entry is not None and (newer := _newer(entry, abstract)):
            self._reject(Rejected(abstract.source, newer, "skipped"))
            return
        if (
            entry is not None
            and entry["content"] == content
            and entry["mapping_version"] == abstracts.VERSION
        ):
            self.census.count("unchanged", 0, 0)
            self.on_input(1)
            return
        sentences = abstract_sentences(abstract, self.splitter)
        outcome: Outcome = "indexed" if entry is None else "replaced"
        writing.abstracts.append(_Written(abstract, sentences, content, outcome, zoned_by))

    def _add_lines(self, writing: _Writing) -> None:
        """The documents of a batch, those without labels zoned together, since that is faster."""
        without = [(one.abstract, one.sentences) for one in writing.abstracts if one.zoned_by]
        predicted = iter(self.zoner(without) if self.zoner is not None else ())
        for one in writing.abstracts:
            zones: Sequence[PredictedZone] = next(predicted) if one.zoned_by else ()
            body = document(one.abstract, one.sentences, one.content, zones, one.zoned_by)
            writing.lines.append(b'{"index":{"_id":"%s"}}' % one.abstract.id.encode())
            writing.lines.append(orjson.dumps(body))

    def _present(self, batch: _Batch) -> dict[str, Mapping[str, Any]]:
        """What is indexed of these PMIDs; sees what was written just now."""
        found = self._client.mget(
            index=abstracts.INDEX, ids=list(batch), source_includes=_LOOKED_UP
        )
        return {hit["_id"]: hit["_source"] for hit in found["docs"] if hit.get("found")}

    def _write(self, body: bytes) -> dict[str, str]:
        response = self._client.bulk(
            index=abstracts.INDEX,
            operations=[body],  # type: ignore[list-item]  # ready-made JSON
            filter_path="errors,items.*._id,items.*.error",
        )
        if not response["errors"]:
            return {}
        results = [result for item in response["items"] for result in item.values()]
        return {r["_id"]: shortened(r["error"].get("reason")) for r in results if "error" in r}

    def _finish(self, writing: _Writing) -> None:
        """Wait for a batch and count it."""
        refusals = writing.refusals.result() if writing.refusals is not None else {}
        self.census.deleted += writing.deleted
        for one in writing.abstracts:
            if one.abstract.id in refusals:
                reason = f"Elasticsearch refused it: {refusals[one.abstract.id]}"
                self._reject(Rejected(one.abstract.source, reason))
            else:
                self.census.count(one.outcome, len(one.sentences), 0)
                self.on_input(1)

    def _reject(self, rejected: Rejected) -> None:
        self.census.reject(rejected)
        self.on_input(1)


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
