"""Whether the cluster can hold an index for each article, asked before anything is loaded."""

from elasticsearch import Elasticsearch

from citespan.es_mappings import articles as articles_index
from citespan.es_mappings.index_name import ALL_SPANS
from citespan.pipelines.errors import CitespanError

_LIMIT = "cluster.max_shards_per_node"
REMEDY = f"add a data node, or raise {_LIMIT} in the cluster's settings"


class ShardLimitError(CitespanError):
    """More articles than the cluster takes indices."""


def check(client: Elasticsearch, articles: int) -> None:
    """Refuse a load that can't fit.

    Span indices that are there already are taken to be of the same articles, so a load that
    this lets through can still meet the limit, as it can where articles are replaced, whose old
    indices go last; the articles concerned are then quarantined.

    Raises:
        ShardLimitError: with the figures and the remedies.
    """
    nodes = _nodes(client)
    allowed = limit(client)
    per_node = allowed // nodes
    used = shards(client)
    copies = min(nodes, 2)
    if not client.indices.exists(index=articles_index.INDEX):
        used += copies  # the catalogue is still to be made
    spans = len(client.indices.get(index=ALL_SPANS, filter_path="*.aliases")) * copies
    if articles * copies > allowed - used + spans:
        room = max(0, (allowed - used + spans) // copies)
        raise ShardLimitError(
            f"{articles:,} articles need {articles * copies:,} shards, and the cluster has room "
            f"for {allowed - used + spans:,} of its {allowed:,}: load at most {room:,} articles, "
            f"{REMEDY} (now {per_node:,})"
        )


def limit(client: Elasticsearch) -> int:
    """How many shards the cluster takes, on all its data nodes."""
    configured = client.cluster.get_settings(include_defaults=True, flat_settings=True)
    per_node = next(
        int(configured[level][_LIMIT])
        for level in ("transient", "persistent", "defaults")
        if _LIMIT in configured.get(level, {})
    )
    return per_node * _nodes(client)


def shards(client: Elasticsearch) -> int:
    """How many shards the cluster counts against its limit: those that open indices are to have,
    wherever they are (org.elasticsearch.indices.ShardLimitValidator)."""
    indices = client.indices.get_settings(
        index="*",
        expand_wildcards=["open", "hidden"],
        filter_path="*.settings.index.number_of_shards,*.settings.index.number_of_replicas",
    )
    settings = (one["settings"]["index"] for one in indices.values())
    return sum(
        int(one["number_of_shards"]) * (1 + int(one["number_of_replicas"])) for one in settings
    )


def _nodes(client: Elasticsearch) -> int:
    return int(client.cluster.health()["number_of_data_nodes"])
