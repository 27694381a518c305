"""The layout `sentences`: indices shared by all articles, and a document for each sentence."""

from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from typing import Any

import orjson
from elasticsearch import Elasticsearch

from citespan.es_mappings import sentences as mappings
from citespan.es_mappings.articles import ArticleEntry
from citespan.es_mappings.index_name import IndexNames, slug_of
from citespan.pipelines.corpus.article import Article, Sentence
from citespan.pipelines.errors import CitespanError
from citespan.pipelines.indexing.documents.content import name_sections
from citespan.pipelines.indexing.documents.prepared import Documents
from citespan.pipelines.indexing.documents.settings import DocumentSettings
from citespan.pipelines.indexing.layouts.layout import Writing, layouts
from citespan.pipelines.indexing.sentence_indices import (
    assign_index,
    ensure_sentence_indices,
    find_sentence_indices,
)
from citespan.pipelines.indexing.stored_sentences import (
    SentenceDocuments,
    read_articles,
    read_sentences,
)
from citespan.pipelines.store.analysis import server_lengths
from citespan.pipelines.store.edition import (
    EDITION,
    Place,
    Stored,
    delete_documents,
    find_short,
    make_action,
    write_edition,
)
from citespan.pipelines.store.operation import join_pieces
from citespan.pipelines.store.server import Server
from citespan.pipelines.text import lucene

_ANALYSED_AT_ONCE = 50  # about what fits into one request, which is the unit of repetition


@layouts.register
class SentencesLayout:
    name = "sentences"
    description = "shared indices, a document for each sentence"
    version = mappings.VERSION
    group_articles = 256

    def build(
        self, article: Article, sentences: Sequence[Sentence], settings: DocumentSettings
    ) -> Documents:
        texts = [article.text[sentence.start : sentence.end] for sentence in sentences]
        lengths = [lucene.count_terms(text) for text in texts]
        return Documents(
            list(join_pieces(_build_sentences(article, sentences))),
            lengths,
            [text for text, length in zip(texts, lengths, strict=True) if length is None],
        )

    def describe(self, settings: DocumentSettings) -> dict[str, Any]:
        return {"models": [], "vocabulary": ""}

    def is_current(self, entry: ArticleEntry, settings: DocumentSettings) -> bool:
        return True

    def check_capacity(self, client: Elasticsearch, names: IndexNames, articles: int) -> None:
        """Any number of articles fits into shared indices."""

    def ensure(self, server: Server, names: IndexNames, articles: int) -> None:
        ensure_sentence_indices(server, names, articles)

    def choose_indices(
        self,
        server: Server,
        names: IndexNames,
        articles: Sequence[tuple[str, ArticleEntry | None]],
    ) -> list[str]:
        indices = server.call(lambda: find_sentence_indices(server.client, names))
        if not indices:
            raise _deleted(names.sentences)
        return [
            str(old.index)
            if old is not None and old.index in indices
            else assign_index(slug_of(edition), indices)
            for edition, old in articles
        ]

    def write(
        self, server: Server, writings: Sequence[Writing], settings: DocumentSettings
    ) -> dict[str, str]:
        refused = server.sender.send(
            operation
            for article, place in writings
            for operation in write_edition(
                place.index, article.id, place.edition, article.documents.pieces
            )
        )
        used = sorted({place.index for _, place in writings})
        server.refresh(used)
        server.require_indices(used)
        return {
            key: f"Elasticsearch refused a sentence of it: {reason}"
            for key, reason in refused.items()
        }

    def count_lengths(self, server: Server, writings: Sequence[Writing]) -> dict[str, list[int]]:
        texts = [text for article, _ in writings for text in article.documents.unmeasured]
        measured: list[int] = []
        for at in range(0, len(texts), _ANALYSED_AT_ONCE):
            some = texts[at : at + _ANALYSED_AT_ONCE]
            index = writings[0][1].index
            measured += server.call(partial(server_lengths, server.client, index, some))
        answers = iter(measured)
        return {
            article.id: [
                next(answers) if length is None else length for length in article.documents.lengths
            ]
            for article, _ in writings
        }

    def find_incomplete(self, server: Server, places: Sequence[Place]) -> set[Place]:
        wanted = {_describe(place): place for place in places}
        return {wanted[one] for one in find_short(server, list(wanted))}

    def delete(self, server: Server, places: Iterable[Place]) -> None:
        delete_documents(server, [_describe(place) for place in places])

    def read_sentences(
        self, client: Elasticsearch, wanted: Sequence[tuple[ArticleEntry, Iterable[int]]]
    ) -> list[SentenceDocuments]:
        return read_sentences(client, wanted)

    def read_text(self, client: Elasticsearch, entry: ArticleEntry) -> str:
        [documents] = read_articles(client, [entry])
        return " ".join(str(one["text"]).rstrip() for one in documents.values())


def _build_sentences(article: Article, sentences: Sequence[Sentence]) -> Iterator[bytes]:
    """Yield for each sentence two lines of a bulk request: action and document."""
    names = name_sections(article, sentences)
    heads = {
        name: b'{"edition":"%s",' % EDITION
        + orjson.dumps({"article": article.id, "section": name})[1:-1]
        for name in set(names)
    }
    pair = make_action(article.id) + b'\n%s,"number":%d,"start":%d,"end":%d,"text":%s}'
    # Each text includes the white space up to the next sentence.
    ends = [*(sentence.start for sentence in sentences[1:]), sentences[-1].end]
    for number, ((start, end), name, after) in enumerate(zip(sentences, names, ends, strict=True)):
        text = orjson.dumps(article.text[start:after])
        yield pair % (number, heads[name], number, start, end, text)


def _describe(place: Place) -> Stored:
    return Stored(place.article, place.index, place.edition, place.sentences)


def _deleted(indices: str) -> CitespanError:
    return CitespanError(
        f"{indices} was deleted, or removed from its alias, during the load; load again with "
        "`restart`"
    )
