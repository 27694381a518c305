"""Inputs that make more work than their size says: each is one quarantined input, the files beside
it are indexed, and neither process takes more memory than a small machine has."""

import gzip
import json
import subprocess
import sys
import tarfile
from pathlib import Path
from typing import Any

import pytest
from small_loads import line

from citespan.pipelines.store.operation import MOST_BYTES
from citespan.pipelines.text.splitter import MOST_SENTENCES

_ADDRESSES = 1_700 * 2**20
_PEAK = 600 * 2**20
_SENTENCE = "The receptor of the mice was damaged, and their cells did not repair it in time. "


# Run as a process of its own, since a process begins with the peak of the one that started it, and
# the tests' own may have held collections. Writes the peak of all processes under it to a file.
_MEASURED = f"""
import os, resource, subprocess, sys
resource.setrlimit(resource.RLIMIT_AS, ({_ADDRESSES}, {_ADDRESSES}))
running = subprocess.Popen(sys.argv[2:])
_, status, usage = os.wait4(running.pid, 0)
with open(sys.argv[1], "w") as file:
    file.write(str(usage.ru_maxrss * 1024))
sys.exit(os.waitstatus_to_exitcode(status))
"""


def index(peak: Path, *arguments: str) -> tuple[dict[str, Any], int]:
    """Load with so many addresses; the report, and the most memory of any of the processes."""
    command = [sys.executable, "-m", "citespan.cli.main", "index", *arguments, "--json"]
    ended = subprocess.run(
        [sys.executable, "-c", _MEASURED, str(peak), *command],
        capture_output=True,
        text=True,
        check=False,
    )
    assert ended.returncode in (0, 1), ended.stderr
    return json.loads(ended.stdout), int(peak.read_text())


def write_small(folder: Path, prefix: str) -> None:
    for number in range(3):
        (folder / f"{prefix}-{number}.jsonl").write_text(line(f"{prefix}-{number}", 5))


def write_archive(file: Path) -> None:
    """An archive of 1 MB whose one header has 1 GiB."""
    header = tarfile.TarInfo("header")
    header.type, header.size = tarfile.XHDTYPE, 2**30
    with gzip.open(file, "wb", 1) as packed:
        packed.write(header.tobuf())
        for _ in range(256):
            packed.write(bytes(2**20))


@pytest.mark.parametrize("layout", ["spans", "sentences"])
def test_too_much_work_is_one_quarantined_input(node: str, tmp_path: Path, layout: str) -> None:
    write_small(tmp_path, f"memory{layout}")
    texts = {
        f"short{layout}.txt": "A b. " * (MOST_SENTENCES + 1_000),
        f"long{layout}.txt": _SENTENCE * (14_000_000 // len(_SENTENCE)),
        f"many{layout}.txt": (_SENTENCE * 20 + "\n\n") * (MOST_SENTENCES // 20 - 1),
    }
    for name, text in texts.items():
        (tmp_path / name).write_text(text)
    write_archive(tmp_path / "headers.tar.gz")
    inputs = map(str, sorted(tmp_path.iterdir()))
    report, peak = index(tmp_path / "peak", *inputs, "--layout", layout)
    reasons = {
        Path(rejection["path"]).name: rejection["reason"] for rejection in report["quarantined"]
    }
    assert f"at most {MOST_SENTENCES:,} are indexed" in reasons.pop(f"short{layout}.txt")
    assert f"at most {MOST_SENTENCES:,} are indexed" in reasons.pop(f"long{layout}.txt")
    assert "a header of 1,073,741,824 bytes" in reasons.pop("headers.tar.gz")
    if layout == "spans":
        reason = reasons.pop(f"many{layout}.txt")
        assert f"its documents take more than {MOST_BYTES >> 20} MB; split it" in reason
    assert reasons == {}
    assert report["indexed"] == (3 if layout == "spans" else 4)
    assert peak < _PEAK, f"{peak / 2**20:.0f} MB"
