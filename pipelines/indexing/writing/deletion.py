"""Deletes articles: those that a user names, and those whose input does not exist any more."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice

from citespan.pipelines.corpus.files import absolute_source_of
from citespan.pipelines.errors import CitespanError
from citespan.pipelines.indexing.bulk.sender import CONFLICT
from citespan.pipelines.indexing.catalogue import Catalogue, Version
from citespan.pipelines.indexing.documents.builder import find_absolute
from citespan.pipelines.indexing.documents.prepared import Place
from citespan.pipelines.indexing.server import Server
from citespan.pipelines.indexing.writing.checkpoint import Checkpoint
from citespan.pipelines.indexing.writing.editions import delete_places, refresh_all
from citespan.pipelines.indexing.writing.links import delete_links
from citespan.pipelines.indexing.writing.texts import write_again

_AT_ONCE = 256
_NEEDED = ("article", "source", "layout", "index", "edition", "sentences", "spans", "citations")


def delete_missing(
    server: Server,
    catalogue: Catalogue,
    checkpoint: Checkpoint,
    paths: Iterable[str],
    last_write: int,
) -> int:
    """Delete the articles that were read from below the paths once, and were not met now.

    An article stays if its file was quarantined now, or its archive, list of lines or folder: it
    may be in the part that could not be read. It stays, too, if it was also loaded from elsewhere,
    or if anyone has written its entry since this load began.

    Args:
        checkpoint: of a load of all that is below the paths.
        last_write: `Catalogue.last_write` at the beginning of the load.

    Returns:
        How many were deleted.

    Raises:
        CitespanError: if the server refuses to delete an entry.
    """
    server.refresh(catalogue.names.articles)
    below = {absolute_source_of(path) for path in paths}
    rejected = {find_absolute(source) for source in checkpoint.rejected_sources()}
    protected = set(checkpoint.quarantined_units())

    def is_gone(source: str) -> bool:
        places = set(_list_places(source))
        return (
            not places.isdisjoint(below) and places.isdisjoint(protected) and source not in rejected
        )

    candidates = (
        (version, [source for source in version.sources if not is_gone(source)])
        for version in catalogue.scan(_NEEDED)
        if version.seq_no <= last_write and checkpoint.source_of(version.entry.article) is None
    )
    changed = ((version, left) for version, left in candidates if len(left) < len(version.sources))
    deleted = 0
    while batch := list(islice(changed, _AT_ONCE)):
        _forget_sources(server, catalogue, [(version, left) for version, left in batch if left])
        missing = [version for version, left in batch if not left]
        if missing:
            group = checkpoint.begin_group(Place.of_entry(version.entry) for version in missing)
            deleted += len(delete_articles(server, catalogue, missing))
            checkpoint.commit({}, group=group)
    refresh_all(server, catalogue)
    return deleted


def delete_articles(server: Server, catalogue: Catalogue, versions: Sequence[Version]) -> list[str]:
    """Delete articles: first their entries, so that no search finds them, then their documents and
    links.

    Args:
        versions: the entries as they were looked up; an article whose entry has been written
            since stays.

    Returns:
        The ids of the articles that were deleted.

    Raises:
        CitespanError: if the server refuses to delete an entry.
    """
    kept = set()
    for article_id, reason in catalogue.delete(server.sender, versions).items():
        if reason != CONFLICT:
            raise CitespanError(f"the entry of article '{article_id}' can't be deleted: {reason}")
        kept.add(article_id)
    if kept:
        # A conflict is also what a repeated request gets if the first one has deleted the entry.
        present = server.call(lambda: catalogue.look_up(sorted(kept), _NEEDED))
        kept &= present.keys()
    deleted = [version.entry for version in versions if version.entry.article not in kept]
    delete_places(server, catalogue.names, map(Place.of_entry, deleted))
    delete_links(server, catalogue.names, [entry.article for entry in deleted])
    return [entry.article for entry in deleted]


def _forget_sources(
    server: Server, catalogue: Catalogue, left: Sequence[tuple[Version, list[str]]]
) -> None:
    """Let entries name only the sources that are left, unless they have been written since."""
    present = server.call(lambda: catalogue.look_up([one.entry.article for one, _ in left]))
    changed = []
    for scanned, sources in left:
        version = present.get(scanned.entry.article)
        if version is not None and version.seq_no == scanned.seq_no:
            version.entry.source = sources
            changed.append(version)
    write_again(server, catalogue, changed)


def _list_places(source: str) -> Iterator[str]:
    """Yield the source, the file that contains it, and the folders that contain this."""
    yield source
    for place in range(len(source) - 1, 0, -1):
        if source[place] in ":!/":
            yield source[:place]
    yield "/"
