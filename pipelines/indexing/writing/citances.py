"""What others say of articles, kept as the links have it.

The document of an article (`es_mappings/citances.py`) is made of all links to it, and is up to date
if it was made of as many as there are, linked at the same times. So nobody has to remember what a
command that was killed has left undone: the next one finds the documents that differ.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass
from datetime import datetime
from math import fsum
from typing import Any

from elasticsearch import Elasticsearch
from elasticsearch.helpers import scan

from citespan.es_mappings import citances
from citespan.es_mappings.citances import ArticleCitances, Citance
from citespan.es_mappings.index_name import IndexNames, slug
from citespan.pipelines.batches import batched
from citespan.pipelines.errors import CitespanError
from citespan.pipelines.store.catalogue import Catalogue
from citespan.pipelines.store.citances import make_key
from citespan.pipelines.store.edition import aggregate_by_article
from citespan.pipelines.store.operation import replace_document
from citespan.pipelines.store.sender import CONFLICT
from citespan.pipelines.store.server import Server

MOST_CITANCES = 10_000
"""Of an article that are kept, the first ones: a document takes up to some 3 MB."""
_LINKS_AT_ONCE = 20_000
_ARTICLES_AT_ONCE = 10_000  # a query has room for 65,536
_MOST_ROUNDS = 5
_SAME_MS = 0.01  # a mean of so many times is rounded
_STORED = ("article", "links", "linked")  # read without the source, which may be megabytes
_READ = ("cited", "citing", "number", "text", "query", "linked")
_PAGE = 5_000


@dataclass(frozen=True, slots=True)
class Outdated:
    """An article whose links say something else than its document.

    Attributes:
        links: how many there are; 0 if nobody cites it any more.
        version: the sequence number and the primary term of the document, if there is one.
    """

    links: int
    version: tuple[int, int] | None


def update_citances(
    server: Server, names: IndexNames, articles: Collection[str] | None = None
) -> int:
    """Write or delete what others say of articles, where it is not what the links say, and return
    of how many it was not.

    Args:
        articles: those that are looked at; None for all.

    Raises:
        CitespanError: if the server refuses a document.
    """
    index, catalogue = names.citances, Catalogue(server.client, names)
    server.refresh([names.links, index])
    changed: set[str] = set()
    for _ in range(_MOST_ROUNDS):  # another command may write the same documents
        outdated = server.call(lambda: find_outdated(server.client, names, articles))
        if not outdated:
            break
        changed |= outdated.keys()
        settings = citances.settings(server.call(catalogue.count_articles))
        server.ensure(index, citances.mapping(), settings)
        for some in _divide(outdated):
            made = server.call(lambda: _make_documents(server.client, names, some))  # noqa: B023
            refused = server.sender.send(
                replace_document(
                    index, article, slug(article), made.get(article), outdated[article].version
                )
                for article in some
                if article in made or outdated[article].version is not None
            )
            for article, reason in refused.items():
                if reason != CONFLICT:
                    raise CitespanError(f"what others say of '{article}' is refused: {reason}")
        server.refresh(index)
        server.require_indices([index])
    return len(changed)


def find_outdated(
    client: Elasticsearch, names: IndexNames, articles: Collection[str] | None = None
) -> dict[str, Outdated]:
    """Return the articles whose links say something else than what is stored, as of the last
    refresh.

    Args:
        articles: those that are looked at; None for all.
    """
    if articles is None:
        return _find_outdated(client, names, None, None)
    ids = sorted(articles)
    outdated: dict[str, Outdated] = {}
    for some in batched(ids, _ARTICLES_AT_ONCE):
        outdated |= _find_outdated(
            client, names, {"terms": {"article": some}}, {"terms": {"cited": some}}
        )
    return outdated


def _find_outdated(
    client: Elasticsearch,
    names: IndexNames,
    articles: Mapping[str, Any] | None,
    cited: Mapping[str, Any] | None,
) -> dict[str, Outdated]:
    """Compare the documents and the links that two queries find; None for all."""
    stored = _read_stored(client, names, articles)
    mean = {"linked": {"avg": {"field": "linked"}}}
    outdated = {}
    for article, bucket in aggregate_by_article(client, names.links, "cited", cited, mean):
        links, linked, version = stored.pop(article, (0, 0.0, None))
        count = int(bucket["doc_count"])
        if links != count or abs(linked - bucket["linked"]["value"]) > _SAME_MS:
            outdated[article] = Outdated(count, version)
    return outdated | {article: Outdated(0, version) for article, (_, _, version) in stored.items()}


def _read_stored(
    client: Elasticsearch, names: IndexNames, query: Mapping[str, Any] | None
) -> dict[str, tuple[int, float, tuple[int, int] | None]]:
    """Return for each article the number of links, the mean of their times, and the version."""
    body: dict[str, Any] = {"_source": False, "docvalue_fields": list(_STORED)}
    body |= {"seq_no_primary_term": True} | ({"query": query} if query is not None else {})
    found = scan(client, index=names.citances, query=body, size=_PAGE, ignore_unavailable=True)
    stored: dict[str, tuple[int, float, tuple[int, int] | None]] = {}
    for hit in found:
        article, links, linked = (hit["fields"][name][0] for name in _STORED)
        stored[article] = links, linked, (hit["_seq_no"], hit["_primary_term"])
    return stored


def _divide(outdated: Mapping[str, Outdated]) -> Iterator[list[str]]:
    """Yield the articles, so many at a time as have no more links than are read at once."""
    some: list[str] = []
    links = 0
    for article, counted in outdated.items():
        if some and links + counted.links > _LINKS_AT_ONCE:
            yield some
            some, links = [], 0
        some.append(article)
        links += counted.links + 1
    if some:
        yield some


def _make_documents(
    client: Elasticsearch, names: IndexNames, articles: list[str]
) -> dict[str, dict[str, Any]]:
    """Return the document of what the links say of each article that they cite."""
    body = {"query": {"terms": {"cited": articles}}, "_source": list(_READ)}
    links = defaultdict(list)
    for hit in scan(client, index=names.links, query=body, size=_PAGE, ignore_unavailable=True):
        links[hit["_source"]["cited"]].append(hit["_source"])
    return {article: asdict(make_citances(article, some)) for article, some in links.items()}


def make_citances(article: str, links: Iterable[Mapping[str, Any]]) -> ArticleCitances:
    """Return what others say of an article.

    Args:
        links: all that there are to it, at least one, as they are stored; in any order.
    """
    ordered = sorted(links, key=lambda link: (link["citing"], link["number"]))
    said: dict[tuple[str, str], Citance] = {}
    for link in ordered:
        text = " ".join(link["query"].split())
        if text:
            citance = Citance(link["citing"], text, make_key(text), make_key(link["text"]))
            said.setdefault((citance.citing, citance.clause), citance)
    kept = tuple(said.values())[:MOST_CITANCES]
    times = [datetime.fromisoformat(link["linked"]).timestamp() * 1000 for link in ordered]
    citing = len({citance.citing for citance in kept})
    return ArticleCitances(article, kept, citing, len(ordered), fsum(times) / len(ordered))
