"""Folders with what somebody works on can be read by nobody else, whatever the umask is."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from made_outcomes import make_outcome, tens, write_run

from citespan.pipelines.corpus.article import Rejected
from citespan.pipelines.indexing.quarantine import copy_quarantined
from citespan.pipelines.indexing.writing.checkpoint import Checkpoint


@pytest.fixture(autouse=True)
def _open_umask() -> Iterator[None]:
    before = os.umask(0)
    yield
    os.umask(before)


def test_originals_that_were_quarantined(tmp_path: Path) -> None:
    file = tmp_path / "article.xml"
    file.write_text("no XML", encoding="utf-8")
    copy_quarantined([Rejected(str(file), "not XML")], tmp_path / "kept")
    assert (tmp_path / "kept").stat().st_mode & 0o777 == 0o700


def test_how_far_a_load_has_come(tmp_path: Path) -> None:
    with Checkpoint(tmp_path / "loads" / "checkpoint", {"paths": ["/articles"]}):
        assert (tmp_path / "loads").stat().st_mode & 0o777 == 0o700


def test_what_an_experiment_found(tmp_path: Path) -> None:
    write_run(tmp_path / "run", {"system": [make_outcome(tens(3), [[(0, 9)]], [(0, 0)])]})
    assert (tmp_path / "run").stat().st_mode & 0o777 == 0o700
