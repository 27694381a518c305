"""A whole load: from paths to a census."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from elasticsearch import Elasticsearch

from citespan.es_mappings.similarity import Similarity
from citespan.pipelines.corpus.abstract import AbstractReading
from citespan.pipelines.corpus.abstract_reader import AbstractReader
from citespan.pipelines.corpus.article import Article, Rejected
from citespan.pipelines.corpus.reader import Reader, readers
from citespan.pipelines.corpus.recognise import recognise
from citespan.pipelines.errors import InputError
from citespan.pipelines.indexing import capacity
from citespan.pipelines.indexing.abstract_loader import AbstractLoader
from citespan.pipelines.indexing.census import Census
from citespan.pipelines.indexing.loader import Loader
from citespan.pipelines.indexing.synonym_rules import ConceptSynonyms
from citespan.pipelines.indexing.windows import SpanLengths
from citespan.pipelines.text.splitter import splitters

STANDARD_INPUT = Path("-")


@dataclass
class Load:
    """What is to be loaded and how. Names are checked here, before anything is read.

    Attributes:
        paths: files and folders, or `-` for standard input.
        format: a reader's name, or "auto".
        synonyms: for `text.umls`; None for indices without it.

    Raises:
        InputError: for a path that does not exist or whose format can't be told.
        UnknownNameError: for a format or splitter that does not exist.
    """

    paths: Sequence[Path]
    format: str
    similarities: tuple[Similarity, ...]
    lengths: SpanLengths
    splitter: str
    synonyms: ConceptSynonyms | None = None

    def __post_init__(self) -> None:
        self._splitter = splitters[self.splitter]
        self._units: list[tuple[Reader, Path]] = []
        for path in self.paths:
            if path != STANDARD_INPUT and not path.exists():
                raise InputError(f"{path}: no such file or folder")
            reader = recognise(path) if self.format == "auto" else readers[self.format]
            self._units += [(reader, unit) for unit in reader.find(path)]
        if not self._units:
            raise InputError(f"{', '.join(map(str, self.paths))}: nothing to read in there")
        self._article_units = [
            (reader, unit) for reader, unit in self._units if not isinstance(reader, AbstractReader)
        ]

    def inputs(self) -> int:
        """How many inputs there will be; those of standard input can't be known."""
        return sum(reader.count(unit) for reader, unit in self._units)

    def readings(self) -> Iterator[Article | Rejected]:
        """All articles, and all inputs that are none, streaming."""
        for reader, unit in self._article_units:
            yield from reader.read(unit)

    def abstracts(self) -> Iterator[AbstractReading]:
        """The same of the formats whose articles are abstracts, and deletions."""
        for reader, unit in self._units:
            if isinstance(reader, AbstractReader):
                yield from reader.abstracts(unit)

    def run(self, client: Elasticsearch, on_input: Callable[[int], None]) -> Census:
        """Load all of it: articles into span indices, then abstracts into their own.

        Raises:
            ShardLimitError: before anything is written, if the cluster can't hold it.
            ElasticsearchUnreachableError: if the server goes away.
        """
        census = Census()
        if self._article_units:
            capacity.check(client, sum(reader.count(unit) for reader, unit in self._article_units))
            loader = Loader(
                client,
                self.similarities,
                self.lengths,
                self._splitter,
                on_input=on_input,
                census=census,
                synonyms=self.synonyms,
            )
            loader.load(self.readings())
        if len(self._article_units) < len(self._units):
            AbstractLoader(client, self._splitter, on_input, census).load(self.abstracts())
        return census
