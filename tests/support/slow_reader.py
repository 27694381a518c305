"""A reader of another distribution that takes for ever, or all memory, as a file tells it to."""

import os
from collections.abc import Mapping
from pathlib import Path

_CODE = """
import re
import time

from citespan.pipelines.corpus.article import Rejected
from citespan.pipelines.corpus.file_reader import FileReader
from citespan.pipelines.corpus.files import read_head
from citespan.pipelines.corpus.reader import readers


@readers.register
class Slow(FileReader):
    name = "slow"
    description = "files that are slow to read"

    def looks_like(self, file):
        return read_head(file).startswith(b"<slow ")

    def read_file(self, file, source):
        told = file.read_text()
        if "spins" in told:  # and lets no other thread run meanwhile
            re.match("(a+)+$", "a" * 60 + "b")
        if "waits" in told:
            time.sleep(600)
        if "grows" in told:
            taken = [bytearray(10_000_000) for _ in range(400)]
        yield Rejected(source, "it was read after all")
"""


def install(folder: Path) -> Mapping[str, str]:
    """Put the distribution into a folder, as pip would; return the environment to use it in, which
    has no server."""
    (folder / "slow_reader_plugin.py").write_text(_CODE)
    metadata = folder / "slow_reader_plugin-1.0.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text(
        "Metadata-Version: 2.1\nName: slow-reader-plugin\nVersion: 1.0\n"
    )
    (metadata / "entry_points.txt").write_text(
        "[citespan.readers]\nslow = slow_reader_plugin:Slow\n"
    )
    scratch = folder / "scratch"
    scratch.mkdir()
    paths = [str(folder), *filter(None, [os.environ.get("PYTHONPATH")])]
    return os.environ | {
        "PYTHONPATH": os.pathsep.join(paths),
        "CITESPAN_ES_URL": "http://127.0.0.1:9",
        "TMPDIR": str(scratch),
    }
