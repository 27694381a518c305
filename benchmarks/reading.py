"""Reading: the processor time that an article takes from its file to documents ready to be sent.

`python -m benchmarks reading --against PATH` loads the same articles in turns by this version and
by another, where PATH is the `citespan` executable of the other, and compares what the processes
that read have taken of the processor for an article. What they take to start is left out: it is
what a small load and a large one have in common. The stages are of this version alone, measured in
this process.
"""

import time
from collections.abc import Callable, Iterator
from pathlib import Path
from statistics import median
from typing import TypeVar

from benchmarks.corpus import repeated
from benchmarks.node import wipe
from benchmarks.row import Row
from benchmarks.startup import THIS, without_this_version
from benchmarks.watched import watched
from citespan.pipelines.corpus.article import Article
from citespan.pipelines.corpus.files import read_bytes
from citespan.pipelines.corpus.reader import readers
from citespan.pipelines.corpus.xml import parse
from citespan.pipelines.indexing.documents.settings import DocumentSettings
from citespan.pipelines.indexing.layout import writer_of
from citespan.pipelines.text.splitter import DEFAULT, split_article, splitters

S = TypeVar("S")
T = TypeVar("T")

_FEW, _MANY = 40, 400
_TURNS = 3
_WANTED = ">= 1.5"


def run(folder: Path, scratch: Path, against: Path | None = None) -> Iterator[Row]:
    """The stages, then whole loads."""
    many = repeated(folder, _MANY, scratch / "many-read")
    few = repeated(folder, _FEW, scratch / "few-read")
    yield from _stages(many)
    for layout in ("sentences", "spans"):
        commands = [THIS] if against is None else [THIS, (str(against),)]
        taken: list[list[float]] = [[] for _ in commands]
        for _ in range(_TURNS):
            for command, milliseconds in zip(commands, taken, strict=True):
                more = _read(command, many, layout) - _read(command, few, layout)
                milliseconds.append(1000 * more / (_MANY - _FEW))
        mine = median(taken[0])
        row = Row(f"reading an article for --layout {layout}", f"{mine:.1f} ms")
        for other in map(median, taken[1:]):
            ratio = f"{other / mine:.2f} times as fast"
            row = Row(row.label, row.figure, f"{other:.1f} ms", ratio, _WANTED)
        yield row
    wipe()


def _read(command: tuple[str, ...], folder: Path, layout: str) -> float:
    """Seconds of the processor that reading takes in a whole load."""
    wipe()
    options = ("index", str(folder), "--format", "jats", "--layout", layout)
    return watched([*command, *options], without_this_version(command)).children


def _stages(folder: Path) -> Iterator[Row]:
    reader, splitter = readers["jats"], splitters[DEFAULT]
    files = list(reader.find(folder))
    parsing, _ = _measure(lambda file: parse(read_bytes(file)) is not None, files)
    reading, found = _measure(lambda file: list(reader.read(file)), files)
    articles = [reading for of_file in found for reading in of_file if isinstance(reading, Article)]
    splitting, split = _measure(lambda article: split_article(article, splitter), articles)
    yield from [
        Row("of an article: parsing its XML", f"{parsing:.2f} ms"),
        Row("reading its text, parsing included", f"{reading:.2f} ms"),
        Row("splitting it into sentences", f"{splitting:.2f} ms"),
    ]
    for name in ("sentences", "spans"):
        writer, settings = writer_of(name), DocumentSettings((), name)
        pairs = list(zip(articles, split, strict=True))
        building, _ = _measure(lambda pair: writer.build(*pair, settings), pairs)  # noqa: B023
        yield Row(f"documents of the layout {name}", f"{building:.2f} ms")


def _measure(stage: Callable[[S], T], inputs: list[S]) -> tuple[float, list[T]]:
    """Milliseconds of the processor for each input, and what the stage makes of them."""
    started = time.process_time()
    made = [stage(given) for given in inputs]
    return 1000 * (time.process_time() - started) / len(inputs), made
