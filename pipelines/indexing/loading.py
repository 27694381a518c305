"""A whole load: from paths to a census.

Who loads needs these privileges in Elasticsearch, beside `monitor` on the cluster, which every
command needs:

- on the indices `citespan-*`: `create_index`, `manage` (mappings of indices that are there, the
  alias, refreshing, deleting the span index of an article that is replaced, `_analyze`), `read`
  (the catalogue) and `write` (also what deletes documents);
- in the layout `spans`, the cluster's settings and health are read (`monitor`) to see whether there
  is room.

Searching needs only `read` and `view_index_metadata` on the same indices.
"""

import hashlib
import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import orjson
from elasticsearch import Elasticsearch

from citespan.pipelines.corpus.abstract_reader import AbstractReader
from citespan.pipelines.corpus.files import STANDARD_INPUT
from citespan.pipelines.corpus.reader import readers
from citespan.pipelines.errors import InputError
from citespan.pipelines.indexing import capacity, load_record
from citespan.pipelines.indexing.census import Census
from citespan.pipelines.indexing.documents.preparer import Preparer
from citespan.pipelines.indexing.documents.zoner import Zoner
from citespan.pipelines.indexing.known_articles import known_articles
from citespan.pipelines.indexing.missing import delete_missing
from citespan.pipelines.indexing.quarantine import keep
from citespan.pipelines.indexing.reading.pool import ReadingPool
from citespan.pipelines.indexing.reading.recipe import Recipe
from citespan.pipelines.indexing.reading.sources import Sources
from citespan.pipelines.indexing.reading.unit import AUTO, Event, Unit
from citespan.pipelines.indexing.reading.unit_reading import abstract_readings, readings
from citespan.pipelines.indexing.server import failures_told
from citespan.pipelines.indexing.writing.abstract_batch import AbstractEvent
from citespan.pipelines.indexing.writing.abstract_loader import BATCH, AbstractLoader
from citespan.pipelines.indexing.writing.bulk_sender import BulkSender
from citespan.pipelines.indexing.writing.checkpoint import (
    Checkpoint,
    CheckpointError,
    CheckpointInUseError,
)
from citespan.pipelines.indexing.writing.loader import Loader
from citespan.pipelines.indexing.writing.patience import DEFAULT_SECONDS, Patience, without_retries

_COUNTED_UNITS = 20_000
_COUNTED_BYTES = 500_000_000


@dataclass
class Load:
    """What is to be loaded and how.

    Attributes:
        sources: what is read.
        recipe: how articles are made ready.
        zoner: of the sentences of abstracts; None for those of labels alone.
        expected: how many articles there will be in all, in the layout `sentences`.
        processes: that read, beside this one; 0 for reading in this one.
        patience: seconds without any success of the server, after which the load ends.
        delete_missing: whether articles whose input is gone are deleted.
        quarantine: folder for copies of inputs that were quarantined; None for no copies.
        checkpoint: its file; None for a load that is not to be resumed.
        checkpoints: folder of the file, where that is named after what the load is.
        restart: whether to begin anew where there is a checkpoint.
        group_articles: as in `Loader`; of abstracts too.
    """

    sources: Sources
    recipe: Recipe
    zoner: Zoner | None = None
    expected: int = 0
    processes: int = 1
    patience: float = DEFAULT_SECONDS
    delete_missing: bool = False
    quarantine: Path | None = None
    checkpoint: Path | None = None
    checkpoints: Path | None = None
    restart: bool = False
    group_articles: int | None = None

    def __post_init__(self) -> None:
        self._preparer = self.recipe.preparer()
        if self.delete_missing and not self.sources.complete:
            raise InputError(
                "--delete-missing needs a load of whole folders or files: without --shard, "
                "--from-file, patterns and standard input"
            )
        first = next(iter(self.sources), None)
        if first is None and self.sources.shard is None:
            raise InputError(f"{', '.join(self.sources.paths)}: nothing to read in there")

    @cached_property
    def inputs(self) -> int | None:
        """How many inputs there will be; None where that takes too long to tell."""
        total = size = 0
        for number, unit in enumerate(self.sources):
            size += max(0, unit.size)
            if number >= _COUNTED_UNITS or size > _COUNTED_BYTES:
                return None
            total += _count(unit)
        return total

    def run(
        self, client: Elasticsearch, on_input: Callable[[int], None], on_resume: Callable[[], None]
    ) -> Census:
        """Load all of it: articles, then abstracts into their own index.

        Args:
            on_input: called with the number of inputs that have just been dealt with.
            on_resume: called where an earlier run has come some way.

        Raises:
            ShardLimitError: before anything is written, if the cluster can't hold it.
            ElasticsearchUnreachableError: if the server goes away, or is full.
            CheckpointError: if there is a checkpoint that can't be used.
        """
        census = Census()
        patience = Patience(self.patience)
        calm = without_retries(client)
        with failures_told(census):
            patience.call(lambda: load_record.ensure(calm))
        with ExitStack() as stack:
            checkpoint = stack.enter_context(self._checkpoint(client))
            if checkpoint.resumed:
                on_resume()
            if any(not _is_abstracts(unit) for unit in self.sources):
                self._load_articles(client, on_input, census, patience, checkpoint)
            if any(_is_abstracts(unit) for unit in self.sources):
                splitter = self._preparer.splitter
                abstracts = AbstractLoader(
                    client,
                    splitter,
                    on_input,
                    census,
                    self.zoner,
                    patience,
                    self.group_articles or BATCH,
                )
                abstracts.load_events(self._abstracts(checkpoint), checkpoint)
            census.finish()
            if self.quarantine is not None:
                keep(census.quarantined, self.quarantine)
            with failures_told(census):
                load_record.record(calm, patience, census, self.sources.paths, self._options())
            checkpoint.remove()
        return census

    def _load_articles(
        self,
        client: Elasticsearch,
        on_input: Callable[[int], None],
        census: Census,
        patience: Patience,
        checkpoint: Checkpoint,
    ) -> None:
        if self.recipe.layout == "spans":
            units = (unit for unit in self.sources if not _is_abstracts(unit))
            capacity.check(client, sum(map(_count, units)))
        loader = Loader(
            client,
            self._preparer.similarities,
            self._preparer.lengths,
            self._preparer.splitter,
            on_input,
            census,
            self._preparer.synonyms,
            self.recipe.layout,
            patience,
            self.expected,
            self.group_articles,
        )
        with self._events(client, checkpoint, patience) as events:
            loader.load_events(events, checkpoint)
        if self.delete_missing:
            calm = without_retries(client)
            with failures_told(census), BulkSender(calm, patience) as sender:
                census.missing = delete_missing(
                    calm, patience, sender, checkpoint, self.sources.paths
                )

    @contextmanager
    def _events(
        self, client: Elasticsearch, checkpoint: Checkpoint, patience: Patience
    ) -> Iterator[Iterable[Event]]:
        units = self._units(checkpoint, abstracts=False)
        if self.processes and not self._reads_a_stream:
            with ReadingPool(self.recipe, self.processes) as pool:
                yield pool.events(units)
        else:
            yield _events_here(units, self._preparer, client, patience)

    @property
    def _reads_a_stream(self) -> bool:
        return STANDARD_INPUT in map(Path, self.sources.paths)

    def _units(self, checkpoint: Checkpoint, *, abstracts: bool) -> Iterator[Unit]:
        for unit in self.sources:
            if _is_abstracts(unit) == abstracts:
                done, finished = checkpoint.resume(unit)
                yield replace(unit, done=done, finished=finished) if done or finished else unit

    def _abstracts(self, checkpoint: Checkpoint) -> Iterator[AbstractEvent]:
        for unit in self._units(checkpoint, abstracts=True):
            for reading in abstract_readings(unit):
                yield unit, reading

    def _checkpoint(self, client: Elasticsearch) -> Checkpoint:
        identity = self._options() | {
            "cluster": client.info()["cluster_uuid"],
            "paths": [os.path.abspath(path) for path in self.sources.paths],  # noqa: PTH100
            "list": self.sources.list_digest(),
        }
        file = self.checkpoint
        # two streams that look the same needn't be
        if file is None and self.checkpoints is not None and not self._reads_a_stream:
            digest = hashlib.sha256(orjson.dumps(identity, option=orjson.OPT_SORT_KEYS))
            file = self.checkpoints / f"{digest.hexdigest()[:16]}.checkpoint"
        if not self.restart or file is None or not file.exists():
            return Checkpoint(file, identity)
        leftovers = {}
        try:
            old = Checkpoint(file, identity)
            leftovers = old.leftovers
            old.remove()
        except CheckpointInUseError:
            raise
        except CheckpointError:
            file.unlink()
        new = Checkpoint(file, identity)
        new.adopt(leftovers)
        return new

    def _options(self) -> dict[str, Any]:
        prepared: Preparer = self._preparer
        shard = self.sources.shard
        return {
            "format": self.sources.format,
            "layout": self.recipe.layout,
            "models": [similarity.name for similarity in prepared.similarities],
            "lengths": [prepared.lengths.shortest, prepared.lengths.longest],
            "splitter": prepared.splitter.name,
            "zones": self.zoner is not None,
            "vocabulary": prepared.synonyms.name if prepared.synonyms is not None else "",
            "shard": f"{shard.number}/{shard.of}" if shard is not None else "",
        }


def _events_here(
    units: Iterable[Unit], preparer: Preparer, client: Elasticsearch, patience: Patience
) -> Iterator[Event]:
    """What comes out of the units, read in this process."""
    known = known_articles(without_retries(client), patience)

    def tagged() -> Iterator[tuple[Unit, Any]]:
        for unit in units:
            for _, reading in readings([unit]):
                yield unit, reading

    for unit, reading in preparer.prepare_all(tagged(), known):
        yield Event(unit, reading)


def _is_abstracts(unit: Unit) -> bool:
    return unit.reader != AUTO and isinstance(readers[unit.reader], AbstractReader)


def _count(unit: Unit) -> int:
    return 1 if unit.reader == AUTO or unit.archive else readers[unit.reader].count(unit.path)
