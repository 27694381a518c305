"""Bulk loading of articles into span indices.

Making an index costs the server more than filling it, and it makes many at once nearly as fast
as one. So the indices of a batch of articles are made concurrently while the articles are split
into sentences here, and filled while the next batch is read. At most two batches are in memory,
whatever the size of the corpus.

Order of writing: the catalogue entry of an article that is to be replaced goes first, then its
index, then the new index is filled, and the new entry comes last. A load that was interrupted
anywhere is put right by running it again.
"""

from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from datetime import UTC, datetime
from itertools import islice

from elasticsearch import Elasticsearch

from citespan.es_mappings import articles
from citespan.es_mappings import spans as span_index
from citespan.es_mappings.articles import ArticleEntry
from citespan.es_mappings.index_name import spans_index
from citespan.es_mappings.similarity import Similarity
from citespan.pipelines.corpus.article import Article, Rejected
from citespan.pipelines.indexing import catalogue
from citespan.pipelines.indexing.census import Census, Outcome
from citespan.pipelines.indexing.preparation import bulk_lines, content_hash
from citespan.pipelines.indexing.server import failures_told, patient
from citespan.pipelines.indexing.span_writer import SpanWriter
from citespan.pipelines.indexing.synonym_rules import ConceptSynonyms
from citespan.pipelines.indexing.windows import SpanLengths, windows
from citespan.pipelines.text.sentences import sentences
from citespan.pipelines.text.splitter import Splitter

_BATCH = 32  # articles looked up and made at once
_CONCURRENT_BULKS = 4


@dataclass
class _Writing:
    """An article on its way into its index; `refused` is why the server won't have it."""

    article: Article
    content: str
    outcome: Outcome
    made: Future[str | None]
    sentences: int = 0
    filled: Future[str | None] | None = None


@dataclass
class Loader:
    """Loads articles, and counts what became of each.

    Attributes:
        similarities: of the models to be searched with; the vector space must be among them.
        lengths: of the spans.
        splitter: for articles whose format does not bring its own sentences.
        synonyms: for `text.umls`; None for indices without it.
        on_input: called with the number of inputs that have just been dealt with.
    """

    client: Elasticsearch
    similarities: tuple[Similarity, ...]
    lengths: SpanLengths
    splitter: Splitter
    on_input: Callable[[int], None] = lambda _: None
    census: Census = field(default_factory=Census)
    synonyms: ConceptSynonyms | None = None

    def __post_init__(self) -> None:
        self._client = patient(self.client)
        self._writer = SpanWriter(self._client, self.similarities)
        self._sources: dict[str, str] = {}

    def load(self, readings: Iterable[Article | Rejected]) -> Census:
        """Load all articles; what can't be loaded is counted and the rest goes on.

        Raises:
            ElasticsearchUnreachableError: if the server goes away; what is loaded stays.
            CitespanError: if the server refuses the whole load, as for want of permission.
        """
        with failures_told(self.census):
            catalogue.ensure(self._client)
            self._load_batches(self._accepted(readings))
            self._client.indices.refresh(index=articles.INDEX)
        self.census.finish()
        return self.census

    def _accepted(self, readings: Iterable[Article | Rejected]) -> Iterator[Article]:
        for reading in readings:
            rejected = reading if isinstance(reading, Rejected) else self._seen_before(reading)
            if rejected is not None:
                self._reject(rejected)
            elif isinstance(reading, Article):
                yield reading

    def _seen_before(self, article: Article) -> Rejected | None:
        earlier = self._sources.get(article.id)
        if earlier is None:
            self._sources[article.id] = article.source
            return None
        if earlier == article.source:
            return Rejected(article.source, "named twice in this load", outcome="skipped")
        return Rejected(article.source, f"has the id '{article.id}' of {earlier}; give it another")

    def _load_batches(self, accepted: Iterator[Article]) -> None:
        with (
            ThreadPoolExecutor(_BATCH) as makers,
            ThreadPoolExecutor(_CONCURRENT_BULKS) as fillers,
        ):
            earlier: list[_Writing] = []
            while batch := list(islice(accepted, _BATCH)):
                current = self._start(makers, batch)
                for writing in current:
                    self._split_and_fill(fillers, writing)
                self._finish(earlier)
                earlier = current
            self._finish(earlier)

    def _start(self, makers: ThreadPoolExecutor, batch: list[Article]) -> list[_Writing]:
        """Count what is loaded already, and have indices made for the others."""
        entries = catalogue.entries(self._client, [article.id for article in batch])
        present = self._existing([entry.index for entry in entries.values()])
        wanted: list[tuple[Article, str, Outcome]] = []
        for article in batch:
            content = content_hash(article, self.splitter)
            entry = entries.get(article.id)
            if entry is None:
                wanted.append((article, content, "indexed"))
            elif entry.index in present and self._is_current(entry, content):
                self.census.count("unchanged", entry.sentences, entry.spans)
                self.on_input(1)
            else:
                wanted.append((article, content, "replaced"))
        stale = [article.id for article, _, outcome in wanted if outcome == "replaced"]
        catalogue.write(self._client, dict.fromkeys(stale))
        return [
            _Writing(article, content, outcome, makers.submit(self._make, article))
            for article, content, outcome in wanted
        ]

    def _make(self, article: Article) -> str | None:
        rules = None if self.synonyms is None else self.synonyms.rules_for(article.text)
        return self._writer.make(spans_index(article.id), rules)

    def _existing(self, indices: list[str]) -> set[str]:
        if not indices:
            return set()
        found = self._client.indices.get(
            index=indices, ignore_unavailable=True, filter_path="*.aliases"
        )
        return set(found)

    def _is_current(self, entry: ArticleEntry, content: str) -> bool:
        return (
            entry.content == content
            and entry.mapping_version == span_index.VERSION
            and (entry.shortest, entry.longest) == (self.lengths.shortest, self.lengths.longest)
            and (self.synonyms is None or entry.vocabulary == self.synonyms.name)
            and {similarity.name for similarity in self.similarities} <= set(entry.models)
        )

    def _split_and_fill(self, fillers: ThreadPoolExecutor, writing: _Writing) -> None:
        found = sentences(writing.article, self.splitter)
        writing.sentences = len(found)
        lines = bulk_lines(writing.article, found, self.lengths)

        def fill() -> str | None:
            return writing.made.result() or self._writer.fill(
                spans_index(writing.article.id), lines
            )

        if found:
            writing.filled = fillers.submit(fill)

    def _finish(self, writings: list[_Writing]) -> None:
        """Wait for a batch, put the articles that are written into the catalogue, count all."""
        written: dict[str, ArticleEntry | None] = {}
        refused: list[Rejected] = []
        for writing in writings:
            source = writing.article.source
            if writing.filled is None:
                writing.made.result()
                refused.append(Rejected(source, "no sentence in it", outcome="skipped"))
            elif problem := writing.filled.result():
                refused.append(Rejected(source, problem))
            else:
                written[writing.article.id] = self._entry(writing)
                continue
            self._writer.delete(spans_index(writing.article.id))
        catalogue.write(self._client, written)
        for writing in writings:
            entry = written.get(writing.article.id)
            if entry is not None:
                self.census.count(writing.outcome, entry.sentences, entry.spans)
                self.on_input(1)
        for rejected in refused:
            self._reject(rejected)

    def _reject(self, rejected: Rejected) -> None:
        self.census.reject(rejected)
        self.on_input(1)

    def _entry(self, writing: _Writing) -> ArticleEntry:
        article = writing.article
        return ArticleEntry(
            article=article.id,
            also_known_as=list(article.also_known_as),
            title=article.title,
            source=article.source,
            content=writing.content,
            layout="spans",
            index=spans_index(article.id),
            mapping_version=span_index.VERSION,
            models=[similarity.name for similarity in self.similarities],
            vocabulary="" if self.synonyms is None else self.synonyms.name,
            shortest=self.lengths.shortest,
            longest=self.lengths.longest,
            characters=len(article.text),
            sentences=writing.sentences,
            spans=len(windows(writing.sentences, self.lengths)),
            loaded=datetime.now(UTC).isoformat(timespec="seconds"),
        )
