"""Bulk loading of articles: groups of them are written, made searchable, then put into the
catalogue.

Order of writing: what is about to be written is noted in the checkpoint; then come the documents,
a refresh, the entries of the catalogue, the deletion of what they replace, and the checkpoint.
Wherever a load ends, at most one group is sent twice when it is resumed, and nothing is counted
twice. The entry switches searches over to an article's new edition, or to its new index.
"""

import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from elasticsearch import Elasticsearch

from citespan.es_mappings import articles
from citespan.es_mappings.similarity import Similarity
from citespan.pipelines.corpus.article import Article, Rejected
from citespan.pipelines.indexing import catalogue
from citespan.pipelines.indexing.census import Census
from citespan.pipelines.indexing.documents.prepared import Prepared
from citespan.pipelines.indexing.documents.preparer import Layout, Preparer
from citespan.pipelines.indexing.documents.synonym_rules import ConceptSynonyms
from citespan.pipelines.indexing.documents.windows import SpanLengths
from citespan.pipelines.indexing.known_articles import known_articles
from citespan.pipelines.indexing.reading.unit import Event, Unit
from citespan.pipelines.indexing.writing.article_writer import ArticleWriter
from citespan.pipelines.indexing.writing.bulk_sender import BulkSender, load_sender
from citespan.pipelines.indexing.writing.checkpoint import Checkpoint
from citespan.pipelines.indexing.writing.group import Group
from citespan.pipelines.indexing.writing.patience import Patience, without_retries
from citespan.pipelines.indexing.writing.sentence_writer import SentenceWriter
from citespan.pipelines.indexing.writing.span_writer import SpanWriter
from citespan.pipelines.text.splitter import Splitter

GROUP_ARTICLES = {"spans": 16, "sentences": 256}
"""How many articles are committed together at most: few where each has an index to be made, so
that the next ones are read meanwhile."""
_FIRST_ARTICLES = 16  # of the first group, so that the server has something to do soon
_GROUP_BYTES = 32 * 2**20
_GROUP_SECONDS = 10.0


@dataclass
class Loader:
    """Loads articles, and counts what became of each.

    Attributes:
        similarities: of the models to be searched with; the vector space must be among them.
        lengths: of the spans.
        splitter: for articles whose format does not bring its own sentences.
        synonyms: for `text.umls`; None for indices without it.
        on_input: called with the number of inputs that have just been dealt with.
        patience: with the server.
        expected: how many articles there will be in all, in the layout `sentences`.
        group_articles: how many articles are committed together at most; None for as many as
            suit the layout.
    """

    client: Elasticsearch
    similarities: tuple[Similarity, ...]
    lengths: SpanLengths
    splitter: Splitter
    on_input: Callable[[int], None] = lambda _: None
    census: Census = field(default_factory=Census)
    synonyms: ConceptSynonyms | None = None
    layout: Layout = "spans"
    patience: Patience = field(default_factory=Patience)
    expected: int = 0
    group_articles: int | None = None

    def __post_init__(self) -> None:
        self._client = without_retries(self.client)
        self.preparer = Preparer(
            self.layout, self.similarities, self.lengths, self.splitter, self.synonyms
        )

    def load(self, readings: Iterable[Article | Rejected]) -> Census:
        """Load articles that are read in this process, not to be resumed.

        Raises: as `load_events`.
        """
        unit = Unit("", "", Path())

        def events() -> Iterator[Event]:
            known = known_articles(self._client, self.patience)
            tagged = ((unit, reading) for reading in readings)
            for _, reading in self.preparer.prepare_all(tagged, known):
                yield Event(unit, reading)
            yield Event(unit, None)

        with Checkpoint(None, {}) as checkpoint:
            return self.load_events(events(), checkpoint)

    def load_events(self, events: Iterable[Event], checkpoint: Checkpoint) -> Census:
        """Load all articles; what can't be loaded is counted and the rest goes on.

        Raises:
            ElasticsearchUnreachableError: if the server goes away; what is loaded stays.
            CitespanError: if the server refuses the whole load, as for want of permission, or
                the checkpoint can't be written.
        """
        with load_sender(self._client, self.patience, self.census) as sender:
            self.patience.call(lambda: catalogue.ensure(self._client))
            writer = self._writer(sender)
            writer.ensure()
            group = Group(self._client, self.patience, sender, self.preparer, writer, checkpoint)
            for part in self._groups(events):
                self._count(group.commit(part))
            group.settle()
            self.patience.call(lambda: self._client.indices.refresh(index=articles.INDEX))
        self.census.finish()
        return self.census

    def _writer(self, sender: BulkSender) -> ArticleWriter:
        if self.layout == "sentences":
            return SentenceWriter(self._client, self.patience, sender, self.expected)
        return SpanWriter(self._client, self.patience, sender, self.similarities, self.lengths)

    def _groups(self, events: Iterable[Event]) -> Iterator[list[Event]]:
        group: list[Event] = []
        size = 0
        started = time.monotonic()
        largest = self.group_articles or GROUP_ARTICLES[self.layout]
        most = min(_FIRST_ARTICLES, largest)
        for event in events:
            group.append(event)
            size += event.reading.size if isinstance(event.reading, Prepared) else 0
            if (
                len(group) >= most
                or size >= _GROUP_BYTES
                or time.monotonic() - started > _GROUP_SECONDS
            ):
                yield group
                group, size, started = [], 0, time.monotonic()
                most = min(2 * most, largest)
        if group:
            yield group

    def _count(self, census: Census) -> None:
        self.census.add(census)
        self.on_input(census.inputs)
