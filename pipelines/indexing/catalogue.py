"""Reading and writing the catalogue of loaded articles."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from elasticsearch import Elasticsearch, NotFoundError
from elasticsearch.dsl import Search
from elasticsearch.dsl.query import Fuzzy, Match, Prefix, Term

from citespan.es_mappings import articles
from citespan.es_mappings.articles import ArticleEntry
from citespan.es_mappings.index_name import slug
from citespan.pipelines.errors import CitespanError, InputError, UnknownNameError
from citespan.pipelines.indexing.server import ensure_index

_MOST_SUGGESTIONS = 5


def ensure(client: Elasticsearch) -> None:
    """Make the catalogue if there is none."""
    ensure_index(client, articles.INDEX, articles.mapping(), articles.settings())


def entries(client: Elasticsearch, article_ids: Sequence[str]) -> dict[str, ArticleEntry]:
    """The entries of those articles that are loaded, by id; sees what was written just now.

    Raises:
        CitespanError: where an entry is of another article, whose id has the same hash.
    """
    if not article_ids:
        return {}
    try:
        response = client.mget(index=articles.INDEX, ids=[slug(a) for a in article_ids])
    except NotFoundError:
        return {}
    found: dict[str, ArticleEntry] = {}
    for article_id, hit in zip(article_ids, response["docs"], strict=True):
        if not hit.get("found"):
            continue
        entry = ArticleEntry.from_es(hit)
        if entry.article != article_id:
            raise CitespanError(
                f"articles '{article_id}' and '{entry.article}' have the same index name; "
                "rename one of them"
            )
        found[article_id] = entry
    return found


def write(client: Elasticsearch, changes: Mapping[str, ArticleEntry | None]) -> None:
    """Write the entries, and delete those of articles that have None."""
    operations: list[dict[str, Any]] = []
    for article_id, entry in changes.items():
        if entry is None:
            operations.append({"delete": {"_id": slug(article_id)}})
        else:
            operations += [{"index": {"_id": slug(article_id)}}, entry.to_dict()]
    if operations:
        response = client.bulk(index=articles.INDEX, operations=operations)
        for item in response["items"]:
            for result in item.values():
                if "error" in result:
                    raise CitespanError(
                        f"the catalogue {articles.INDEX} refused an entry: "
                        f"{result['error'].get('reason')}"
                    )


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
