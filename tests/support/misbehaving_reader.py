"""A reader, published as a plug-in, that hangs or takes memory where a file tells it to."""

from pathlib import Path

_CODE = """
import re
from citespan.pipelines.corpus.article import Article
from citespan.pipelines.corpus.file_reader import FileReader
from citespan.pipelines.corpus.reader import readers
from citespan.pipelines.corpus.readers.jsonl import JsonlReader


def obey(text):
    if "hang" in text:
        with open(__file__ + ".hangs", "w") as told:
            told.write("now")
        re.match("(a+)+$", "a" * 64 + "b")  # never gives way to another thread, or a signal
    if "grow" in text:
        held = []
        while True:
            held.append(bytearray(10**7))


@readers.register
class Lines(JsonlReader):
    name = "badlines"
    description = "lists that misbehave"

    def looks_like(self, file):
        return file.suffix == ".badlines" or str(file) == "-"

    def records(self, unit):
        for record in super().records(unit):
            object.__setattr__(record, "read", lambda read=record.read: self.obey(read))
            yield record

    def obey(self, read):
        article = read()
        obey(getattr(article, "text", ""))
        return article


@readers.register
class Files(FileReader):
    name = "badfiles"
    description = "files that misbehave"

    def looks_like(self, file):
        return file.suffix == ".badfile"

    def read_file(self, file, source):
        text = file.read_text()
        obey(text)
        yield Article(id=file.stem, title="", text=text, source=source)
"""


def install(folder: Path) -> str:
    """Put the distribution into a folder, as pip would, and return the value of PYTHONPATH."""
    (folder / "misbehaving.py").write_text(_CODE)
    metadata = folder / "misbehaving-1.0.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: misbehaving\nVersion: 1.0\n")
    (metadata / "entry_points.txt").write_text(
        "[citespan.readers]\nbadlines = misbehaving:Lines\nbadfiles = misbehaving:Files\n"
    )
    return str(folder)


def hangs(folder: Path) -> bool:
    """Return whether a reader has begun to hang."""
    return (folder / "misbehaving.py.hangs").exists()
