"""Compares what a checkpoint says is stored with what the server has, which decides.

An index may have been deleted, or restored from a snapshot, and articles deleted, since they were
committed; then what the checkpoint says of them is forgotten, and the load reads them again.
"""

from collections.abc import Iterable

from elasticsearch import Elasticsearch

from citespan.pipelines.batches import batched
from citespan.pipelines.counts import format_count
from citespan.pipelines.indexing.writing.checkpoint import Checkpoint
from citespan.pipelines.indexing.writing.target import Target
from citespan.pipelines.store.server import Server

_LOOKED_UP = 256


def look_again(server: Server, target: Target, checkpoint: Checkpoint, thorough: bool) -> str:
    """Forget what the checkpoint says of a target and is not so, and return why, in one line; ""
    if nothing is forgotten.

    Args:
        thorough: whether to look up everything that is committed; otherwise only whether the
            indices are the same as when the load began.
    """
    known = checkpoint.indices(target.name)
    present = server.call(lambda: identify_indices(server.client, target.shared_indices()))
    others = {
        name.partition("/")[0]
        for name, identity in known.items()
        # a shard that no node has at the moment may come back as it was
        if present.get(name, identity if "/" in name else None) != identity
    }
    checkpoint.remember_indices(target.name, present if others else known | present)
    if others:
        if not checkpoint.begin_anew(target.name):
            return ""
        return (
            f"{', '.join(sorted(others))}: deleted, or restored from a snapshot, since this load "
            "wrote to it; beginning anew"
        )
    if not thorough:
        return ""
    gone = 0
    units = set()
    for some in batched(checkpoint.list_stored(target.name), _LOOKED_UP):
        missing = target.find_missing([name for _, name in some])
        gone += len(missing)
        units |= {unit for unit, name in some if name in missing}
    if not gone:
        return ""
    checkpoint.forget(units)
    return (
        f"{format_count(gone, 'text')} that this load had stored {'is' if gone == 1 else 'are'} "
        f"not there any more; reading {format_count(len(units), 'file')} again"
    )


def identify_indices(client: Elasticsearch, names: Iterable[str]) -> dict[str, str]:
    """Return what tells indices and their shards from others of the same names: a restored shard
    has another history.

    Args:
        names: of indices or aliases; those that do not exist are left out.

    Returns:
        The UUID of each index by its name, and the history of each shard that is there by
        "INDEX/NUMBER".
    """
    found = client.indices.get(
        index=list(names), ignore_unavailable=True, filter_path="*.settings.index.uuid"
    )
    identities = {name: str(index["settings"]["index"]["uuid"]) for name, index in found.items()}
    if identities:
        stats = client.indices.stats(
            index=sorted(identities),
            level="shards",
            metric="docs",
            filter_path="indices.*.shards.*.commit.user_data.history_uuid",
        )
        for name, index in stats.get("indices", {}).items():
            for number, copies in index["shards"].items():
                for copy in copies:
                    identities[f"{name}/{number}"] = copy["commit"]["user_data"]["history_uuid"]
    return identities
