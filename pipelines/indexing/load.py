"""A whole load: from paths to a report.

Loading needs these privileges in Elasticsearch, beside `monitor` on the cluster, which every
command needs:

- on the indices `citespan-*`: `create_index`, `manage` (mappings of existing indices, the alias,
  refreshing, deleting the span index of an article that is replaced, `_analyze`), `read` (the
  catalogue, and the links of articles that are deleted) and `write` (also to delete documents);
- where articles have indices of their own, the cluster's settings and health are read (`monitor`)
  to see whether there is room.

Searching needs only `read` and `view_index_metadata` on the same indices.
"""

import hashlib
import uuid
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import cached_property
from itertools import chain
from pathlib import Path
from typing import Any

import orjson
from elasticsearch import Elasticsearch

from citespan.es_mappings import loads
from citespan.es_mappings.index_name import CITESPAN, IndexNames
from citespan.pipelines.corpus.article import Article, Rejected
from citespan.pipelines.corpus.files import STANDARD_INPUT, absolute_source_of
from citespan.pipelines.corpus.reader import AbstractReader, readers
from citespan.pipelines.errors import CitespanError, InputError
from citespan.pipelines.indexing.documents.abstract_document import Zoner
from citespan.pipelines.indexing.documents.builder import DocumentBuilder
from citespan.pipelines.indexing.documents.settings import DocumentSettings
from citespan.pipelines.indexing.quarantine import copy_quarantined
from citespan.pipelines.indexing.reading.archive import count_members
from citespan.pipelines.indexing.reading.pool import ReadingPool
from citespan.pipelines.indexing.reading.sources import Sources
from citespan.pipelines.indexing.reading.unit import AUTO, Event, Unit
from citespan.pipelines.indexing.report import LoadReport, MissingArticles, count_reasons
from citespan.pipelines.indexing.writing.abstracts import GROUP_ABSTRACTS, AbstractTarget
from citespan.pipelines.indexing.writing.articles import ArticleTarget
from citespan.pipelines.indexing.writing.checkpoint import Checkpoint
from citespan.pipelines.indexing.writing.editions import look_up_complete
from citespan.pipelines.indexing.writing.loader import Loader
from citespan.pipelines.indexing.writing.missing import Sweep
from citespan.pipelines.indexing.writing.rebuild import Rebuild, delete_outdated_records
from citespan.pipelines.indexing.writing.resumption import look_again
from citespan.pipelines.indexing.writing.target import Target
from citespan.pipelines.limits import DEFAULT_MEGABYTES, Limits, has_ended_process
from citespan.pipelines.limits import DEFAULT_SECONDS as DEFAULT_SECONDS_A_UNIT
from citespan.pipelines.store.catalogue import Catalogue
from citespan.pipelines.store.index_versions import name_collection_index
from citespan.pipelines.store.layout import shared_aliases
from citespan.pipelines.store.lease import Lease, hold_lease
from citespan.pipelines.store.retry import DEFAULT_SECONDS, RetryPolicy, UnsettledError
from citespan.pipelines.store.server import Server, open_server

_COUNTED_UNITS = 20_000
_COUNTED_MEMBERS = 2_000  # of all archives, which takes half a second
_COUNTED_BYTES = 500_000_000
_PACKED = (".gz", ".tgz")
_UNPACKED_BYTES = 4.5  # of a byte of a packed archive of JATS
_ARTICLE_BYTES = 78_000  # of the JATS of an article of PubMed Central
_ROUNDS = 3  # of a load that finds that what it has stored is gone


@dataclass
class Load:
    """What is to be loaded and how.

    Attributes:
        sources: what is read.
        settings: how articles become documents.
        connect: makes a client of the server, and can be sent to another process; None for reading
            without a look at what is indexed.
        zoner: predicts zones of abstracts' sentences; None for those of labels alone.
        articles_expected: how many articles there will be in all; 0 for an estimate by the bytes of
            the sources.
        processes: that read, beside this one; there is always one.
        retry_seconds: without any success of the server, after which the load ends.
        delete_missing: whether articles whose input does not exist any more are deleted, unless
            these are more than a tenth of all that were read from there.
        delete_many: whether they are deleted however many they are; likewise those that a rebuild
            leaves out.
        quarantine: folder for copies of inputs that were quarantined; None for no copies.
        checkpoint: its file; None for a load that is not to be resumed.
        checkpoints: folder of the file, if it is named after what the load is.
        restart: whether to begin anew if there is a checkpoint.
        rebuild: whether all is loaded into new indices, which replace the present ones in the end.
        group_readings: how many readings are written together at most; None for as many as suit.
        collection: of abstracts, which has an index of its own; "" for the index of all others.
        unit_seconds, unit_memory: what a process that reads may take for one input, and how many MB
            of memory in all; an input that takes more is quarantined.
        warn: called with a line if something that was loaded has to be loaded again.
    """

    sources: Sources
    settings: DocumentSettings
    connect: Callable[[], Elasticsearch] | None
    zoner: Zoner | None = None
    articles_expected: int = 0
    processes: int = 1
    retry_seconds: float = DEFAULT_SECONDS
    delete_missing: bool = False
    delete_many: bool = False
    quarantine: Path | None = None
    checkpoint: Path | None = None
    checkpoints: Path | None = None
    restart: bool = False
    rebuild: bool = False
    group_readings: int | None = None
    collection: str = ""
    unit_seconds: float = DEFAULT_SECONDS_A_UNIT
    unit_memory: int = DEFAULT_MEGABYTES
    warn: Callable[[str], None] = lambda _: None

    def __post_init__(self) -> None:
        self._limits = Limits(self.unit_seconds, self.unit_memory)
        self._abstracts_index = name_collection_index(self.collection)
        self._builder = DocumentBuilder(self.settings)
        if self.delete_missing and not self.sources.complete:
            raise InputError(
                "`delete_missing` needs a load of whole folders or files: without `shard`, "
                "`from_file`, patterns and standard input"
            )
        if self.rebuild and (self.sources.shard is not None or self.delete_missing):
            raise InputError(
                "`rebuild` replaces all that is indexed: it can't have `shard` or `delete_missing`"
            )
        first = next(iter(self.sources), None)
        if first is None and self.sources.shard is None:
            raise InputError(f"{', '.join(self.sources.paths)}: nothing to read in there")
        if self.collection and (other := self._first_articles()):
            raise InputError(
                f"{other.path}: `collection` is for abstracts (medline, pubmed, pubmedqa); "
                "leave it out, or name the `format`"
            )

    def _first_articles(self) -> Unit | None:
        return next((unit for unit in self.sources if not _has_abstracts(unit)), None)

    @cached_property
    def inputs(self) -> int | None:
        """How many inputs there will be; None if counting them would take too long."""
        total = size = 0
        for number, unit in enumerate(self.sources):
            size += max(0, unit.size)
            if number >= _COUNTED_UNITS or size > _COUNTED_BYTES:
                return None
            total += _count_inputs(unit, total)
            if unit.archive and total >= _COUNTED_MEMBERS:
                return None
        return total

    def run(
        self,
        client: Elasticsearch,
        on_input: Callable[[int], None],
        on_resume: Callable[[], None],
        on_missing: Callable[[MissingArticles], None] = lambda _: None,
    ) -> LoadReport:
        """Load everything: articles, then abstracts into their own index.

        Args:
            on_input: called with the number of inputs that have just been dealt with.
            on_resume: called if an earlier run has left a checkpoint.
            on_missing: called before articles are deleted whose input does not exist any more.

        Raises:
            ShardLimitError: before anything is written, if the cluster has no room for it.
            ElasticsearchUnreachableError: if the server goes away, or is full.
            LeaseHeldError: if a command is under way that must be alone.
            CheckpointError: if there is a checkpoint that can't be used.
        """
        report = LoadReport()
        with (
            self._start_reading() as pool,  # while the server is asked what is loaded
            open_server(client, RetryPolicy(self.retry_seconds), report) as server,
            self._open_checkpoint(server) as checkpoint,
            self._hold_lease(server, checkpoint) as lease,
        ):
            checkpoint.remember_lease(lease.token)
            rebuild = Rebuild(server, lease, self.delete_many) if self.rebuild else None
            server.ensure(loads.INDEX, loads.mapping(), loads.settings())
            if checkpoint.resumed:
                on_resume()
            self._load_parts(server, checkpoint, lease, rebuild, report, pool, on_input, on_missing)
            if rebuild is not None:
                has_abstracts = any(map(_has_abstracts, self.sources))
                report.missing = rebuild.switch(
                    self._first_articles() is not None,
                    self._abstracts_index if has_abstracts else "",
                )
            report.finish()
            if self.quarantine is not None:
                copy_quarantined(report.quarantined, self.quarantine)
            self._store_report(server, report)
            checkpoint.remove()
        return report

    def _load_parts(
        self,
        server: Server,
        checkpoint: Checkpoint,
        lease: Lease,
        rebuild: Rebuild | None,
        report: LoadReport,
        pool: ReadingPool,
        on_input: Callable[[int], None],
        on_missing: Callable[[MissingArticles], None],
    ) -> None:
        """Load everything, and again what is not there in the end, as if a lease was lost.

        Raises:
            CitespanError: if something else deletes it again and again.
        """
        for _ in range(_ROUNDS):
            targets = []
            for target, events, sweep in self._parts(server, checkpoint, pool, rebuild):
                targets.append(target)
                loader = Loader(target, checkpoint, report, on_input, lease.keep)
                loader.load(events, ahead=not self._reads_a_stream)
                if sweep is not None:
                    self._delete_missing(sweep, report, on_missing)
            held = lease.check()
            found = [look_again(server, target, checkpoint, not held) for target in targets]
            missing = "; ".join(filter(None, found))
            if not missing:
                return
            if self._reads_a_stream:
                break
            self.warn(missing)
            on_input(-report.inputs)
            report.begin_anew()
        raise CitespanError(
            f"what was loaded has been deleted during the load ({missing}); load it again"
        )

    def _start_reading(self) -> ReadingPool:
        return ReadingPool(
            self.settings,
            None if self.rebuild else self.connect,  # nothing to look up is there yet
            max(1, self.processes),
            self._limits,
            self._reads_a_stream,
        )

    def _hold_lease(self, server: Server, checkpoint: Checkpoint) -> AbstractContextManager[Lease]:
        if not self.rebuild:
            return hold_lease(server, "index", former=checkpoint.lease)
        delete_outdated_records(server)
        return hold_lease(server, "index --rebuild", exclusive=True)

    def _parts(
        self, server: Server, checkpoint: Checkpoint, pool: ReadingPool, rebuild: Rebuild | None
    ) -> Iterator[tuple[Target, Iterable[Event], Sweep | None]]:
        """Yield what is loaded, one after the other, each with its target and what finds out
        afterwards what is missing, if that is to be deleted."""
        if self._first_articles() is not None:
            catalogue = Catalogue(server.client, rebuild.names if rebuild is not None else CITESPAN)
            units = (unit for unit in self.sources if not _has_abstracts(unit))
            inputs, expected = self._estimate(server, catalogue.names, units)
            writer = self._builder.writer
            server.call(lambda: writer.check_capacity(server.client, catalogue.names, inputs))
            sweep = None
            if self.delete_missing:
                server.call(lambda: catalogue.ensure(expected))
                paths, last_writes = self.sources.paths, server.call(catalogue.last_writes)
                corpus = self.settings.corpus
                sweep = Sweep(server, catalogue, checkpoint, corpus, paths, last_writes)
            checkpoint.forget_absent_units()
            most = self.group_readings or self._builder.writer.group_articles
            target = ArticleTarget(server, catalogue, self._builder, checkpoint, most, expected)
            self._begin(server, target, checkpoint)
            yield target, pool.events(self._units(checkpoint, abstracts=False)), sweep
        if any(_has_abstracts(unit) for unit in self.sources):
            index = self._abstracts_index
            abstracts = AbstractTarget(
                server,
                checkpoint,
                self.settings.splitter,
                self.zoner,
                rebuild.name_new(index) if rebuild is not None else index,
                self.group_readings or GROUP_ABSTRACTS,
                list(map(absolute_source_of, self.sources.paths)) if self.sources.complete else (),
            )
            self._begin(server, abstracts, checkpoint)
            yield abstracts, pool.events(self._units(checkpoint, abstracts=True)), None

    def _estimate(
        self, server: Server, names: IndexNames, units: Iterable[Unit]
    ) -> tuple[int, int]:
        """Return how many inputs there are, and how many articles are to be expected in all.

        Where nobody has said that, it follows from the bytes of the first load into new indices: a
        later one may read the same again.
        """
        inputs, size = 0, 0.0
        for unit in units:
            inputs += _count_inputs(unit, inputs)
            packed = unit.path.suffix.lower() in _PACKED
            size += max(0, unit.size) * (_UNPACKED_BYTES if packed else 1)
        if self.articles_expected or server.call(
            lambda: server.client.indices.exists(index=shared_aliases(names))
        ):
            return inputs, self.articles_expected
        loads_at_once = self.sources.shard.of if self.sources.shard is not None else 1
        return inputs, int(size * loads_at_once / _ARTICLE_BYTES)

    def _begin(self, server: Server, target: Target, checkpoint: Checkpoint) -> None:
        """Create what is missing of a target; believe the server in what an interrupted load has
        stored in it."""
        target.ensure()
        if forgotten := look_again(server, target, checkpoint, checkpoint.resumed):
            self.warn(forgotten)

    def _delete_missing(
        self, sweep: Sweep, report: LoadReport, on_missing: Callable[[MissingArticles], None]
    ) -> None:
        report.planned = sweep.plan()
        if self.delete_many or not report.planned.are_many:
            if report.planned.articles:
                on_missing(report.planned)
            report.missing += sweep.delete()

    @property
    def _reads_a_stream(self) -> bool:
        return STANDARD_INPUT in map(Path, self.sources.paths)

    def _units(self, checkpoint: Checkpoint, *, abstracts: bool) -> Iterator[Unit]:
        for unit in self.sources:
            if _has_abstracts(unit) == abstracts:
                done, finished = checkpoint.resume(unit)
                if done and not finished:
                    rejected = checkpoint.report(unit).quarantined
                    lost = (
                        record.source for record in rejected if has_ended_process(record.reason)
                    )
                    unit = replace(unit, lost=frozenset(lost))
                yield replace(unit, done=done, finished=finished) if done or finished else unit

    def _open_checkpoint(self, server: Server) -> Checkpoint:
        cluster = server.call(lambda: _read_cluster(server.client))
        identity = self._describe_options() | {
            "cluster": cluster,
            "paths": [absolute_source_of(path) for path in self.sources.paths],
            "list": self.sources.list_digest(),
        }
        if self.rebuild:  # it begins anew
            return Checkpoint(None, identity)
        # Two streams that look the same need not be.
        if self.checkpoint is None and self.checkpoints is not None and not self._reads_a_stream:
            digest = hashlib.sha256(orjson.dumps(identity, option=orjson.OPT_SORT_KEYS))
            file = self.checkpoints / f"{digest.hexdigest()[:16]}.checkpoint"
            return Checkpoint(file, identity, self.restart, owned=True)
        return Checkpoint(self.checkpoint, identity, self.restart)

    def _describe_options(self) -> dict[str, Any]:
        settings, shard = self.settings, self.sources.shard
        return {
            "format": self.sources.format,
            "layout": settings.layout,
            "models": [similarity.name for similarity in settings.similarities],
            "lengths": [settings.lengths.shortest, settings.lengths.longest],
            "splitter": settings.splitter_name,
            "zones": self.zoner is not None,
            "corpus": settings.corpus,
            "vocabulary": settings.synonyms.name if settings.synonyms is not None else "",
            "collection": self.collection,
            "shard": f"{shard.number}/{shard.of}" if shard is not None else "",
        }

    def _store_report(self, server: Server, report: LoadReport) -> None:
        """Write the document of this load into the index of loads."""
        paths = [absolute_source_of(p) if p != "-" else p for p in self.sources.paths]
        name = uuid.uuid4().hex
        body = _make_load_entry(name, report, paths, self._describe_options()).to_dict()
        server.call(lambda: server.client.index(index=loads.INDEX, id=name, document=body))


def load_articles(
    client: Elasticsearch,
    readings: Iterable[Article | Rejected],
    settings: DocumentSettings,
    catalogue: Catalogue | None = None,
    on_input: Callable[[int], None] = lambda _: None,
    retry: RetryPolicy | None = None,
    group_readings: int | None = None,
) -> LoadReport:
    """Load articles that are read in this process; the load can't be resumed.

    Args:
        catalogue: of the indices; that of users' articles unless stated otherwise.
        on_input, group_readings: as in `Load`.
        retry: decides how long requests are repeated.

    Raises: as `Load.run`.
    """
    report = LoadReport()
    builder = DocumentBuilder(settings)
    unit = Unit("", "", Path())
    with (
        open_server(client, retry or RetryPolicy(), report) as server,
        Checkpoint(None, {}) as checkpoint,
        hold_lease(server, "evaluate run"),
    ):
        own = Catalogue(server.client, *([catalogue.names] if catalogue is not None else []))
        most = group_readings or builder.writer.group_articles
        target = ArticleTarget(server, own, builder, checkpoint, most)
        target.ensure()
        tagged = ((unit, reading) for reading in chain(readings, [None]))
        builder.check()
        built = builder.build_all(tagged, look_up_complete(server, own))
        events = (Event(unit, reading) for unit, reading in built)
        Loader(target, checkpoint, report, on_input).load(events)
    report.finish()
    return report


def _make_load_entry(
    name: str, report: LoadReport, paths: list[str], options: Mapping[str, Any]
) -> loads.LoadEntry:
    started = datetime.fromtimestamp(datetime.now(UTC).timestamp() - report.seconds, UTC)
    rejected = {"skipped": report.skipped, "quarantined": report.quarantined}
    return loads.LoadEntry(
        load=name,
        started=started.isoformat(timespec="seconds"),
        seconds=round(report.seconds, 3),
        paths=paths,
        options=dict(options),
        inputs=report.inputs,
        indexed=report.indexed,
        unchanged=report.unchanged,
        replaced=report.replaced,
        skipped=len(report.skipped),
        quarantined=len(report.quarantined),
        deleted=report.deleted + report.missing,
        sentences=report.sentences,
        spans=report.spans,
        citations=report.citations,
        reasons=[
            loads.Reason(outcome=outcome, reason=reason, inputs=number)
            for outcome, some in rejected.items()
            for reason, number in list(count_reasons(some).items())[: loads.MOST_REASONS]
        ],
    )


def _read_cluster(client: Elasticsearch) -> str:
    """Return the identity of the cluster.

    Raises:
        UnsettledError: if the node that answers has not joined it yet.
    """
    cluster = str(client.info()["cluster_uuid"])
    if cluster == "_na_":
        raise UnsettledError("the node has not joined its cluster")
    return cluster


def _has_abstracts(unit: Unit) -> bool:
    return unit.reader != AUTO and isinstance(readers[unit.reader], AbstractReader)


def _count_inputs(unit: Unit, before: int) -> int:
    """About how many inputs a unit has: at least so many if it is an archive, of which no more are
    counted once there are `_COUNTED_MEMBERS` with those before."""
    if unit.archive and unit.path.is_file():
        most = max(1, _COUNTED_MEMBERS - before)
        return max(1, count_members(unit.path, most, _COUNTED_BYTES))
    return 1 if unit.reader == AUTO or unit.archive else readers[unit.reader].count(unit.path)
