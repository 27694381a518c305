"""Deletes the links of articles that are not loaded any more, and what they say of others.

Links are written by `pipelines/citations/linking.py`. Whoever reads them passes over those from
or to articles that are gone; here these are deleted.
"""

from collections.abc import Collection
from functools import partial

from citespan.es_mappings.index_name import IndexNames
from citespan.pipelines.batches import batched
from citespan.pipelines.indexing.writing.citances import update_citances
from citespan.pipelines.store.catalogue import Catalogue
from citespan.pipelines.store.edition import count_by_article
from citespan.pipelines.store.server import Server

_AT_ONCE = 1_000


def delete_links(server: Server, names: IndexNames, articles: Collection[str]) -> int:
    """Delete all links from and to articles, and return how many there were."""
    if not articles:
        return 0
    server.refresh(names.links)
    deleted = 0
    ordered = sorted(articles)
    for some in batched(ordered, _AT_ONCE):
        concerned = {*some, *_find_cited(server, names, some)}
        either = [{"terms": {field: some}} for field in ("citing", "cited")]
        answer = server.call(
            partial(
                server.client.delete_by_query,
                index=names.links,
                query={"bool": {"should": either}},
                conflicts="proceed",
                ignore_unavailable=True,
                refresh=True,
            )
        )
        deleted += int(answer["deleted"])
        update_citances(server, names, concerned)
    return deleted


def _find_cited(server: Server, names: IndexNames, citing: Collection[str]) -> list[str]:
    query = {"terms": {"citing": list(citing)}}
    found = server.call(lambda: list(count_by_article(server.client, names.links, "cited", query)))
    return [article for article, _ in found]


def find_gone_articles(server: Server, catalogue: Catalogue) -> set[str]:
    """Return the articles that links name, as of their last refresh, and that are not loaded."""
    client, names = server.client, catalogue.names
    linked: set[str] = set()
    for field in ("citing", "cited"):
        linked |= server.call(lambda: dict(count_by_article(client, names.links, field))).keys()  # noqa: B023
    return linked - server.call(lambda: catalogue.look_up_any(linked, ["lengths"])).keys()
