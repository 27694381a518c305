"""What the bodies of all indices have in common."""

from collections.abc import Callable
from typing import Any

import pytest

from citespan.es_mappings import (
    abstracts,
    articles,
    citances,
    citations,
    leases,
    links,
    loads,
    sentences,
    spans,
)
from citespan.es_mappings.index_body import SHARD_BYTES, count_shards
from citespan.pipelines.retrieval.model import similarities


@pytest.mark.parametrize(
    "mapping",
    [
        abstracts.mapping,
        articles.mapping,
        leases.mapping,
        loads.mapping,
        sentences.mapping,
        lambda: spans.mapping(similarities(["vsm", "bm25"])),
    ],
)
def test_the_next_mapping_leaves_an_earlier_one_as_it_is(
    mapping: Callable[[], dict[str, Any]],
) -> None:
    earlier = mapping()
    earlier["_meta"]["made_for"] = "one article"
    fields = dict(earlier["properties"])
    mapping()
    spans.mapping(similarities(["vsm"]))
    assert earlier["_meta"]["made_for"] == "one article"
    assert earlier["properties"] == fields


def test_shards_have_at_most_25_gigabytes_of_what_is_expected() -> None:
    articles_of_a_shard = SHARD_BYTES // 40_000
    expected = (0, articles_of_a_shard, articles_of_a_shard + 1, 40_000_000)
    assert [count_shards(number, 40_000) for number in expected] == [1, 1, 2, 64]


def test_catalogue_sentences_and_citations_of_five_million_articles_have_shards_by_their_size() -> (
    None
):
    made = (articles.settings(5_000_000), citations.settings(5_000_000), sentences.settings(8))
    assert [settings["index"]["number_of_shards"] for settings in made] == [5, 4, 8]
    assert [articles.settings()["index"]["number_of_shards"]] == [1]


def test_links_of_forty_million_articles_and_what_they_say_have_shards_by_their_size() -> None:
    made = (links.settings(40_000_000), citances.settings(40_000_000))
    assert [settings["index"]["number_of_shards"] for settings in made] == [4, 2]
