"""Whether the cluster has room for an index for each article, checked before anything is loaded."""

from elasticsearch import Elasticsearch

from citespan.es_mappings.index_name import IndexNames
from citespan.pipelines.errors import CitespanError
from citespan.pipelines.store.layout import shared_layout

_LIMIT = "cluster.max_shards_per_node"
REMEDY = f"add a data node, or raise {_LIMIT} in the cluster's settings"


class ShardLimitError(CitespanError):
    """More articles than the cluster can have indices."""


def check(client: Elasticsearch, articles: int, names: IndexNames, layout: str) -> None:
    """Refuse a load that does not fit.

    Existing indices of the layout are assumed to be of the same articles, so a load that passes can
    still meet the limit. It can do so, too, if articles are replaced, since their former indices
    are deleted last. It then ends, and can be repeated when there is room.

    Raises:
        ShardLimitError: with the figures and the remedies.
    """
    nodes = _count_nodes(client)
    allowed = nodes * _read_limit_per_node(client)
    shards = _read_shards(client)
    copies = min(nodes, 2)
    absent = sum(shared not in shards for shared in (names.articles, names.citations))
    used = sum(shards.values()) + absent * copies  # these will be created
    own = sum(name.startswith(names.own_index(layout, "")) for name in shards) * copies
    if names.generation:
        own = 0  # those that are there stay until the end
    if articles * copies > allowed - used + own:
        room = max(0, (allowed - used + own) // copies)
        raise ShardLimitError(
            f"{articles:,} articles need {articles * copies:,} shards, and the cluster has room "
            f"for {allowed - used + own:,} of its {allowed:,}: load at most {room:,} articles, or "
            f"all with `layout={shared_layout().name}`, {REMEDY} (now {allowed // nodes:,})"
        )


def read_limit(client: Elasticsearch) -> int:
    """Return how many shards the cluster allows on all its data nodes together."""
    return _read_limit_per_node(client) * _count_nodes(client)


def count_shards(client: Elasticsearch) -> int:
    """Return how many shards the cluster counts against its limit: those that the settings of
    open indices ask for (org.elasticsearch.indices.ShardLimitValidator)."""
    return sum(_read_shards(client).values())


def _read_limit_per_node(client: Elasticsearch) -> int:
    configured = client.cluster.get_settings(include_defaults=True, flat_settings=True)
    return next(
        int(configured[level][_LIMIT])
        for level in ("transient", "persistent", "defaults")
        if _LIMIT in configured.get(level, {})
    )


def _read_shards(client: Elasticsearch) -> dict[str, int]:
    """Return how many shards the settings of each open index ask for."""
    indices = client.indices.get_settings(
        index="*",
        expand_wildcards=["open", "hidden"],
        filter_path="*.settings.index.number_of_shards,*.settings.index.number_of_replicas",
    )
    settings = {name: index["settings"]["index"] for name, index in indices.items()}
    return {
        name: int(index["number_of_shards"]) * (1 + int(index["number_of_replicas"]))
        for name, index in settings.items()
    }


def _count_nodes(client: Elasticsearch) -> int:
    return int(client.cluster.health()["number_of_data_nodes"])
