"""The indices behind the alias of the layout `sentences`: how many there are, and which one an
article belongs in."""

import hashlib
import math
from collections.abc import Mapping

from elasticsearch import Elasticsearch

from citespan.es_mappings import sentences
from citespan.es_mappings.index_name import IndexNames
from citespan.pipelines.store.index_versions import require_versions
from citespan.pipelines.store.server import Server, create_index

_SENTENCES_OF_AN_ARTICLE = 250
_SENTENCES_OF_A_SHARD = 40_000_000
_SHARDS_OF_AN_INDEX = 8


def ensure_sentence_indices(server: Server, names: IndexNames, articles: int) -> None:
    """Create the indices that so many articles need, beside the existing ones.

    Args:
        articles: how many are expected in all, those already loaded included.

    Raises:
        OtherVersionError: if one of the existing ones is of another mapping version.
    """
    server.call(lambda: require_versions(server.client, names.sentences, names=names))
    present = server.call(lambda: find_sentence_indices(server.client, names))
    missing = count_shards(articles) - sum(present.values())
    number = 0
    while missing > 0:
        name = names.sentences_index(number)
        number += 1
        if name in present:
            continue
        shards = math.ceil(missing / math.ceil(missing / _SHARDS_OF_AN_INDEX))
        body = {
            "mappings": sentences.mapping(),
            "settings": sentences.settings(shards),
            "aliases": {names.sentences: {}},
        }
        server.delete_stray(name)
        server.call(lambda: create_index(server.client, name, **body))  # noqa: B023
        missing -= shards


def count_shards(articles: int) -> int:
    """Return the number of shards that so many articles need, at least 1."""
    expected = articles * _SENTENCES_OF_AN_ARTICLE
    return max(1, math.ceil(expected / _SENTENCES_OF_A_SHARD))


def find_sentence_indices(client: Elasticsearch, names: IndexNames) -> dict[str, int]:
    """Return the indices behind the alias, with the number of shards of each."""
    if not client.indices.exists_alias(name=names.sentences):
        return {}
    found = client.indices.get_settings(
        index=names.sentences, filter_path="*.settings.index.number_of_shards"
    )
    return {
        name: int(one["settings"]["index"]["number_of_shards"])
        for name, one in sorted(found.items())
    }


def assign_index(slug: str, indices: Mapping[str, int]) -> str:
    """Return the index that a new article belongs in, by rendezvous hashing.

    Each index gets a share of the articles in proportion to its shards, and adding an index moves
    no article between the others.

    Args:
        slug: of the article's id.
        indices: their numbers of shards, by name.
    """

    def score(index: str) -> float:
        digest = hashlib.blake2b(f"{index} {slug}".encode(), digest_size=8).digest()
        drawn = (int.from_bytes(digest) + 1) / (2**64 + 1)
        return -indices[index] / math.log(drawn)

    return max(sorted(indices), key=score)
