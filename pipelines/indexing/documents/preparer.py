"""Makes articles ready in one layout, in whichever process reads them."""

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Literal, TypeVar

from citespan.es_mappings import sentences as sentence_index
from citespan.es_mappings import spans as span_index
from citespan.es_mappings.articles import ArticleEntry
from citespan.es_mappings.index_name import edition
from citespan.es_mappings.similarity import Similarity
from citespan.pipelines.corpus.article import Article, Rejected
from citespan.pipelines.corpus.files import STANDARD_INPUT, source_of
from citespan.pipelines.indexing.documents.preparation import content_hash, span_operations
from citespan.pipelines.indexing.documents.prepared import Prepared
from citespan.pipelines.indexing.documents.sentence_documents import (
    sentence_lengths,
    sentence_operations,
)
from citespan.pipelines.indexing.documents.synonym_rules import ConceptSynonyms
from citespan.pipelines.indexing.documents.windows import SpanLengths, window_count
from citespan.pipelines.indexing.writing.operation import pieces
from citespan.pipelines.text.sentences import sentences
from citespan.pipelines.text.splitter import Splitter

Layout = Literal["spans", "sentences"]

Known = Callable[[Sequence[str]], Mapping[str, ArticleEntry]]
"""The entries of those articles that are loaded, and whose index is there."""

Tag = TypeVar("Tag")

LOOKED_UP = 32
_MOST_CHARACTERS = 8_000_000
_VERSIONS = {"spans": span_index.VERSION, "sentences": sentence_index.VERSION}


@dataclass(frozen=True)
class Preparer:
    """Makes articles ready.

    Attributes:
        similarities: in the layout `spans`, of the models to be searched with; the vector space
            must be among them.
        lengths: of the spans.
        splitter: for articles whose format does not bring its own sentences.
        synonyms: in the layout `spans`, for `text.umls`; None for indices without it.
    """

    layout: Layout
    similarities: tuple[Similarity, ...]
    lengths: SpanLengths
    splitter: Splitter
    synonyms: ConceptSynonyms | None = None

    def prepare_all(
        self,
        readings: Iterable[tuple[Tag, Article | Rejected | None]],
        known: Known,
        at_once: int = LOOKED_UP,
    ) -> Iterator[tuple[Tag, Prepared | Rejected | None]]:
        """All readings in their order.

        Args:
            readings: each with something that is given back with it; None is given back too.
            at_once: how many are looked up together.
        """
        waiting: list[tuple[Tag, Article | Rejected | None]] = []
        characters = 0
        for tag, reading in readings:
            waiting.append((tag, reading))
            characters += len(reading.text) if isinstance(reading, Article) else 0
            if len(waiting) >= at_once or characters >= _MOST_CHARACTERS:
                yield from self._prepare_some(waiting, known)
                waiting, characters = [], 0
        yield from self._prepare_some(waiting, known)

    def _prepare_some(
        self, readings: list[tuple[Tag, Article | Rejected | None]], known: Known
    ) -> Iterator[tuple[Tag, Prepared | Rejected | None]]:
        entries = known([one.id for _, one in readings if isinstance(one, Article)])
        for tag, one in readings:
            if not isinstance(one, Article):
                yield tag, one
                continue
            try:
                yield tag, self._prepare(one, entries.get(one.id))
            except Exception as error:  # noqa: BLE001  an article must not end a load of thousands
                yield tag, unexpected(one.source, error)

    def _prepare(self, article: Article, entry: ArticleEntry | None) -> Prepared | Rejected:
        content = content_hash(article, self.splitter)
        if entry is not None and self.is_current(entry, content):
            return self._prepared(article, content, int(entry.sentences), unchanged=True)
        found = sentences(article, self.splitter)
        if not found:
            return Rejected(article.source, "no sentence in it", outcome="skipped")
        prepared = self._prepared(article, content, len(found))
        if self.layout == "spans":
            prepared.documents.extend(pieces(span_operations(article, found, self.lengths)))
            return prepared
        prepared.documents.extend(pieces(sentence_operations(article, found, prepared.edition)))
        prepared.lengths.extend(sentence_lengths(article, found))
        prepared.unknown.extend(
            article.text[sentence.start : sentence.end]
            for sentence, length in zip(found, prepared.lengths, strict=True)
            if length is None
        )
        return prepared

    def _prepared(
        self, article: Article, content: str, number: int, unchanged: bool = False
    ) -> Prepared:
        synonyms = None
        if self.synonyms is not None and self.layout == "spans" and not unchanged:
            synonyms = self.synonyms.rules_for(article.text)
        return Prepared(
            id=article.id,
            title=article.title,
            also_known_as=article.also_known_as,
            source=article.source,
            content=content,
            characters=len(article.text),
            sentences=number,
            spans=window_count(number, self.lengths),
            unchanged=unchanged,
            edition=edition(article.id, content) if self.layout == "sentences" else "",
            synonyms=synonyms,
        )

    def is_current(self, entry: ArticleEntry, content: str) -> bool:
        """Whether an article of that content is loaded just so by this entry."""
        if (
            entry.content != content
            or entry.layout != self.layout
            or entry.mapping_version != _VERSIONS[self.layout]
            or (entry.shortest, entry.longest) != (self.lengths.shortest, self.lengths.longest)
        ):
            return False
        return self.layout == "sentences" or (
            (self.synonyms is None or entry.vocabulary == self.synonyms.name)
            and {similarity.name for similarity in self.similarities} <= set(entry.models)
        )

    def entry(self, prepared: Prepared, index: str, lengths: list[int]) -> ArticleEntry:
        """What the catalogue is to say of an article that is written.

        Args:
            index: where its documents are.
            lengths: terms of each of its sentences, in the layout `sentences`.
        """
        spans = self.layout == "spans"
        vocabulary = self.synonyms.name if spans and self.synonyms is not None else ""
        return ArticleEntry(
            article=prepared.id,
            also_known_as=list(prepared.also_known_as),
            title=prepared.title,
            source=absolute(prepared.source),
            content=prepared.content,
            layout=self.layout,
            index=index,
            mapping_version=_VERSIONS[self.layout],
            models=[similarity.name for similarity in self.similarities] if spans else [],
            vocabulary=vocabulary,
            edition=prepared.edition,
            lengths=lengths,
            shortest=self.lengths.shortest,
            longest=self.lengths.longest,
            characters=prepared.characters,
            sentences=prepared.sentences,
            spans=prepared.spans,
            # to the microsecond, so that a load can tell its own entry from another's
            loaded=datetime.now(UTC).isoformat(timespec="microseconds"),
        )


def unexpected(source: str, error: Exception) -> Rejected:
    """An input at which the program failed."""
    told = " ".join(f"{type(error).__name__}: {error}".split())
    return Rejected(source, f"unexpected {told[:300]}; please report it")


def absolute(source: str) -> str:
    """Where an article was read from, whatever the working folder is."""
    return source if source == source_of(STANDARD_INPUT) else os.path.abspath(source)  # noqa: PTH100
