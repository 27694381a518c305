"""A run folder is checked before an experiment runs."""

from pathlib import Path

import pytest

from citespan.pipelines.errors import InputError
from citespan.pipelines.evaluation.results import check_folder


def test_a_folder_that_can_be_made_or_written_to_is_right(tmp_path: Path) -> None:
    check_folder(tmp_path)
    check_folder(tmp_path / "a/b/c")
    check_folder(Path("runs/here"))
    assert list(tmp_path.iterdir()) == []


def test_what_is_in_the_way_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "file"
    file.touch()
    for folder in (file, file / "below"):
        with pytest.raises(InputError, match=r"file is a file; name another folder by `out`"):
            check_folder(folder)
    monkeypatch.setattr("os.access", lambda *_: False)
    with pytest.raises(InputError, match=f"{tmp_path} can't be written to; name another folder"):
        check_folder(tmp_path / "new")
