"""The indices behind the alias `citespan-sentences`: how many there are, and which has what."""

import hashlib
import math
from collections.abc import Mapping

from elasticsearch import BadRequestError, Elasticsearch

from citespan.es_mappings import sentences
from citespan.es_mappings.index_name import SENTENCES, sentences_index
from citespan.pipelines.indexing.writing.patience import Patience

_SENTENCES_OF_AN_ARTICLE = 250
_SENTENCES_OF_A_SHARD = 40_000_000
_SHARDS_OF_AN_INDEX = 8


def ensure(client: Elasticsearch, patience: Patience, articles: int) -> dict[str, int]:
    """Make the indices that so many articles need, beside those that there are.

    Args:
        articles: how many are expected in all, those that are loaded included.

    Returns:
        The shards of each index behind the alias.
    """
    present = patience.call(lambda: existing(client))
    lacking = shards_for(articles) - sum(present.values())
    number = 0
    while lacking > 0:
        name = sentences_index(number)
        number += 1
        if name in present:
            continue
        shards = math.ceil(lacking / math.ceil(lacking / _SHARDS_OF_AN_INDEX))
        _make(client, patience, name, shards)
        lacking -= shards
    return patience.call(lambda: existing(client))


def shards_for(articles: int) -> int:
    """How many shards so many articles need; at least one."""
    expected = articles * _SENTENCES_OF_AN_ARTICLE
    return max(1, math.ceil(expected / _SENTENCES_OF_A_SHARD))


def existing(client: Elasticsearch) -> dict[str, int]:
    """The indices behind the alias, with the shards of each."""
    if not client.indices.exists_alias(name=SENTENCES):
        return {}
    found = client.indices.get_settings(
        index=SENTENCES, filter_path="*.settings.index.number_of_shards"
    )
    return {
        name: int(one["settings"]["index"]["number_of_shards"])
        for name, one in sorted(found.items())
    }


def home(name: str, indices: Mapping[str, int]) -> str:
    """The index that a new article belongs in, by rendezvous hashing.

    Each index gets as large a part of the articles as it has of the shards, and adding one moves
    no article from one of the others to another.

    Args:
        name: the article's slug.
        indices: their shards, by name.
    """

    def score(index: str) -> float:
        digest = hashlib.blake2b(f"{index} {name}".encode(), digest_size=8).digest()
        drawn = (int.from_bytes(digest) + 1) / (2**64 + 1)
        return -indices[index] / math.log(drawn)

    return max(sorted(indices), key=score)


def _make(client: Elasticsearch, patience: Patience, name: str, shards: int) -> None:
    def create() -> None:
        try:
            client.indices.create(
                index=name,
                mappings=sentences.mapping(),
                settings=sentences.settings(shards),
                aliases={SENTENCES: {}},
            )
        except BadRequestError as error:
            # another load, or an answer that was lost
            if error.error != "resource_already_exists_exception":
                raise

    patience.call(create)
