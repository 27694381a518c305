"""A round of each kind of the soak test, with seeds that are always the same."""

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "soak"))

from findings import Record
from machine import Machine
from run import KINDS, run_round
from scene import Scene
from watching import serving


@pytest.fixture(scope="module")
def site(node: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a running `citespan serve`."""
    folder = tmp_path_factory.mktemp("serve")
    with serving(Machine(Record(), node, folder / "home"), folder / "serve.log") as address:
        yield address


@pytest.mark.parametrize("kind", KINDS)
def test_nothing_is_lost_doubled_mixed_or_left(
    node: str, site: str, tmp_path: Path, kind: str
) -> None:
    scene = Scene(node, tmp_path, 1, site)
    run_round(kind, scene)
    assert not scene.record.found, scene.record.describe_found()
    assert scene.record.counts["documents"]
    assert scene.record.counts["loads without faults"]
