"""The checksums of the models that ship."""

import hashlib
import shutil
from pathlib import Path

import pytest

from citespan.pipelines.errors import MachineError
from citespan.pipelines.text import shipped_models
from citespan.pipelines.text.shipped_models import CHECKSUMS, FOLDER, check_shipped


def test_every_file_has_its_checksum() -> None:
    stated = dict(
        reversed(line.split("  ")) for line in CHECKSUMS.read_text(encoding="utf-8").splitlines()
    )
    files = {
        str(file.relative_to(FOLDER)): hashlib.sha256(file.read_bytes()).hexdigest()
        for file in FOLDER.rglob("*")
        if file.is_file() and file.suffix != ".md" and file != CHECKSUMS
    }
    assert stated == files, "write them anew: see shipped_models.CHECKSUMS"


@pytest.mark.parametrize("name", ["punkt-craft.json", "tagger-craft-small"])
def test_a_damaged_or_missing_part_is_named(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.copytree(FOLDER, tmp_path / "models")
    monkeypatch.setattr(shipped_models, "FOLDER", tmp_path / "models")
    assert check_shipped(name) == tmp_path / "models" / name
    path = tmp_path / "models" / name
    part = path if path.is_file() else path / "tok2vec" / "model"
    with part.open("r+b") as file:
        file.seek(1000)
        file.write(b"\0")
    with pytest.raises(MachineError, match=f"{part}: damaged; install citespan again"):
        check_shipped(name)
    part.unlink()
    with pytest.raises(MachineError, match=f"{part}: can't be read .*install citespan again"):
        check_shipped(name)
