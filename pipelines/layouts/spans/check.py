"""Comparing span indices with the catalogue."""

from collections.abc import Iterator

from elasticsearch import Elasticsearch

from citespan.es_mappings.index_name import IndexNames
from citespan.es_mappings.spans import LAYOUT
from citespan.pipelines.store.catalogue import Catalogue
from citespan.pipelines.store.edition import Orphans, Place, is_of_a_load
from citespan.pipelines.store.finding import LEFT_OVER, LOST, Finding, some
from citespan.pipelines.store.index_versions import list_indices
from citespan.pipelines.store.layout import ReadEntries
from citespan.pipelines.store.server import Server


def check(client: Elasticsearch, names: IndexNames, name: str) -> Iterator[Finding]:
    """Compare articles with their indices, and with the documents in these."""
    rows = list_indices(client, names.own_index(LAYOUT, "*"), "index,docs.count")
    counts = {row["index"]: row.get("docs.count") for row in rows}
    found = Catalogue(client, names).scan(
        ["article", "index", "spans"], {"term": {"layout": LAYOUT}}
    )
    entries = [version.entry for version in found]
    gone = sorted(entry.article for entry in entries if entry.index not in counts)
    if gone:
        yield Finding(name, "failure", f"the index is gone of {some(gone)}", LOST)
    short = sorted(
        entry.article
        for entry in entries
        if (count := counts.get(entry.index)) is not None and int(count) != entry.spans
    )
    if short:
        message = f"not as many spans as the catalogue says: {some(short)}"
        yield Finding(name, "failure", message, LOST)
    left = sorted(counts.keys() - {entry.index for entry in entries})
    if left:
        message = f"{len(left):,} indices of no article in the catalogue: {some(left)}"
        yield Finding(name, "warning", message, LEFT_OVER)
    if not (gone or short or left):
        yield Finding(name, "ok", f"{len(entries):,} articles, all with their spans")


def check_each(client: Elasticsearch, names: IndexNames) -> Iterator[Finding]:
    """Check nothing more: `check` looks at each article."""
    return iter(())


def find_orphans(server: Server, names: IndexNames, read_entries: ReadEntries) -> Orphans:
    """Return the indices that no entry names, and the articles without an index."""
    indices = _list_indices(server, names)
    present = frozenset(indices)
    empty = []
    for entry in read_entries():
        indices.discard(entry.index)
        if entry.index not in present:
            empty.append(entry.article)
    unnamed = [
        Place("", LAYOUT, index, index.removeprefix(names.own_index(LAYOUT, "")), 0, 0)
        for index in sorted(indices)
    ]
    return Orphans(unnamed, empty)


def find_unused(server: Server, names: IndexNames, read_entries: ReadEntries) -> list[str]:
    """Return the indices that a load has made and no entry names, sorted."""
    found = set(filter(is_of_a_load, _list_indices(server, names)))
    if found:
        found.difference_update(entry.index for entry in read_entries())
    return sorted(found)


def _list_indices(server: Server, names: IndexNames) -> set[str]:
    get, pattern = server.client.indices.get, names.own_index(LAYOUT, "*")
    return set(server.call(lambda: get(index=pattern, filter_path="*.aliases")))
