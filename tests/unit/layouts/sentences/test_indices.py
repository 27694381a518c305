"""The indices of sentences: which one an article is in."""

from collections import Counter

import pytest

from citespan.pipelines.layouts.sentences.write import assign_index


def test_articles_are_spread_by_shards_and_few_move_when_an_index_is_added() -> None:
    names = [f"PMC{n}" for n in range(4000)]
    two = {"citespan-sentences-000": 8, "citespan-sentences-001": 4}
    before = {name: assign_index(name, two) for name in names}
    spread = Counter(before.values())
    assert spread["citespan-sentences-000"] == pytest.approx(4000 * 8 / 12, rel=0.06)
    three = two | {"citespan-sentences-002": 4}
    moved = [name for name in names if assign_index(name, three) != before[name]]
    assert {assign_index(name, three) for name in moved} == {"citespan-sentences-002"}
    assert len(moved) == pytest.approx(4000 / 4, rel=0.12)
