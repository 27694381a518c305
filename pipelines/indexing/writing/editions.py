"""All that is stored of editions: their documents in a layout, and their citations.

No entry of the catalogue names what is deleted here. With the last edition of an article go the
links from and to it.
"""

from collections.abc import Iterable, Mapping, Sequence

from elasticsearch import Elasticsearch

from citespan.es_mappings import citations
from citespan.es_mappings.articles import ArticleEntry
from citespan.es_mappings.index_name import IndexNames, slug_of
from citespan.pipelines.errors import CitespanError
from citespan.pipelines.indexing.documents.builder import LookUp
from citespan.pipelines.indexing.documents.prepared import Edition
from citespan.pipelines.indexing.layout import writer_of
from citespan.pipelines.indexing.writing.links import delete_links
from citespan.pipelines.store.catalogue import Catalogue, Version
from citespan.pipelines.store.edition import (
    Place,
    Stored,
    delete_documents,
    find_short,
    write_edition,
)
from citespan.pipelines.store.layout import divide_by_layout, shared_aliases
from citespan.pipelines.store.sender import CONFLICT
from citespan.pipelines.store.server import Server, ensure_index

NOT_NEEDED = ("lengths", "title", "also_known_as", "authors", "journal", "found_by")
"""Fields of entries that are of no use here."""


def ensure_citations(client: Elasticsearch, index: str, articles: int) -> None:
    """Create the index of the citations of so many articles if it does not exist."""
    ensure_index(client, index, citations.mapping(), citations.settings(articles))


def write_citations(server: Server, index: str, editions: Sequence[Edition]) -> dict[str, str]:
    """Write the citations of editions and make them searchable.

    Returns:
        The reason for each article, by its id, that the server refuses.
    """
    if not any(edition.article.citations for edition in editions):
        return {}
    refused = server.sender.send(
        operation
        for edition in editions
        for operation in write_edition(
            index, edition.article.id, edition.place.edition, edition.article.documents.citations
        )
    )
    server.refresh(index)
    server.require_indices([index])
    return {
        key: f"Elasticsearch refused a citation of it: {reason}" for key, reason in refused.items()
    }


def find_incomplete(server: Server, names: IndexNames, places: Sequence[Place]) -> set[Place]:
    """Return the places of editions that lack documents."""
    incomplete: set[Place] = set()
    for layout, some in _divide(places).items():
        incomplete |= writer_of(layout).find_incomplete(server, some)
    wanted = {
        _describe_citations(names, place): place
        for place in places
        if place.citations and place not in incomplete
    }
    found = find_short(server, list(wanted))
    return incomplete | {wanted[short] for short in found}


def delete_places(server: Server, names: IndexNames, places: Iterable[Place]) -> None:
    """Delete all documents at those places, in whichever layout, and the citations."""
    places = list(places)
    for layout, some in _divide(places).items():
        writer_of(layout).delete(server, some)
    delete_documents(server, [_describe_citations(names, place) for place in places])


def delete_unnamed(
    server: Server, catalogue: Catalogue, places: Sequence[Place], citations: Sequence[Stored] = ()
) -> list[str]:
    """Delete the editions at those places that no entry names, and return their names: an edition
    in two layouts twice, one whose citations are left as well once.

    Args:
        citations: of editions that have nothing else left.
    """
    editions: list[Place | Stored] = [*places, *citations]
    slugs = list(dict.fromkeys(slug_of(edition.edition) for edition in editions))
    versions = server.call(lambda: catalogue.look_up_slugs(slugs, NOT_NEEDED))
    named = {version.entry.edition: version.entry.index for version in versions.values()}
    unnamed = [place for place in places if named.get(place.edition) != place.index]
    left = [stored for stored in citations if stored.edition not in named]
    delete_places(server, catalogue.names, unnamed)
    delete_documents(server, left)
    deleted: list[Place | Stored] = [*unnamed, *left]
    gone = {edition.article for edition in deleted if slug_of(edition.edition) not in versions}
    delete_links(server, catalogue.names, gone - {""})
    different = dict.fromkeys((place.layout, place.edition) for place in unnamed)
    listed = [name for _, name in different]
    return listed + [stored.edition for stored in left if stored.edition not in listed]


def delete_articles(server: Server, catalogue: Catalogue, versions: Sequence[Version]) -> list[str]:
    """Delete articles: first their entries, so that no search finds them, then their documents and
    links.

    Args:
        versions: the entries as they were looked up; an article whose entry has been written
            since stays.

    Returns:
        The ids of the articles that were deleted.

    Raises:
        CitespanError: if the server refuses to delete an entry; the others are deleted.
        RemainingDocumentsError: if it refuses to delete documents.
    """
    refused = catalogue.delete(server.sender, versions)
    kept = set(refused)
    if kept:
        # A conflict is also what a repeated request gets if the first one has deleted the entry.
        present = server.call(lambda: catalogue.look_up(sorted(kept), NOT_NEEDED))
        kept &= present.keys()
    deleted = [version.entry for version in versions if version.entry.article not in kept]
    delete_places(server, catalogue.names, map(Place.of_entry, deleted))
    delete_links(server, catalogue.names, [entry.article for entry in deleted])
    for article_id, reason in refused.items():
        if reason != CONFLICT:
            raise CitespanError(f"the entry of article '{article_id}' can't be deleted: {reason}")
    return [entry.article for entry in deleted]


def refresh_all(server: Server, catalogue: Catalogue) -> None:
    """Make the last entries searchable, and the last deletions."""
    names = catalogue.names
    server.refresh([names.articles, *shared_aliases(names), names.citations])


def look_up_complete(server: Server, catalogue: Catalogue) -> LookUp:
    """Return what looks up the entries of articles all of whose documents are in the index."""
    return _keep_complete(
        server, catalogue, lambda article_ids: catalogue.look_up_loaded(article_ids, NOT_NEEDED)
    )


def look_up_digests(server: Server, catalogue: Catalogue) -> LookUp:
    """Return what looks up such entries by the digests of the bytes that they were read from."""
    return _keep_complete(server, catalogue, catalogue.look_up_digests)


def _keep_complete(server: Server, catalogue: Catalogue, find: LookUp) -> LookUp:
    def look_up(keys: Sequence[str]) -> Mapping[str, ArticleEntry]:
        entries = server.call(lambda: find(keys))
        places = [Place.of_entry(entry) for entry in entries.values()]
        incomplete = {place.article for place in find_incomplete(server, catalogue.names, places)}
        return {key: entry for key, entry in entries.items() if entry.article not in incomplete}

    return look_up


def _divide(places: Iterable[Place]) -> Mapping[str, list[Place]]:
    return divide_by_layout(places, lambda place: place.layout)


def _describe_citations(names: IndexNames, place: Place) -> Stored:
    return Stored(place.article, names.citations, place.edition, place.citations)
