"""Reading and writing the catalogue of loaded articles."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import orjson
from elasticsearch import Elasticsearch, NotFoundError
from elasticsearch.dsl import Search
from elasticsearch.dsl.query import Fuzzy, Match, Prefix, Term

from citespan.es_mappings import articles
from citespan.es_mappings.articles import ArticleEntry
from citespan.es_mappings.index_name import slug
from citespan.pipelines.errors import CitespanError, InputError, UnknownNameError
from citespan.pipelines.indexing.server import ensure_index
from citespan.pipelines.indexing.writing.bulk_sender import BulkSender
from citespan.pipelines.indexing.writing.operation import Operation

_MOST_SUGGESTIONS = 5


class SameNameError(CitespanError):
    """Two articles whose ids have the same slug."""

    def __init__(self, one: str, other: str) -> None:
        super().__init__(
            f"articles '{one}' and '{other}' have the same index name; rename one of them"
        )


def ensure(client: Elasticsearch) -> None:
    """Make the catalogue if there is none."""
    ensure_index(client, articles.INDEX, articles.mapping(), articles.settings())


@dataclass(frozen=True, slots=True)
class Version:
    """An entry, and what tells this writing of it from all others."""

    entry: ArticleEntry
    seq_no: int
    primary_term: int


def entries(
    client: Elasticsearch, article_ids: Sequence[str], without: Sequence[str] = ()
) -> dict[str, ArticleEntry]:
    """The entries of those articles that are loaded, by id; sees what was written just now.

    Args:
        without: fields that are not needed.

    Raises:
        SameNameError: where an entry is of another article, whose id has the same slug.
    """
    found = versions(client, article_ids, without)
    for article_id, version in found.items():
        if version.entry.article != article_id:
            raise SameNameError(article_id, version.entry.article)
    return {article_id: version.entry for article_id, version in found.items()}


def versions(
    client: Elasticsearch, article_ids: Sequence[str], without: Sequence[str] = ()
) -> dict[str, Version]:
    """As `entries`, with the entry of another article where that has the same slug."""
    if not article_ids:
        return {}
    try:
        response = client.mget(
            index=articles.INDEX, ids=[slug(a) for a in article_ids], source_excludes=[*without]
        )
    except NotFoundError:
        return {}
    return {
        article_id: Version(ArticleEntry.from_es(hit), hit["_seq_no"], hit["_primary_term"])
        for article_id, hit in zip(article_ids, response["docs"], strict=True)
        if hit.get("found")
    }


def put(
    sender: BulkSender, entries: Iterable[tuple[ArticleEntry, Version | None]]
) -> dict[str, str]:
    """Write entries, each in place of a certain writing of it, or where there is none.

    Returns:
        Why an entry is refused, by the article's id; "conflict" where there is another writing of
        it by now.
    """
    return sender.send(_writing(entry, version) for entry, version in entries)


def delete(sender: BulkSender, article_ids: Iterable[str]) -> None:
    """Delete the entries of articles, where there are any.

    Raises:
        CitespanError: if the server refuses that for good.
    """
    refused = sender.send(
        Operation(articles.INDEX, article_id, orjson.dumps({"delete": {"_id": slug(article_id)}}))
        for article_id in article_ids
    )
    if refused:
        article_id, reason = next(iter(refused.items()))
        raise CitespanError(f"the catalogue does not let go of the article {article_id}: {reason}")


def _writing(entry: ArticleEntry, version: Version | None) -> Operation:
    action: dict[str, Any] = {"_id": slug(entry.article)}
    if version is not None:
        action |= {"if_seq_no": version.seq_no, "if_primary_term": version.primary_term}
    body = orjson.dumps({"create" if version is None else "index": action})
    source = orjson.dumps(entry.to_dict(skip_empty=True))
    return Operation(articles.INDEX, entry.article, body + b"\n" + source)


def find(client: Elasticsearch, article_id: str) -> ArticleEntry:
    """The entry of an article by its id, or by another identifier of it.

    Raises:
        UnknownNameError: naming ids that are like it.
        InputError: if no article is loaded.
        CitespanError: if several articles are known by that identifier.
    """
    found = entries(client, [article_id])
    if found:
        return found[article_id]
    others = _matching(client, [Term("also_known_as", {"value": article_id})], 2)
    if len(others) > 1:
        raise CitespanError(
            f"several articles are known as '{article_id}': "
            + ", ".join(f"'{entry.article}'" for entry in others)
            + "; ask for one of these"
        )
    if others:
        return others[0]
    alike = [
        Prefix("article", {"value": article_id, "case_insensitive": True}),
        Fuzzy("article", {"value": article_id}),
        Fuzzy("also_known_as", {"value": article_id}),
        Match("title", {"query": article_id}),
    ]
    near = [e.article for e in _matching(client, alike, _MOST_SUGGESTIONS)]
    near = near or [e.article for e in _matching(client, [], _MOST_SUGGESTIONS)]
    if not near:
        raise InputError(
            f"unknown article '{article_id}': none is indexed yet; see `citespan index --help`"
        )
    raise UnknownNameError("article", article_id, near)


def _matching(client: Elasticsearch, queries: Iterable[Any], most: int) -> list[ArticleEntry]:
    search = Search(using=client, index=articles.INDEX)
    queries = list(queries)
    if queries:
        search = search.query("bool", should=queries, minimum_should_match=1)
    try:
        hits = client.search(index=articles.INDEX, size=most, **search.to_dict())["hits"]["hits"]
    except NotFoundError:
        return []
    return [ArticleEntry.from_es(hit) for hit in hits]
