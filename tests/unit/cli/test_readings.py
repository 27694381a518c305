"""What commands say of inputs that are left out."""

import pytest

from citespan.cli.readings import warn_rejected
from citespan.pipelines.corpus.article import Rejected


def test_alike_reasons_are_listed_to_twenty_and_then_counted(
    capsys: pytest.CaptureFixture[str],
) -> None:
    warn_rejected(
        each
        for number in range(25)
        for each in (
            Rejected(f"a:{number}", "is empty", "skipped"),
            Rejected(f"b:{number}", "is broken"),
        )
    )
    said = capsys.readouterr().err.splitlines()
    assert said[0] == "skipped: a:0: is empty"
    assert said[20] == "skipped: 5 more: is empty"
    assert said[21:23] == ["quarantined: b:0: is broken", "quarantined: b:1: is broken"]
    assert said[41:] == ["quarantined: 5 more: is broken"]
