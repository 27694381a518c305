"""What `citespan evaluate run` warns of."""

from types import SimpleNamespace
from typing import Any

import pytest

from citespan.cli.experiments import _warn


def test_citances_that_are_too_long_are_one_warning_for_each_system(
    capsys: pytest.CaptureFixture[str],
) -> None:
    results: Any = SimpleNamespace(
        rejected=(),
        remarks=(),
        without_terms={"baseline": ()},
        shortened={"baseline": (), "umls": ("c1", "c2"), "prf": tuple(f"c{n}" for n in range(12))},
    )
    _warn(results)
    umls, prf = capsys.readouterr().err.splitlines()
    assert umls == (
        "umls: too long, only the 1,000 terms of the greatest weight were searched for: c1, c2"
    )
    assert prf.endswith(
        "12 citances: c0, c1, c2, c3, c4, c5, c6, c7, c8, c9, … (all of them are in results.json)"
    )
