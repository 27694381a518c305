"""Bulk loading of articles into span indices.

Making an index costs the server more than filling it, and it makes many at once nearly as fast
as one. So a batch of articles is looked up, made and filled concurrently while the next batch is
being read. At most two batches are in memory, whatever the size of the corpus.

Order of writing: the catalogue entry of an article that is to be replaced goes first, then its
index, then the new index is filled, and the new entry comes last. A load that was interrupted
anywhere is put right by running it again.
"""

from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from datetime import UTC, datetime
from itertools import islice
from threading import BoundedSemaphore

from elasticsearch import ApiError, BadRequestError, Elasticsearch, TransportError

from citespan.es_mappings import articles
from citespan.es_mappings import spans as span_index
from citespan.es_mappings.articles import ArticleEntry
from citespan.es_mappings.index_name import ALL_SPANS
from citespan.es_mappings.similarity import Similarity
from citespan.pipelines.corpus.article import Article, Rejected, Sentence
from citespan.pipelines.errors import CitespanError, ElasticsearchUnreachableError
from citespan.pipelines.indexing import capacity, catalogue
from citespan.pipelines.indexing.census import Census, Outcome
from citespan.pipelines.indexing.preparation import PreparedArticle, bulk_lines, prepare
from citespan.pipelines.indexing.windows import SpanLengths, windows
from citespan.pipelines.server_reason import server_reason, shortened

_BATCH = 16  # articles looked up and made at once
_CONCURRENT_BULKS = 4
_BULK_BYTES = 5_000_000
_RETRIES = 5


@dataclass
class Loader:
    """Loads articles, and counts what became of each.

    Attributes:
        similarities: of the models to be searched with; the vector space must be among them.
        lengths: of the spans.
        split: gives an article's sentences.
        on_input: called with the number of inputs that have just been dealt with.
    """

    client: Elasticsearch
    similarities: tuple[Similarity, ...]
    lengths: SpanLengths
    split: Callable[[Article], tuple[Sentence, ...]]
    on_input: Callable[[int], None] = lambda _: None
    census: Census = field(default_factory=Census)

    def __post_init__(self) -> None:
        self._client = self.client.options(
            max_retries=_RETRIES, retry_on_timeout=True, retry_on_status=(429, 502, 503, 504)
        )
        self._bulk_slots = BoundedSemaphore(_CONCURRENT_BULKS)
        self._sources: dict[str, str] = {}

    def load(self, readings: Iterable[Article | Rejected]) -> Census:
        """Load all articles; what can't be loaded is counted and the rest goes on.

        Raises:
            ElasticsearchUnreachableError: if the server goes away; what is loaded stays.
            CitespanError: if the server refuses the whole load, as for want of permission.
        """
        try:
            catalogue.ensure(self._client)
            self._load_batches(self._prepared(readings))
            self._client.indices.refresh(index=ALL_SPANS)
            self._client.indices.refresh(index=articles.INDEX)
        except TransportError as error:
            raise ElasticsearchUnreachableError(
                f"Elasticsearch went away after {self.census.inputs:,} inputs "
                f"({type(error).__name__}); start it and repeat the command: what is loaded stays"
            ) from error
        except ApiError as error:
            raise CitespanError(
                f"Elasticsearch refused the load: {server_reason(error)}"
            ) from error
        self.census.finish()
        return self.census

    def _prepared(self, readings: Iterable[Article | Rejected]) -> Iterator[PreparedArticle]:
        for reading in readings:
            item = reading if isinstance(reading, Rejected) else self._prepare(reading)
            if isinstance(item, PreparedArticle):
                yield item
            else:
                self.census.reject(item)
                self.on_input(1)

    def _prepare(self, article: Article) -> PreparedArticle | Rejected:
        earlier = self._sources.get(article.id)
        if earlier == article.source:
            return Rejected(article.source, "named twice in this load", outcome="skipped")
        if earlier is not None:
            return Rejected(
                article.source, f"has the id '{article.id}' of {earlier}; give it another"
            )
        self._sources[article.id] = article.source
        sentences = self.split(article)
        if not sentences:
            return Rejected(article.source, "no sentence in it", outcome="skipped")
        return prepare(article, sentences)

    def _load_batches(self, prepared: Iterator[PreparedArticle]) -> None:
        with ThreadPoolExecutor(_BATCH) as pool:
            earlier: list[Future[tuple[PreparedArticle, Outcome | Rejected]]] = []
            while batch := list(islice(prepared, _BATCH)):
                self._finish(earlier)
                earlier = self._start(pool, batch)
            self._finish(earlier)

    def _start(
        self, pool: ThreadPoolExecutor, batch: list[PreparedArticle]
    ) -> list[Future[tuple[PreparedArticle, Outcome | Rejected]]]:
        entries = catalogue.entries(self._client, [p.article.id for p in batch])
        present = self._existing([entry.index for entry in entries.values()])
        futures = []
        stale: dict[str, ArticleEntry | None] = {}
        for prepared in batch:
            entry = entries.get(prepared.article.id)
            if entry is not None and entry.index in present and self._is_current(entry, prepared):
                self._count(prepared, "unchanged")
                continue
            if entry is not None:
                stale[prepared.article.id] = None
            outcome: Outcome = "indexed" if entry is None else "replaced"
            futures.append((prepared, outcome))
        catalogue.write(self._client, stale)
        return [pool.submit(self._write, prepared, outcome) for prepared, outcome in futures]

    def _existing(self, indices: list[str]) -> set[str]:
        if not indices:
            return set()
        found = self._client.indices.get(
            index=indices, ignore_unavailable=True, filter_path="*.aliases"
        )
        return set(found)

    def _is_current(self, entry: ArticleEntry, prepared: PreparedArticle) -> bool:
        return (
            entry.content == prepared.content
            and entry.mapping_version == span_index.VERSION
            and (entry.shortest, entry.longest) == (self.lengths.shortest, self.lengths.longest)
            and {similarity.name for similarity in self.similarities} <= set(entry.models)
        )

    def _write(
        self, prepared: PreparedArticle, outcome: Outcome
    ) -> tuple[PreparedArticle, Outcome | Rejected]:
        try:
            self._make_index(prepared.index)
            problem = self._fill(prepared)
        except BadRequestError as error:
            problem = _refused(error)
        if problem is None:
            return prepared, outcome
        self._client.indices.delete(index=prepared.index, ignore_unavailable=True)
        return prepared, Rejected(prepared.article.source, problem)

    def _make_index(self, index: str) -> None:
        def create() -> None:
            self._client.indices.create(
                index=index,
                mappings=span_index.mapping(self.similarities),
                settings=span_index.settings(self.similarities),
                wait_for_active_shards=0,  # the first bulk request waits for it anyway
            )

        try:
            create()
        except BadRequestError as error:
            if error.error != "resource_already_exists_exception":
                raise
            self._client.indices.delete(index=index)
            create()

    def _fill(self, prepared: PreparedArticle) -> str | None:
        """Write the spans; the first problem in one line, if any."""
        for lines in _chunks(bulk_lines(prepared, self.lengths)):
            with self._bulk_slots:
                response = self._client.bulk(
                    index=prepared.index,
                    operations=lines,  # type: ignore[arg-type]  # ready-made JSON
                    filter_path="errors,items.*.error",
                )
            if response["errors"]:
                error = next(r["error"] for i in response["items"] for r in i.values() if r)
                return f"Elasticsearch refused a span of it: {shortened(error.get('reason'))}"
        return None

    def _finish(self, futures: list[Future[tuple[PreparedArticle, Outcome | Rejected]]]) -> None:
        written: dict[str, ArticleEntry | None] = {}
        results = [future.result() for future in futures]
        for prepared, outcome in results:
            if not isinstance(outcome, Rejected):
                written[prepared.article.id] = self._entry(prepared)
        catalogue.write(self._client, written)
        for prepared, outcome in results:
            self._count(prepared, outcome)

    def _entry(self, prepared: PreparedArticle) -> ArticleEntry:
        article = prepared.article
        return ArticleEntry(
            article=article.id,
            also_known_as=list(article.also_known_as),
            title=article.title,
            source=article.source,
            content=prepared.content,
            layout="spans",
            index=prepared.index,
            mapping_version=span_index.VERSION,
            models=[similarity.name for similarity in self.similarities],
            shortest=self.lengths.shortest,
            longest=self.lengths.longest,
            characters=len(article.text),
            sentences=len(prepared.sentences),
            spans=len(windows(len(prepared.sentences), self.lengths)),
            loaded=datetime.now(UTC).isoformat(timespec="seconds"),
        )

    def _count(self, prepared: PreparedArticle, outcome: Outcome | Rejected) -> None:
        if isinstance(outcome, Rejected):
            self.census.reject(outcome)
        else:
            count = len(prepared.sentences)
            self.census.count(outcome, count, len(windows(count, self.lengths)))
        self.on_input(1)


def _chunks(lines: list[bytes]) -> Iterator[list[bytes]]:
    """Runs of action-and-document pairs of about five megabytes."""
    chunk: list[bytes] = []
    size = 0
    for at in range(0, len(lines), 2):
        pair = lines[at : at + 2]
        if chunk and size + len(pair[1]) > _BULK_BYTES:
            yield chunk
            chunk, size = [], 0
        chunk += pair
        size += len(pair[1])
    if chunk:
        yield chunk


def _refused(error: ApiError) -> str:
    reason = server_reason(error)
    remedy = f"; {capacity.REMEDY}" if "maximum normal shards open" in reason else ""
    return f"Elasticsearch refused an index for it: {reason}{remedy}"
