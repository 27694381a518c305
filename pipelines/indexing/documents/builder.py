"""Turns articles into documents, in whichever process reads them."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any, TypeVar

import orjson

from citespan.es_mappings.articles import ArticleEntry, Source
from citespan.pipelines.citing.citations import (
    ArticleCitations,
    Citation,
    bound_sentence,
    find_in_sentences,
    make_query,
)
from citespan.pipelines.corpus.abstract import Abstract, Deletion
from citespan.pipelines.corpus.article import Article, Rejected
from citespan.pipelines.corpus.files import STANDARD_INPUT, absolute_source_of, source_of
from citespan.pipelines.corpus.publication import Publication, describe_notices
from citespan.pipelines.errors import CitespanError, MachineError
from citespan.pipelines.indexing.documents.content import hash_content
from citespan.pipelines.indexing.documents.prepared import Documents, PreparedArticle
from citespan.pipelines.indexing.documents.settings import DocumentSettings
from citespan.pipelines.indexing.documents.windows import window_count
from citespan.pipelines.indexing.layout import writer_of
from citespan.pipelines.store.edition import EDITION, Place, make_action
from citespan.pipelines.store.layout import layouts
from citespan.pipelines.store.operation import join_pieces
from citespan.pipelines.text.splitter import check_splitter, split_article


def build_citations(found: ArticleCitations) -> Iterator[bytes]:
    """Yield for each citation two lines of a bulk request: action and document."""
    pair = make_action(found.article.id) + b'\n{"edition":"%s",%%s' % EDITION
    for number, citation in enumerate(found.citations):
        yield pair % (number, orjson.dumps(_describe(found, citation, number))[1:])


def _describe(found: ArticleCitations, citation: Citation, number: int) -> dict[str, Any]:
    text, marker, section = found.article.text, citation.marker, citation.sentence.section
    start, end = bound_sentence(citation)
    described: dict[str, Any] = {
        "article": found.article.id,
        "number": number,
        "citation": citation.id,
        "section": section.name if section is not None else "",
        "start": start,
        "end": end,
        "text": text[start:end],
        "query": make_query(text, citation),
        "marker": text[marker.start : marker.end],
        "marker_start": marker.start,
        "marker_end": marker.end,
        "name": citation.name,
    }
    if citation.reference is not None:
        described["reference"] = citation.reference.key
        described |= _describe_publication(citation.reference.publication)
    return described


def _describe_publication(publication: Publication) -> dict[str, Any]:
    """Return what is known of a publication, as far as references are resolved by it."""
    known = {
        "author": publication.authors[0] if publication.authors else "",
        "title": publication.title,
        "year": publication.year,
        "journal": publication.journal,
        "pmid": publication.pmid,
        "pmcid": publication.pmcid,
        "doi": publication.doi,
    }
    return {name: value for name, value in known.items() if value}


LookUp = Callable[[Sequence[str]], Mapping[str, ArticleEntry]]
"""Returns the entries of those articles that are loaded with all their documents."""

Tag = TypeVar("Tag")
Prepared = PreparedArticle | Abstract | Deletion | Rejected | None
Unprepared = Article | Prepared

LOOKED_UP = 32
_MOST_CHARACTERS = 8_000_000


class DocumentBuilder:
    """Builds the documents of articles.

    Raises:
        UnknownNameError: for a layout that does not exist.
        VocabularyError: if the settings name a vocabulary that does not exist.
    """

    def __init__(self, settings: DocumentSettings) -> None:
        self.settings = settings
        self.layout = layouts[settings.layout]
        self.writer = writer_of(settings.layout)
        self._splitter = settings.splitter
        _ = settings.synonyms

    def check(self) -> None:
        """Check that articles can be split, before the first one is. It imports what does that,
        which only processes that read need.

        Raises:
            MachineError: if the model of the sentence splitter is damaged.
            CitespanError: if the library that it needs is not installed.
        """
        check_splitter(self._splitter)

    def build_all(
        self, readings: Iterable[tuple[Tag, Unprepared]], look_up: LookUp, at_once: int = LOOKED_UP
    ) -> Iterator[tuple[Tag, Prepared]]:
        """Yield all readings in their order, articles with their documents.

        Args:
            readings: each with something that is yielded with it; what is no article that is still
                to be built, and abstracts, are yielded as they are.
            look_up: finds the present entries of articles.
            at_once: how many articles are looked up together.
        """
        waiting: list[tuple[Tag, Unprepared]] = []
        characters = 0
        for tag, reading in readings:
            if isinstance(reading, Article):
                characters += len(reading.text)
            waiting.append((tag, reading))
            if len(waiting) >= at_once or characters >= _MOST_CHARACTERS:
                yield from self._build_some(waiting, look_up)
                waiting, characters = [], 0
        yield from self._build_some(waiting, look_up)

    def _build_some(
        self, readings: list[tuple[Tag, Unprepared]], look_up: LookUp
    ) -> Iterator[tuple[Tag, Prepared]]:
        wanted = [
            reading.id
            for _, reading in readings
            if isinstance(reading, Article) and not isinstance(reading, Abstract)
        ]
        entries = look_up(wanted) if wanted else {}
        for tag, reading in readings:
            if not isinstance(reading, Article) or isinstance(reading, Abstract):
                yield tag, reading
                continue
            try:
                yield tag, self._build(reading, entries.get(reading.id))
            except (MachineError, MemoryError):
                raise
            except Exception as error:  # noqa: BLE001  an article must not end a load of thousands
                yield tag, reject_unexpected(reading.source, error)

    def _build(self, article: Article, entry: ArticleEntry | None) -> PreparedArticle | Rejected:
        content, path = hash_content(article, self._splitter), find_absolute(article.source)
        unchanged = moved = False
        if entry is not None and self.is_current(entry, content):
            unchanged = True
            moved = self.is_moved(list(entry.source or ()), path, article.digest)
            number, citations = int(entry.sentences), int(entry.citations or 0)
            documents = Documents()
        else:
            found = split_article(article, self._splitter)
            if not found:
                return Rejected(article.source, "no sentence in it", outcome="skipped")
            cited = find_in_sentences(article, found)
            number, citations = len(found), len(cited.citations)
            documents = replace(
                self.writer.build(article, found, self.settings),
                citations=list(join_pieces(build_citations(cited))),
            )
        return PreparedArticle(
            id=article.id,
            title=article.title,
            also_known_as=article.also_known_as,
            publication=article.publication,
            source=article.source,
            path=path,
            content=content,
            characters=len(article.text),
            sentences=number,
            spans=window_count(number, self.settings.lengths),
            citations=citations,
            unchanged=unchanged,
            moved=moved,
            text="" if unchanged and not moved else article.text,
            pages=article.pages,
            digest=article.digest,
            documents=documents,
        )

    def pass_over(self, entry: ArticleEntry, source: str) -> PreparedArticle | None:
        """Return the article of an entry as one that is unchanged and has not been read; None if it
        was stored by other settings.

        Args:
            source: where the bytes are that it was read from.
        """
        if not self.is_current(entry, entry.content):
            return None
        return PreparedArticle(
            id=entry.article,
            title="",
            also_known_as=(),
            publication=Publication(),
            source=source,
            path=find_absolute(source),
            content=entry.content,
            characters=int(entry.characters),
            sentences=int(entry.sentences),
            spans=int(entry.spans),
            citations=int(entry.citations or 0),
            unchanged=True,
        )

    def is_current(self, entry: ArticleEntry, content: str) -> bool:
        """Whether an entry describes an article of that content, stored by these settings."""
        lengths = self.settings.lengths
        return self.has_documents(entry, content) and (
            (entry.shortest, entry.longest) == (lengths.shortest, lengths.longest)
        )

    def has_documents(self, entry: ArticleEntry, content: str) -> bool:
        """Whether the documents of an entry are those of the article by these settings, though the
        entry may name other lengths of spans."""
        return (
            entry.content == content
            and entry.layout == self.layout.name
            and entry.mapping_version == self.layout.version
            and self.writer.is_current(entry, self.settings)
        )

    def is_moved(self, sources: Sequence[Source], path: str, digest: str = "") -> bool:
        """Whether an article was not read from there before, or not from bytes of that digest."""
        here = self.settings.corpus, path
        return all(
            (source.corpus, source.path) != here or digest not in ("", source.digest)
            for source in sources
        )

    def add_source(self, sources: Sequence[Source], article: PreparedArticle) -> list[Source]:
        """Return the places that an article was read from, the latest first, each once."""
        path, corpus = article.path, self.settings.corpus
        latest = Source(corpus=corpus, unit=article.unit or path, path=path, digest=article.digest)
        return [latest, *(source for source in sources if self.is_moved([source], path))]

    def make_entry(
        self, article: PreparedArticle, place: Place, lengths: list[int], sources: Sequence[Source]
    ) -> ArticleEntry:
        """Return the catalogue's entry of an article that is written.

        Args:
            lengths: number of terms of each of its sentences, if the layout needs it.
            sources: where it was read from by earlier loads, maybe with another content.
        """
        publication = article.publication
        for source in sources:
            source.digest = ""
        return ArticleEntry(
            article=article.id,
            also_known_as=list(article.also_known_as),
            title=article.title,
            authors=list(publication.authors),
            year=publication.year,
            journal=publication.journal,
            pmid=publication.pmid,
            pmcid=publication.pmcid,
            doi=publication.doi,
            found_by=list(publication.keys),
            source=self.add_source(sources, article),
            content=article.content,
            layout=place.layout,
            index=place.index,
            mapping_version=self.layout.version,
            edition=place.edition,
            lengths=lengths,
            shortest=self.settings.lengths.shortest,
            longest=self.settings.lengths.longest,
            characters=article.characters,
            sentences=article.sentences,
            spans=article.spans,
            citations=article.citations,
            pages=[number for start in article.pages for number in start],
            loaded=datetime.now(UTC).isoformat(timespec="seconds"),
            **describe_notices(publication),
            **self.writer.describe(self.settings),
        )


def reject_unexpected(source: str, error: Exception) -> Rejected:
    """Return an input at which the program failed, with the reason."""
    if isinstance(error, CitespanError):
        return Rejected(source, str(error))
    reason = " ".join(f"{type(error).__name__}: {error}".split())
    return Rejected(source, f"unexpected {reason[:300]}; please report it")


def find_absolute(source: str) -> str:
    """Return where an article was read from, whatever the working folder is."""
    return source if source == source_of(STANDARD_INPUT) else absolute_source_of(source)
