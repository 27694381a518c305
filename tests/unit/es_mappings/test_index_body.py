"""What the bodies of all indices have in common."""

from collections.abc import Callable
from typing import Any

import pytest

from citespan.es_mappings import abstracts, articles, leases, loads, sentences, spans
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
