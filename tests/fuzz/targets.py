"""The readers as fuzzers see them: bytes in, the contract held, nothing raised but what is
documented.

An input of a format of several files is their contents with a line `=====` between them.
"""

import gzip
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from fuzz.contract import check_collection, check_reading, check_term
from growth.clock import stopped_after

from citespan.pipelines.corpus.article import Rejected
from citespan.pipelines.corpus.bibliographies.bibliography import read_bibliography
from citespan.pipelines.corpus.reader import AbstractReader, CollectionReader, readers
from citespan.pipelines.errors import InputError
from citespan.pipelines.vocabulary.reader import vocabulary_readers

DATA = Path(__file__).parents[1] / "data"
SAMPLE = Path(__file__).parents[2] / "pipelines" / "corpus" / "sample"
BETWEEN = b"\n=====\n"
_GZIP = b"\x1f\x8b"
# Of processor time, and of a fuzzer's, which is several times as slow.
_SECONDS, _SECONDS_A_BYTE = 5, 1e-4
_MOST_EXPANDED = 1_000_000  # characters that macros become


@dataclass(frozen=True)
class Target:
    """A reader, and where its input goes.

    Attributes:
        reader: a format, or a kind of vocabulary.
        files: paths below the unit's folder, one for each part of the input.
        unit: what the reader is given: a name below that folder; "" for the folder itself.
        seeds: for each seed the files it is made of, missing ones being empty.
        most: how many characters of text so many bytes may become, as keys that become numbers.
    """

    reader: str
    files: tuple[str, ...]
    unit: str
    seeds: tuple[tuple[Path, ...], ...]
    check: Callable[["Target", Path, int], None]
    most: Callable[[int], int] = int

    def run(self, data: bytes, folder: Path) -> None:
        """Read the input by way of an empty folder, which is empty again afterwards.

        Raises:
            AssertionError: where the contract is broken.
            TooSlow: where it takes time out of proportion to the input's size.
            Exception: whatever the reader should not raise.
        """
        top = folder / "D1499_TEST"
        parts = data.split(BETWEEN, len(self.files) - 1)
        try:
            for name, part in zip(self.files, parts, strict=False):
                # so that fuzzers get at both ways of storing a file
                file = top / (f"{name}.gz" if part.startswith(_GZIP) else name)
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_bytes(part)
            with stopped_after(_SECONDS + _SECONDS_A_BYTE * len(data)):
                self.check(self, top, len(data))
        finally:
            shutil.rmtree(top, ignore_errors=True)

    def seed_inputs(self) -> list[bytes]:
        """Inputs to begin with, and the first of them gzipped."""
        plain = [BETWEEN.join(f.read_bytes() for f in files) for files in self.seeds]
        return [*plain, gzip.compress(plain[0], mtime=0)]


def _articles(target: Target, top: Path, size: int) -> None:
    reader = readers[target.reader]
    reader.recognises(top)
    readings = articles = 0
    for unit in reader.find(top / target.unit if target.unit else top):
        assert reader.count(unit) >= 1
        known = None if unit.suffix == ".gz" else size
        most = None if known is None else target.most(size)
        read = reader.abstracts if isinstance(reader, AbstractReader) else reader.read
        for reading in read(unit):
            readings += 1
            articles += not isinstance(reading, Rejected)
            check_reading(reading, top, known, most)
    assert readings
    if isinstance(reader, CollectionReader):
        try:
            check_collection(reader.collection(top), top)
        except InputError:
            assert not articles or not any(reader.find(top)) or not reader.recognises(top)


def _vocabulary(target: Target, top: Path, size: int) -> None:
    reader = vocabulary_readers[target.reader]
    for ask in (reader.version, lambda path: [check_term(t, top) for t in reader.terms(path)]):
        try:
            ask(top)
        except InputError as error:
            assert str(error).startswith(str(top)) and len(str(error).splitlines()) == 1


def _bibliography(target: Target, top: Path, size: int) -> None:
    file = next(top.iterdir())
    try:
        found = read_bibliography(file, file.name)
    except InputError:
        return
    keys = [reference.key for reference in found.references]
    assert len(set(keys)) == len(keys)
    assert all(len(problem.splitlines()) == 1 for problem in found.problems)


def _whole(folder: Path, ending: str) -> tuple[tuple[Path, ...], ...]:
    return tuple((file,) for file in sorted(folder.rglob(f"*{ending}")))


_TAC = DATA / "readers" / "tac2014" / "data" / "D1499_TEST"
_SCISUMM = DATA / "readers" / "scisumm" / "X00-0001"
_UMLS = DATA / "vocabulary" / "umls"

TARGETS = {
    "jats": Target(
        "jats",
        ("PMC0000001.nxml",),
        "",
        _whole(DATA / "readers" / "jats", "xml") + _whole(SAMPLE / "jats", ".xml"),
        _articles,
    ),
    "medline": Target(
        "medline", ("citations.xml",), "", _whole(DATA / "readers" / "medline", ".xml"), _articles
    ),
    "pubmed": Target(
        "pubmed", ("export.txt",), "", _whole(DATA / "readers" / "pubmed", ".txt"), _articles
    ),
    "tei": Target(
        "tei", ("made.grobid.tei.xml",), "", _whole(DATA / "readers" / "tei", ".xml"), _articles
    ),
    "latex": Target(
        "latex",
        ("made.tex",),
        "",
        _whole(DATA / "readers" / "latex", ".tex"),
        _articles,
        lambda size: 3 * size + _MOST_EXPANDED,
    ),
    "markdown": Target(
        "markdown",
        ("made.md",),
        "",
        _whole(DATA / "readers" / "markdown", ".md"),
        _articles,
        lambda size: 3 * size,
    ),
    "text": Target("text", ("made.txt",), "", _whole(DATA / "readers" / "text", ".txt"), _articles),
    "jsonl": Target(
        "jsonl", ("made.jsonl",), "", _whole(DATA / "readers" / "jsonl", ".jsonl"), _articles
    ),
    "bibtex": Target(
        "markdown", ("made.bib",), "", _whole(DATA / "bibliographies", ".bib"), _bibliography
    ),
    "ris": Target(
        "library", ("made.ris",), "", _whole(DATA / "readers" / "library", ".ris"), _bibliography
    ),
    "tac2014": Target(
        "tac2014",
        (
            "Documents_Text/Yeast,2000.txt",
            "Annotation/D1499_TEST.A.ann.txt",
            "Annotation/D1499_TEST.B.ann.txt",
        ),
        "",
        ((_TAC / "Documents_Text" / "Yeast,2000.txt", *sorted((_TAC / "Annotation").iterdir())),),
        _articles,
    ),
    "scisumm": Target(
        "scisumm",
        ("Reference_XML/D1499_TEST.xml", "annotation/D1499_TEST.ann.txt"),
        "",
        (
            (
                _SCISUMM / "Reference_XML" / "X00-0001.xml",
                _SCISUMM / "annotation" / "X00-0001.ann.txt",
            ),
        ),
        _articles,
    ),
    "umls": Target(
        "umls",
        ("MRCONSO.RRF", "MRSTY.RRF", "MRSAB.RRF", "MRFILES.RRF", "release.dat"),
        "",
        ((_UMLS / "MRCONSO.RRF", _UMLS / "MRSTY.RRF"),),
        _vocabulary,
    ),
}
