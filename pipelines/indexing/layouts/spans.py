"""The layout `spans`: an index for each article, and a document for each span.

Creating an index costs the server more than filling it, and it creates many at once nearly as fast
as one; so the indices of a group of articles are created at once.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from typing import Any

import orjson
from elasticsearch import BadRequestError, Elasticsearch
from elasticsearch.dsl import Search
from elasticsearch.dsl.query import Term

from citespan.es_mappings import spans as mappings
from citespan.es_mappings.articles import ArticleEntry
from citespan.es_mappings.index_name import IndexNames
from citespan.es_mappings.spans import span_id
from citespan.pipelines.corpus.article import Article, Sentence
from citespan.pipelines.indexing.documents.content import name_sections
from citespan.pipelines.indexing.documents.missing_spaces import (
    find_missing_spaces,
    insert_spaces,
    restore_text,
)
from citespan.pipelines.indexing.documents.prepared import Documents
from citespan.pipelines.indexing.documents.settings import DocumentSettings
from citespan.pipelines.indexing.documents.windows import SpanLengths, windows
from citespan.pipelines.indexing.layouts.layout import Writing, layouts
from citespan.pipelines.indexing.stored_sentences import SentenceDocuments
from citespan.pipelines.indexing.stored_spans import check_singles, gone, search_all
from citespan.pipelines.server_reason import read_documents, server_reason
from citespan.pipelines.store import capacity
from citespan.pipelines.store.edition import Place
from citespan.pipelines.store.operation import join_pieces, write_operations
from citespan.pipelines.store.retry import UnsettledError
from citespan.pipelines.store.server import Server, create_index

_CREATED_AT_ONCE = 32
_LONGEST_LIST = 3000  # a request's first line has at most 4 KB
_PAGE = 10_000  # Elasticsearch's index.max_result_window


@layouts.register
class SpansLayout:
    name = "spans"
    description = "an index for each article, a document for each span"
    version = mappings.VERSION
    group_articles = 16  # few, so that the next ones are read while indices are created

    def build(
        self, article: Article, sentences: Sequence[Sentence], settings: DocumentSettings
    ) -> Documents:
        pairs = _build_spans(article, sentences, settings.lengths)
        synonyms = settings.synonyms
        rules = None if synonyms is None else synonyms.rules_for(article.text)
        return Documents(list(join_pieces(pairs)), synonyms=rules)

    def describe(self, settings: DocumentSettings) -> dict[str, Any]:
        return {
            "models": [similarity.name for similarity in settings.similarities],
            "vocabulary": settings.synonyms.name if settings.synonyms is not None else "",
        }

    def is_current(self, entry: ArticleEntry, settings: DocumentSettings) -> bool:
        synonyms, lengths = settings.synonyms, settings.lengths
        return (
            (entry.shortest, entry.longest) == (lengths.shortest, lengths.longest)
            and (synonyms is None or entry.vocabulary == synonyms.name)
            and {similarity.name for similarity in settings.similarities} <= set(entry.models)
        )

    def check_capacity(self, client: Elasticsearch, names: IndexNames, articles: int) -> None:
        capacity.check(client, articles, names)

    def ensure(self, server: Server, names: IndexNames, articles: int) -> None:
        """Nothing is shared."""

    def choose_indices(
        self,
        server: Server,
        names: IndexNames,
        articles: Sequence[tuple[str, ArticleEntry | None]],
    ) -> list[str]:
        return [names.spans_index(edition) for edition, _ in articles]

    def write(
        self, server: Server, writings: Sequence[Writing], settings: DocumentSettings
    ) -> dict[str, str]:
        with ThreadPoolExecutor(_CREATED_AT_ONCE) as threads:
            problems = list(threads.map(lambda one: _create(server, one, settings), writings))
        refused = {
            article.id: problem
            for (article, _), problem in zip(writings, problems, strict=True)
            if problem
        }
        created = [writing for writing in writings if writing[0].id not in refused]
        sent = server.sender.send(
            operation
            for article, place in created
            for operation in write_operations(place.index, article.id, article.documents.pieces)
        )
        for names in _join_names(place.index for _, place in created):
            server.refresh(names)
        return refused | {
            key: f"Elasticsearch refused a span of it: {reason}" for key, reason in sent.items()
        }

    def count_lengths(self, server: Server, writings: Sequence[Writing]) -> dict[str, list[int]]:
        """Return nothing: the server knows the lengths of spans."""
        return {}

    def find_incomplete(self, server: Server, places: Sequence[Place]) -> set[Place]:
        found: dict[str, int] = {}
        for names in _join_names(place.index for place in places):
            found |= server.call(lambda: _count_spans(server.client, names))  # noqa: B023
        return {place for place in places if found.get(place.index) != place.spans}

    def delete(self, server: Server, places: Iterable[Place]) -> None:
        for names in _join_names(place.index for place in places):
            server.call(
                lambda: server.client.indices.delete(index=names, ignore_unavailable=True)  # noqa: B023
            )

    def read_sentences(
        self, client: Elasticsearch, wanted: Sequence[tuple[ArticleEntry, Iterable[int]]]
    ) -> list[SentenceDocuments]:
        return [_read_sentences(client, entry, list(numbers)) for entry, numbers in wanted]

    def read_text(self, client: Elasticsearch, entry: ArticleEntry) -> str:
        # An article of fewer sentences than the shortest span is one span.
        shortest = min(entry.shortest, entry.sentences)
        search = (
            Search()
            .query(Term("length", {"value": shortest}))
            .sort("first_sentence")
            .source(["start", "end", "text", "joints"])
        )
        parts: list[str] = []
        read = 0
        for hit in search_all(client, entry, search):
            span = hit["_source"]
            if span["end"] > read:
                parts.append(restore_text(span)[max(0, read - span["start"]) :])
                read = span["end"]
        return " ".join(parts)


def _build_spans(
    article: Article, sentences: Sequence[Sentence], lengths: SpanLengths
) -> Iterator[bytes]:
    """Yield for each span two lines of a bulk request: action and document.

    Only the texts are worth a JSON library's time: what spans of one section share is encoded
    once, and the rest are numbers.
    """
    heads = [
        orjson.dumps({"article": article.id, "section": section})[:-1]
        for section in name_sections(article, sentences)
    ]
    places = find_missing_spaces(sentences)
    behind = _find_white_space(article.text, sentences)
    for first, last in windows(len(sentences), lengths):
        start, end = sentences[first].start, sentences[last].end
        text, inside = insert_spaces(article.text, start, end, places)
        stored = b""
        if inside:
            stored = b'"joints":%s,' % orjson.dumps(inside)
        elif first == last and behind[first] != " ":
            stored = b'"white_space":%s,' % orjson.dumps(behind[first])
        yield (
            b'{"index":{"_id":"%s"}}\n%s,"first_sentence":%d,"last_sentence":%d,"length":%d,'
            b'"start":%d,"end":%d,%s"text":%s}'
            % (
                span_id(first, last).encode(),
                heads[first],
                first,
                last,
                last - first + 1,
                start,
                end,
                stored,
                orjson.dumps(text),
            )
        )


def _find_white_space(text: str, sentences: Sequence[Sentence]) -> list[str]:
    """Return what stands between each sentence and the next; "" behind the last one."""
    return [*(text[one.end : other.start] for one, other in pairwise(sentences)), ""]


def _create(server: Server, writing: Writing, settings: DocumentSettings) -> str:
    """Create the index of an edition.

    Returns:
        The reason if the server refuses it, in one line, else "".
    """
    article, place = writing
    rules = article.documents.synonyms
    body = {
        "mappings": mappings.mapping(settings.similarities, rules is not None),
        "settings": mappings.settings(settings.similarities, rules),
    }
    try:
        server.call(lambda: _create_whole(server.client, place.index, body))
    except BadRequestError as error:
        return f"Elasticsearch refused an index for it: {server_reason(error)}"
    return ""


def _create_whole(client: Elasticsearch, name: str, body: Mapping[str, Any]) -> None:
    """Create an index, and again if its first shard was on a node that has just died.

    Raises:
        UnsettledError: in that case.
    """
    if create_index(client, name, **body) or client.cluster.health(index=name)["status"] != "red":
        return
    client.indices.delete(index=name, ignore_unavailable=True)  # nothing is in it yet
    raise UnsettledError(f"the node that had {name} has died")


def _count_spans(client: Elasticsearch, names: str) -> dict[str, int]:
    """Return the number of documents in each index that this layout has created.

    A bulk request to an index that has been deleted creates another of that name, without the
    mapping; that one does not count.
    """
    present = client.indices.get(
        index=names, ignore_unavailable=True, filter_path="*.mappings._meta"
    )
    ours = [name for name, one in present.items() if one.get("mappings")]
    if not ours:
        return {}
    # Loading needs no privilege to search.
    found = client.indices.stats(
        index=ours, metric="docs", filter_path="indices.*.primaries.docs.count"
    )
    counted = found.get("indices", {})  # those with a shard that is there
    return {name: one["primaries"]["docs"]["count"] for name, one in counted.items()}


def _read_sentences(
    client: Elasticsearch, entry: ArticleEntry, numbers: list[int]
) -> SentenceDocuments:
    check_singles(entry, "read the whole article")
    found: SentenceDocuments = {}
    for at in range(0, len(numbers), _PAGE):
        some = numbers[at : at + _PAGE]
        response = client.mget(index=entry.index, ids=[span_id(n, n) for n in some])
        for number, hit in zip(some, read_documents(response), strict=True):
            if hit is None:
                raise gone(entry)
            source = hit["_source"]
            found[number] = source | {"text": restore_text(source)}
    return found


def _join_names(names: Iterable[str]) -> Iterator[str]:
    """Yield lists of index names that are short enough for a request's first line."""
    waiting = ""
    for name in names:
        if waiting and len(waiting) + len(name) > _LONGEST_LIST:
            yield waiting
            waiting = ""
        waiting += f",{name}" if waiting else name
    if waiting:
        yield waiting
