"""Checks of the server as a whole."""

from collections.abc import Iterator, Mapping
from importlib import metadata
from typing import Any

from elasticsearch import Elasticsearch

from citespan.deploy.node.assemble import VERSION
from citespan.pipelines.store import capacity
from citespan.pipelines.store.finding import Finding, some
from citespan.pipelines.store.layout import shared_layout
from citespan.pipelines.store.lease import find_writers

_FULL_HEAP = 85
"""Percent, above which a JVM spends its time on collecting garbage."""
_SMALL_HEAP = 512 * 2**20
_NEARLY_ALL_SHARDS = 0.9


def version(info: Mapping[str, Any]) -> Iterator[Finding]:
    """Server against client, by major and minor version."""
    server = str(info["version"]["number"])
    found = f"Elasticsearch {server}, client {metadata.version('elasticsearch')}"
    tested = ".".join(VERSION.split(".")[:2])
    if server.split(".")[:2] == tested.split("."):
        yield Finding("server", "ok", found)
    else:
        yield Finding(
            "server", "warning", found, f"citespan is tested with {tested}: use that where you can"
        )


def health(client: Elasticsearch) -> Iterator[Finding]:
    """The cluster's, of all shards of all indices."""
    told = client.cluster.health()
    nodes, unassigned = int(told["number_of_nodes"]), int(told["unassigned_shards"])
    found = f"{told['status']}, {nodes} nodes" if nodes > 1 else f"{told['status']}, one node"
    if told["status"] == "green":
        yield Finding("cluster", "ok", found)
    elif told["status"] == "yellow":
        yield Finding(
            "cluster",
            "warning",
            f"{found}, {unassigned} copies of shards have no place",
            "add a data node, or see GET _cluster/allocation/explain",
        )
    else:
        yield Finding(
            "cluster",
            "failure",
            f"{found}, {unassigned} shards are missing",
            "see GET _cluster/allocation/explain; restore from a snapshot what can't come back",
        )


def disk(client: Elasticsearch) -> Iterator[Finding]:
    """Free space of each node against the server's own three marks."""
    stats = client.nodes.stats(metric="fs", filter_path="nodes.*.name,nodes.*.fs.data")
    for node in stats["nodes"].values():
        for path in node.get("fs", {}).get("data", ()):
            yield _disk(node["name"], path)


def _disk(node: str, path: Mapping[str, Any]) -> Finding:
    free = int(path["available_in_bytes"])
    found = f"{_gb(free)} free of {_gb(path['total_in_bytes'])} on {node}"
    marks = [
        ("flood_stage", "failure", "indices there take no more writing"),
        ("high", "failure", "shards are moved away from there"),
        ("low", "warning", "no new shards go there"),
    ]
    for mark, state, meaning in marks:
        limit = path.get(f"{mark}_watermark_free_space_in_bytes")
        if limit is not None and free < int(limit):
            return Finding(
                "disk",
                state,  # type: ignore[arg-type]
                f"{found}: below {_gb(limit)}, the mark where {meaning}",
                "make room or add a data node; the watermarks are settings of the cluster",
            )
    return Finding("disk", "ok", found)


def heap(client: Elasticsearch) -> Iterator[Finding]:
    """The Java heap of each node, at this moment."""
    stats = client.nodes.stats(metric="jvm", filter_path="nodes.*.name,nodes.*.jvm.mem")
    for node in stats["nodes"].values():
        memory = node["jvm"]["mem"]
        used, most = int(memory["heap_used_percent"]), int(memory["heap_max_in_bytes"])
        found = f"{used} % of {_gb(most)} used on {node['name']}"
        if used > _FULL_HEAP:
            remedy = "look again; if it stays so, give it more (CITESPAN_ES_HEAP for a local node)"
            yield Finding("heap", "warning", found, remedy)
        elif most < _SMALL_HEAP:
            yield Finding("heap", "warning", found, "give it 512 MB at least (CITESPAN_ES_HEAP)")
        else:
            yield Finding("heap", "ok", found)


def shards(client: Elasticsearch) -> Iterator[Finding]:
    """Shards against the limit, beyond which no index can be made."""
    limit, used = capacity.read_limit(client), capacity.count_shards(client)
    found = f"{used:,} of {limit:,} shards"
    remedy = f"use the layout {shared_layout().name}, {capacity.REMEDY}"
    if used >= limit:
        yield Finding("shards", "failure", f"{found}: no index can be made", remedy)
    elif used > _NEARLY_ALL_SHARDS * limit:
        yield Finding("shards", "warning", found, remedy)
    else:
        yield Finding("shards", "ok", found)


def writers(client: Elasticsearch) -> Iterator[Finding]:
    """The commands that write at this moment, by their leases."""
    found = some([str(writer) for writer in find_writers(client)])
    yield Finding("writing", "ok", found or "no command is writing")


def _gb(size: int | str) -> str:
    return f"{int(size) / 1e9:,.1f} GB"
