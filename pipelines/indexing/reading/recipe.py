"""How articles are to be made ready, in a form that can be sent to another process."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from elasticsearch import Elasticsearch

from citespan.es_mappings.similarity import Similarity
from citespan.pipelines.indexing.documents.preparer import Layout, Preparer
from citespan.pipelines.indexing.documents.synonym_rules import ConceptSynonyms
from citespan.pipelines.indexing.documents.windows import SpanLengths
from citespan.pipelines.text.splitter import splitters
from citespan.pipelines.vocabulary.concept_filter import ConceptFilter
from citespan.pipelines.vocabulary.matching import Matcher
from citespan.pipelines.vocabulary.store import open_vocabulary


@dataclass(frozen=True)
class SynonymSource:
    """Where the synonyms come from.

    Attributes:
        vocabulary: folder of a concept store.
        sources, types: as in `ConceptFilter`.
    """

    vocabulary: Path
    sources: tuple[str, ...] | None = None
    types: tuple[str, ...] = ()

    def open(self) -> ConceptSynonyms:
        """The synonyms.

        Raises:
            VocabularyError: if there is no vocabulary there.
        """
        filter_ = ConceptFilter(self.sources, self.types)
        return ConceptSynonyms(Matcher(open_vocabulary(self.vocabulary), filter_))


@dataclass(frozen=True)
class Recipe:
    """How articles are made ready.

    Attributes:
        splitter: its name.
        connect: makes a client of the server; one that can be pickled.

    Raises:
        UnknownNameError: for a splitter that does not exist.
    """

    layout: Layout
    similarities: tuple[Similarity, ...]
    lengths: SpanLengths
    splitter: str
    synonyms: SynonymSource | None
    connect: Callable[[], Elasticsearch]

    def __post_init__(self) -> None:
        splitters[self.splitter]

    def preparer(self) -> Preparer:
        """What makes them ready.

        Raises:
            VocabularyError: if there is no such vocabulary.
        """
        return Preparer(
            self.layout,
            self.similarities,
            self.lengths,
            splitters[self.splitter],
            self.synonyms.open() if self.synonyms is not None else None,
        )
