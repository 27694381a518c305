"""Deleting the articles whose input is gone, after a complete load."""

import os
from collections.abc import Iterable, Iterator
from itertools import islice

from elasticsearch import Elasticsearch
from elasticsearch.helpers import scan

from citespan.es_mappings import articles
from citespan.es_mappings.articles import ArticleEntry
from citespan.pipelines.indexing import catalogue
from citespan.pipelines.indexing.documents.prepared import place_of
from citespan.pipelines.indexing.documents.preparer import absolute
from citespan.pipelines.indexing.writing.bulk_sender import BulkSender
from citespan.pipelines.indexing.writing.checkpoint import Checkpoint
from citespan.pipelines.indexing.writing.patience import Patience
from citespan.pipelines.indexing.writing.removal import remove

_AT_ONCE = 256
_NEEDED = ["article", "source", "layout", "index", "edition", "sentences"]


def delete_missing(
    client: Elasticsearch,
    patience: Patience,
    sender: BulkSender,
    checkpoint: Checkpoint,
    paths: Iterable[str],
) -> int:
    """Delete the articles that were read from below the paths once, and were not met now.

    An article stays if its file was quarantined now, or its archive, list of lines or folder: it
    may be in the part that couldn't be read. It stays, too, if it was loaded from elsewhere.

    Args:
        checkpoint: of a load of all that is below the paths.

    Returns:
        How many.
    """
    patience.call(lambda: client.indices.refresh(index=articles.INDEX))
    below = {os.path.abspath(path) for path in paths}  # noqa: PTH100  links stay what they are
    rejected = {absolute(source) for source in checkpoint.rejected_sources()}
    protected = set(checkpoint.quarantined_units())
    gone = (
        entry
        for entry in _entries(client)
        if checkpoint.source_of(entry.article) is None
        and (places := set(_places(entry.source)))
        and not places.isdisjoint(below)
        and places.isdisjoint(protected)
        and entry.source not in rejected
    )
    deleted = 0
    while some := list(islice(gone, _AT_ONCE)):
        catalogue.delete(sender, (entry.article for entry in some))
        remove(client, patience, sender, map(place_of, some))
        deleted += len(some)
    return deleted


def _entries(client: Elasticsearch) -> Iterator[ArticleEntry]:
    for hit in scan(client, index=articles.INDEX, source_includes=_NEEDED):
        yield ArticleEntry.from_es(hit)


def _places(source: str) -> Iterator[str]:
    """The source, the file that it is in, and the folders that this is in."""
    yield source
    for place in range(len(source) - 1, 0, -1):
        if source[place] in ":!/":
            yield source[:place]
    yield "/"
