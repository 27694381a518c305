"""Rounds of the soak test with fixed seeds: of sentences, of spans, and of abstracts."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "soak"))

from scenario import Round


@pytest.mark.parametrize(("seed", "loaded"), [(1, "sentences"), (5, "spans"), (9, "abstracts")])
def test_loads_at_once_lose_double_and_leave_nothing(
    node: str, tmp_path: Path, seed: int, loaded: str
) -> None:
    one = Round(node, tmp_path, seed)
    assert one.loaded == loaded
    one.run(loads=1)
    assert one.counts.documents
