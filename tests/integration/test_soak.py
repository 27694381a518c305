"""Rounds of the soak test with fixed seeds."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "soak"))

from scenario import Round


@pytest.mark.parametrize("seed", [1, 2])
def test_loads_at_once_lose_double_and_leave_nothing(node: str, tmp_path: Path, seed: int) -> None:
    Round(node, tmp_path, seed).run(loads=1)
