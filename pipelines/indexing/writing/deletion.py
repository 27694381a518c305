"""Deletes articles."""

from collections.abc import Sequence

from citespan.pipelines.errors import CitespanError
from citespan.pipelines.indexing.writing.editions import delete_places
from citespan.pipelines.indexing.writing.links import delete_links
from citespan.pipelines.store.catalogue import Catalogue, Version
from citespan.pipelines.store.edition import Place
from citespan.pipelines.store.sender import CONFLICT
from citespan.pipelines.store.server import Server

_NEEDED = ("article", "source", "layout", "index", "edition", "sentences", "spans", "citations")


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
        present = server.call(lambda: catalogue.look_up(sorted(kept), _NEEDED))
        kept &= present.keys()
    deleted = [version.entry for version in versions if version.entry.article not in kept]
    delete_places(server, catalogue.names, map(Place.of_entry, deleted))
    delete_links(server, catalogue.names, [entry.article for entry in deleted])
    for article_id, reason in refused.items():
        if reason != CONFLICT:
            raise CitespanError(f"the entry of article '{article_id}' can't be deleted: {reason}")
    return [entry.article for entry in deleted]
