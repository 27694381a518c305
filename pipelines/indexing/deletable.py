"""Finding and deleting the articles and abstracts that identifiers name."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from elasticsearch import Elasticsearch

from citespan.es_mappings.index_name import CITESPAN, IndexNames
from citespan.pipelines.corpus.identifiers import find_pmid, find_spellings
from citespan.pipelines.errors import CitespanError, InputError
from citespan.pipelines.store.catalogue import Catalogue, Version
from citespan.pipelines.store.index_versions import name_collection_index
from citespan.pipelines.store.operation import replace_document

if TYPE_CHECKING:  # only deleting needs what loads need
    from citespan.pipelines.store.server import Server

Kind = Literal["article", "abstract"]


@dataclass(frozen=True, slots=True)
class Deletable:
    """An article or an abstract that may be deleted.

    Attributes:
        id: of the article, or the PMID of the abstract.
        index: that the abstract is in; "" for an article.
        version: the entry of the article, as it was looked up; None for an abstract.
        written: the sequence number and the primary term of the abstract, as it was looked up.
    """

    kind: Kind
    id: str
    title: str
    index: str = ""
    version: Version | None = None
    written: tuple[int, int] | None = None


def find_deletable(
    client: Elasticsearch,
    identifiers: Sequence[str],
    kind: Kind | None,
    collection: str,
    names: IndexNames,
) -> list[Deletable]:
    """Return what identifiers are of, each once.

    Args, Raises: as `citespan.delete`.
    """
    found = [_find(client, identifier, kind, collection, names) for identifier in identifiers]
    return list({(deletable.kind, deletable.id): deletable for deletable in found}.values())


def delete_found(client: Elasticsearch, found: Sequence[Deletable], names: IndexNames) -> list[str]:
    """Delete articles and abstracts as they were looked up.

    Returns, Raises: as `citespan.delete`.
    """
    from citespan.pipelines.indexing.report import LoadReport
    from citespan.pipelines.indexing.writing.editions import delete_articles, refresh_all
    from citespan.pipelines.indexing.writing.links import delete_links
    from citespan.pipelines.store.lease import hold_lease
    from citespan.pipelines.store.retry import RetryPolicy
    from citespan.pipelines.store.server import open_server

    versions = [deletable.version for deletable in found if deletable.version is not None]
    with open_server(client, RetryPolicy(), LoadReport()) as server, hold_lease(server, "delete"):
        deleted = _delete_abstracts(
            server, [deletable for deletable in found if deletable.version is None]
        )
        catalogue = Catalogue(server.client, names)
        gone = (
            set(deleted) - server.call(lambda: catalogue.look_up_any(deleted, ["lengths"])).keys()
        )
        delete_links(server, names, gone)
        if versions:
            try:
                deleted += delete_articles(server, catalogue, versions)
            finally:
                refresh_all(server, catalogue)
    return deleted


def _find(
    client: Elasticsearch, identifier: str, kind: Kind | None, collection: str, names: IndexNames
) -> Deletable:
    catalogue = Catalogue(client, names)
    article = other = abstract = None
    if kind != "abstract" and not collection:
        article = _find_article(catalogue, identifier)
        if article is None:
            other = catalogue.find_known_as(identifier)
    if kind != "article" and names == CITESPAN:
        abstract = _find_abstract(client, identifier, name_collection_index(collection))
    named = article.id if article is not None else other.article if other is not None else ""
    if abstract is not None and named:
        raise InputError(
            f"'{identifier}' is the abstract '{abstract.title}', and "
            f"{'the' if article is not None else 'another name of the'} article '{named}': for the "
            f"abstract, add `kind=abstract`; for the article, name {named} with `kind=article`"
        )
    if other is not None:
        raise InputError(
            f"'{identifier}' is another name of article '{named}', '{other.title}'; to delete it, "
            f"name {named}"
        )
    if abstract is not None or article is not None:
        return abstract or article  # type: ignore[return-value]
    if kind == "abstract" or collection:
        where = f" in the collection {collection}" if collection else ""
        raise InputError(f"no abstract with the PMID '{identifier}' is indexed{where}")
    raise catalogue.describe_unknown(identifier.strip())


def _find_article(catalogue: Catalogue, identifier: str) -> Deletable | None:
    spellings = find_spellings(identifier)
    found = catalogue.look_up_loaded(spellings, ["lengths"])
    article = next((spelling for spelling in spellings if spelling in found), None)
    if article is None:
        return None
    version = catalogue.look_up([article], ["lengths"]).get(article)
    return Deletable("article", article, found[article].title or "", version=version)


def _find_abstract(client: Elasticsearch, identifier: str, index: str) -> Deletable | None:
    pmid = find_pmid(identifier)
    if not pmid:
        return None
    fields = ["title", "deleted"]
    hit = client.options(ignore_status=404).get(index=index, id=pmid, source_includes=fields)
    if not hit.get("found") or hit["_source"].get("deleted"):
        return None
    version = hit["_seq_no"], hit["_primary_term"]
    title = hit["_source"].get("title", "")
    return Deletable("abstract", pmid, title, index, written=version)


def _delete_abstracts(server: "Server", found: Sequence[Deletable]) -> list[str]:
    from citespan.pipelines.store.sender import CONFLICT

    refused = server.sender.send(
        replace_document(deletable.index, deletable.id, deletable.id, None, deletable.written)
        for deletable in found
    )
    server.refresh(sorted({deletable.index for deletable in found})) if found else None
    for pmid, reason in refused.items():
        if reason != CONFLICT:
            raise CitespanError(f"abstract {pmid} can't be deleted: {reason}")
    return [deletable.id for deletable in found if deletable.id not in refused]
