"""Checks of citespan's indices."""

from collections.abc import Iterator

from elasticsearch import Elasticsearch

from citespan.pipelines.errors import REBUILD_REMEDY
from citespan.pipelines.indexing.writing.rebuild import find_left_over
from citespan.pipelines.store.finding import Finding, some
from citespan.pipelines.store.index_versions import ALL, index_versions, list_indices

_BLOCKS = ("read_only", "read_only_allow_delete", "write", "read", "metadata")


def blocked(client: Elasticsearch) -> Iterator[Finding]:
    """Those that take no writing or no reading."""
    told = client.indices.get_settings(
        index=ALL, expand_wildcards="open", filter_path="*.settings.index.blocks"
    )
    found: dict[str, list[str]] = {}
    for name, index in sorted(told.items()):
        for block, is_on in index["settings"]["index"]["blocks"].items():
            if block in _BLOCKS and str(is_on) == "true":
                found.setdefault(block, []).append(name)
    if not found:
        yield Finding("blocks", "ok", "no index is blocked")
    for block, names in found.items():
        remedy = "set index.blocks." + block + " to null"
        if block == "read_only_allow_delete":
            remedy = "make room on the disk: the server then lifts it, or " + remedy
        yield Finding("blocks", "failure", f"{block}: {some(names)}", remedy)


def unhealthy(client: Elasticsearch) -> Iterator[Finding]:
    """Those that are not green, or closed."""
    told = list_indices(client, ALL, "index,health,status")
    closed = sorted(row["index"] for row in told if row["status"] == "close")
    if closed:
        remedy = "open them by POST INDEX/_open, or delete them"
        yield Finding("indices", "warning", f"closed: {some(closed)}", remedy)
    red = sorted(row["index"] for row in told if row.get("health") == "red")
    if red:
        remedy = (
            "start the nodes again that have them; if they are lost for good, restore the indices "
            "from a snapshot, or delete them and index their articles again"
        )
        yield Finding("indices", "failure", f"shards are missing of {some(red)}", remedy)
    yellow = sorted(row["index"] for row in told if row.get("health") == "yellow")
    if yellow:
        remedy = "add a data node, or set their number_of_replicas to 0"
        yield Finding("indices", "warning", f"replicas are missing of {some(yellow)}", remedy)
    if not (closed or red or yellow):
        yield Finding("indices", "ok", f"{len(told):,} indices of citespan's, all green")


def left_over(client: Elasticsearch) -> Iterator[Finding]:
    """Those of a rebuild that has not ended."""
    if found := find_left_over(client):
        remedy = "if no rebuild is under way, run `citespan doctor --repair`, or repeat the rebuild"
        message = f"a rebuild is under way, or one was interrupted and has left {some(found)}"
        yield Finding("rebuild", "warning", message, remedy)


def versions(client: Elasticsearch) -> Iterator[Finding]:
    """Mapping versions against those that this citespan makes."""
    found = index_versions(client)
    newer = [str(index) for index in found if index.is_newer]
    foreign = [index.index for index in found if index.version is None]
    older = [
        str(index) for index in found if index.version is not None and index.version < index.wanted
    ]
    if newer:
        message = f"made by a later citespan: {some(newer)}"
        yield Finding("mappings", "failure", message, "update citespan")
    if foreign:
        message = f"not made by citespan, or not as a whole: {some(foreign)}"
        yield Finding("mappings", "failure", message, "delete them, and index their articles again")
    if older:
        message = f"made by an earlier citespan: {some(older)}"
        yield Finding("mappings", "failure", message, REBUILD_REMEDY)
    if not (newer or foreign or older):
        yield Finding("mappings", "ok", "all of this version")
