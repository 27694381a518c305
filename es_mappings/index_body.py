"""What the bodies of all indices have in common."""

import math
from copy import deepcopy
from typing import Annotated, Any, Final, get_args, get_origin, get_type_hints

from elasticsearch.dsl import Document


def strict_mapping(document: type[Document], version: int) -> dict[str, Any]:
    """The mapping of a document; a field that it doesn't name is refused.

    Args:
        version: of the mapping, kept with it, so that an index of another version can be told.
    """
    # the library's own object, of which there is one for each kind of document
    body: dict[str, Any] = deepcopy(document._doc_type.mapping.to_dict())
    return _close(body, version)


def record_mapping(record: type, version: int) -> dict[str, Any]:
    """The mapping of a dataclass that is a document, as `strict_mapping`."""
    return _close({"properties": describe_fields(record)}, version)


def describe_fields(record: type) -> dict[str, Any]:
    """The properties of a dataclass whose fields are annotated with their kinds, or are such
    dataclasses themselves, or many of these."""
    hints = get_type_hints(record, include_extras=True)
    return {name: _describe_field(hint) for name, hint in hints.items()}


def _describe_field(hint: Any) -> dict[str, Any]:
    if get_origin(hint) is Annotated:
        described: dict[str, Any] = hint.__metadata__[0].to_dict()
        return described
    [inner, *_] = get_args(hint) or [hint]
    return {"type": "object", "properties": describe_fields(inner)}


def _close(body: dict[str, Any], version: int) -> dict[str, Any]:
    return body | {"dynamic": "strict", "_meta": {"citespan_mapping": version}}


def index_settings(shards: int = 1, **more: Any) -> dict[str, Any]:
    """The settings of an index.

    A replica is made only where there is a second node to hold it. It starts from none, since
    the server would otherwise ask for the room of one before it finds that it can't be held.
    """
    return {
        "index": {
            "number_of_shards": shards,
            "number_of_replicas": 0,
            "auto_expand_replicas": "0-1",
            **more,
        }
    }


def loaded_index_settings(shards: int = 1, **more: Any) -> dict[str, Any]:
    """The settings of an index that a load fills: nothing is refreshed until it asks for it."""
    return index_settings(shards, refresh_interval="-1", **more)


SHARD_BYTES: Final = 25 * 10**9
"""How large the shards of indices of articles are to become: Elasticsearch advises 10 to 50 GB, and
estimates of what is still to be loaded may be wrong by a half."""


def count_shards(articles: int, article_bytes: int) -> int:
    """Return how many primary shards so many articles need, at least 1.

    Args:
        article_bytes: that an article takes on average in the index.
    """
    return max(1, math.ceil(articles * article_bytes / SHARD_BYTES))


COMPRESSED: Final[dict[str, Any]] = {"codec": "best_compression"}
"""The setting of indices whose documents are rarely read alone. Zstandard packs sources in
blocks of 240 kB, a quarter smaller than the default codec, and reading a document unpacks its
block; those that are stored one after the other, as an article's mostly are, are read together."""
