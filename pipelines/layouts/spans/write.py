"""Writing articles of the layout `spans`.

Creating an index costs the server more than filling it, and it creates many at once nearly as fast
as one; so the indices of a group of articles are created at once.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from typing import Any

import orjson
from elasticsearch import BadRequestError, Elasticsearch

from citespan.es_mappings import spans as mappings
from citespan.es_mappings.articles import ArticleEntry
from citespan.es_mappings.index_name import IndexNames
from citespan.es_mappings.index_name import edition as name_edition
from citespan.es_mappings.spans import LAYOUT, span_id
from citespan.pipelines.corpus.article import Article, Sentence
from citespan.pipelines.indexing.documents.content import name_sections
from citespan.pipelines.indexing.documents.prepared import Documents, Edition
from citespan.pipelines.indexing.documents.settings import DocumentSettings
from citespan.pipelines.indexing.documents.windows import SpanLengths, windows
from citespan.pipelines.layouts.spans.missing_spaces import find_missing_spaces, insert_spaces
from citespan.pipelines.server_reason import server_reason
from citespan.pipelines.store import capacity
from citespan.pipelines.store.edition import Place
from citespan.pipelines.store.operation import join_pieces, write_operations
from citespan.pipelines.store.retry import UnsettledError
from citespan.pipelines.store.server import Server, create_index

_CREATED_AT_ONCE = 32
_LONGEST_LIST = 3000  # a request's first line has at most 4 KB

group_articles = 16  # few, so that the next ones are read while indices are created


def build(article: Article, sentences: Sequence[Sentence], settings: DocumentSettings) -> Documents:
    """Return the documents of all spans."""
    pairs = _build_spans(article, sentences, settings.lengths)
    synonyms = settings.synonyms
    rules = None if synonyms is None else synonyms.rules_for(article.text)
    return Documents(list(join_pieces(pairs)), synonyms=rules)


def describe(settings: DocumentSettings) -> dict[str, Any]:
    """Return the models and the vocabulary that the index is made for."""
    return {
        "models": [similarity.name for similarity in settings.similarities],
        "vocabulary": settings.synonyms.name if settings.synonyms is not None else "",
    }


def is_current(entry: ArticleEntry, settings: DocumentSettings) -> bool:
    """Whether the index has the spans, the vocabulary and the models of the settings."""
    synonyms, lengths = settings.synonyms, settings.lengths
    return (
        (entry.shortest, entry.longest) == (lengths.shortest, lengths.longest)
        and (synonyms is None or entry.vocabulary == synonyms.name)
        and {similarity.name for similarity in settings.similarities} <= set(entry.models)
    )


def check_capacity(client: Elasticsearch, names: IndexNames, articles: int) -> None:
    """Check that the cluster may have so many indices."""
    capacity.check(client, articles, names, LAYOUT)


def ensure(server: Server, names: IndexNames, articles: int) -> None:
    """Create nothing: articles share no index."""


def choose_indices(
    server: Server, names: IndexNames, editions: Sequence[Edition], group: str
) -> list[str]:
    """Return an index of its own for each edition."""
    return [
        names.own_index(LAYOUT, name_edition(edition.article.id, group)) for edition in editions
    ]


def write(
    server: Server, editions: Sequence[Edition], settings: DocumentSettings
) -> dict[str, str]:
    """Create the indices and fill them; return the reason for each article that is refused."""
    with ThreadPoolExecutor(_CREATED_AT_ONCE) as threads:
        problems = list(threads.map(lambda edition: _create(server, edition, settings), editions))
    refused = {
        edition.article.id: problem
        for edition, problem in zip(editions, problems, strict=True)
        if problem
    }
    created = [edition for edition in editions if edition.article.id not in refused]
    sent = server.sender.send(
        operation
        for edition in created
        for operation in write_operations(
            edition.place.index, edition.article.id, edition.article.documents.pieces
        )
    )
    for names in _join_names(edition.place.index for edition in created):
        server.refresh(names)
    return refused | {
        key: f"Elasticsearch refused a span of it: {reason}" for key, reason in sent.items()
    }


def count_lengths(server: Server, editions: Sequence[Edition]) -> dict[str, list[int]]:
    """Return nothing: the server knows the lengths of spans."""
    return {}


def find_incomplete(server: Server, places: Sequence[Place]) -> set[Place]:
    """Return the places whose indices lack spans."""
    found: dict[str, int] = {}
    for names in _join_names(place.index for place in places):
        found |= server.call(lambda: _count_spans(server.client, names))  # noqa: B023
    return {place for place in places if found.get(place.index) != place.spans}


def delete(server: Server, places: Iterable[Place]) -> None:
    """Delete the indices."""
    for names in _join_names(place.index for place in places):
        server.call(
            lambda: server.client.indices.delete(index=names, ignore_unavailable=True)  # noqa: B023
        )


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
    return [*(text[sentence.end : other.start] for sentence, other in pairwise(sentences)), ""]


def _create(server: Server, edition: Edition, settings: DocumentSettings) -> str:
    """Create the index of an edition.

    Returns:
        The reason if the server refuses it, in one line, else "".
    """
    rules = edition.article.documents.synonyms
    body = {
        "mappings": mappings.mapping(settings.similarities, rules is not None),
        "settings": mappings.settings(settings.similarities, rules),
    }
    try:
        server.call(lambda: _create_whole(server.client, edition.place.index, body))
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
    ours = [name for name, index in present.items() if index.get("mappings")]
    if not ours:
        return {}
    # Loading needs no privilege to search.
    found = client.indices.stats(
        index=ours, metric="docs", filter_path="indices.*.primaries.docs.count"
    )
    counted = found.get("indices", {})  # those with a shard that is there
    return {name: index["primaries"]["docs"]["count"] for name, index in counted.items()}


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
