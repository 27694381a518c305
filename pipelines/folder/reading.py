"""Reading a folder of articles: only what is new or has changed since, within the loader's limits.

Files are read and split into sentences by the processes of a load (`indexing/reading/pool.py`), so
that a folder has the same articles, skips the same files and quarantines the same as `citespan
index` does.
"""

import fcntl
import hashlib
import logging
import os
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Final

from citespan.es_mappings.index_name import CITESPAN, edition
from citespan.pipelines.corpus.abstract import Abstract
from citespan.pipelines.corpus.article import Rejected
from citespan.pipelines.corpus.files import find_units, source_of
from citespan.pipelines.corpus.reader import LibraryReader, Reader, recognise
from citespan.pipelines.errors import InputError, MachineError
from citespan.pipelines.folder.kept import KeptArticles, KeptEntry, ReadArticle, begin_reading
from citespan.pipelines.indexing.documents.builder import DocumentBuilder
from citespan.pipelines.indexing.documents.prepared import PreparedArticle
from citespan.pipelines.indexing.documents.settings import DocumentSettings
from citespan.pipelines.indexing.reading.archive import is_archive
from citespan.pipelines.indexing.reading.pool import ReadingPool
from citespan.pipelines.indexing.reading.sources import read_state
from citespan.pipelines.indexing.reading.unit import AUTO, Reading, Unit
from citespan.pipelines.indexing.report import LoadReport
from citespan.pipelines.limits import Limits
from citespan.pipelines.store.catalogue import SameNameError
from citespan.pipelines.store.edition import EDITION, Place
from citespan.pipelines.store.layout import shared_layout
from citespan.pipelines.text.lucene import find_terms

MOST_ARTICLES: Final = 2_500
"""In a folder. All are listed, and their words counted, in each search of all of them."""
ENDING: Final = ".citespan"
"""Of the file beside a folder in which its articles are kept."""
_LOG = logging.getLogger("citespan")
_WRITTEN_TOGETHER = 32
_NAMED = 16  # characters of a hash
_CORPUS = "folder"
_DEFAULT_LIMITS = Limits()
_LIBRARY = "a library; of a folder, articles are read, and not what libraries name"
_ABSTRACT = "an abstract; a folder is searched for full texts: load it with `citespan index`"


def open_kept(folder: Path, cache: Path) -> KeptArticles:
    """Return the file in which the articles of a folder are kept: beside the folder, else in the
    cache, else one that is gone with this process.

    Raises:
        InputError: if there is no such folder, or a file of another kind is there.
        MachineError: if no file can be written.
    """
    if not folder.is_dir():
        raise InputError(f"{source_of(folder)}: no folder of articles")
    place = folder.resolve()
    digest = hashlib.sha256(str(place).encode("utf-8", "surrogateescape")).hexdigest()[:16]
    beside = [place.with_name(place.name + ENDING)] if place.name else []
    for file in (*beside, cache / "folders" / f"{digest}{ENDING}"):
        try:
            if file not in beside:
                file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            return KeptArticles(file)
        except OSError:
            continue
    try:
        return TemporaryArticles()
    except OSError as error:
        raise MachineError(
            f"no file can be written to {tempfile.gettempdir()} either: make room there"
        ) from error


class TemporaryArticles(KeptArticles):
    """What was read of a folder where nothing can be kept; it is gone with this process."""

    def __init__(self) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="citespan-")
        super().__init__(Path(self._folder.name, f"articles{ENDING}"))

    @property
    def description(self) -> str:
        """Why nothing is kept, for messages."""
        return "not kept, since neither the folder beside nor the cache folder can be written to"

    def close(self) -> None:
        """Close and delete the file."""
        super().close()
        self._folder.cleanup()


def read_folder(
    folder: Path,
    kept: KeptArticles,
    processes: int,
    limits: Limits = _DEFAULT_LIMITS,
    on_start: Callable[[int], Callable[[int], None]] = lambda _: lambda _: None,
) -> LoadReport:
    """Bring what is kept of a folder up to date, and say what became of each of its inputs.

    Args:
        processes: how many read.
        limits: of what is read for one input.
        on_start: called with the number of files to read, if any; what it returns is called with 1
            after each.

    Raises:
        InputError: if there are too many articles.
        MachineError: if this machine can't read any file, or what was read can't be kept.
    """
    report = LoadReport()
    units = list(_list_units(folder))
    changed, gone = _compare(units, kept)
    before: list[KeptEntry] = []
    if changed or gone:
        with _alone_with(folder):
            changed, gone = _compare(units, kept)  # another process may have read them meanwhile
            before = kept.read_entries()
            for key in gone:
                kept.forget(key)
            if changed:
                _Reading(folder, kept).read(changed, processes, limits, on_start)
    report.missing = sum(entry.unit in gone for entry in before)
    _count(report, folder, kept, {unit.key for unit in changed}, {entry.slug for entry in before})
    report.finish()
    return report


def select_entries(kept: KeptArticles) -> tuple[list[KeptEntry], list[Rejected]]:
    """Return the entry of each article, and the articles that have the id of another one."""
    taken: dict[str, KeptEntry] = {}
    rejected = []
    for entry in kept.read_entries():
        first = taken.setdefault(entry.slug, entry)
        if first is not entry:
            named, source = entry.source["article"], entry.source["source"][0]["path"]
            reason = (
                f"has the id '{named}' of {first.source['source'][0]['path']}; give it another"
                if first.source["article"] == named
                else str(SameNameError(named, first.source["article"]))
            )
            rejected.append(Rejected(source, reason))
    return list(taken.values()), rejected


def _compare(units: Sequence[Unit], kept: KeptArticles) -> tuple[list[Unit], set[str]]:
    """Return the units that are to be read, and those that were read and are gone."""
    states = kept.read_states()
    changed = [unit for unit in units if states.get(unit.key) != (unit.size, unit.modified)]
    return changed, states.keys() - {unit.key for unit in units}


@contextmanager
def _alone_with(folder: Path) -> Iterator[None]:
    """Wait until no other process reads a folder, and keep others waiting meanwhile."""
    opened = os.open(folder, os.O_RDONLY)
    try:
        try:
            fcntl.flock(opened, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            _LOG.warning("citespan: another command reads %s; waiting for it", source_of(folder))
            fcntl.flock(opened, fcntl.LOCK_EX)
        except OSError:
            pass  # not every file system has locks; then two may read the same, which costs time
        yield
    finally:
        os.close(opened)


def _count(
    report: LoadReport, folder: Path, kept: KeptArticles, read: set[str], before: set[str]
) -> None:
    """Count all inputs of the folder.

    Args:
        read: the units that were read now.
        before: the articles that were kept before that.
    """
    entries, doubled = select_entries(kept)
    for entry in entries:
        if entry.unit not in read:
            report.count("unchanged")
        else:
            known = entry.source
            numbers = known["sentences"], known["spans"], known.get("citations", 0)
            report.count("replaced" if entry.slug in before else "indexed", *numbers)
    for rejected in kept.read_rejected():
        source = f"{source_of(folder)}/{rejected.source}"
        report.reject(replace(rejected, source=source))
    for rejected in doubled:
        report.reject(rejected)


class _Reading:
    """Reads units of a folder into what is kept of it."""

    def __init__(self, folder: Path, kept: KeptArticles) -> None:
        self._folder = folder
        self._kept = kept
        self._builder = DocumentBuilder(DocumentSettings((), shared_layout().name, corpus=_CORPUS))
        self._read: list[ReadArticle] = []
        self._rejected: list[Rejected] = []
        self._articles = 0

    def read(
        self,
        units: Sequence[Unit],
        processes: int,
        limits: Limits,
        on_start: Callable[[int], Callable[[int], None]],
    ) -> None:
        """Read units whole, one after the other."""
        read_again = {unit.key for unit in units}
        self._articles = sum(entry.unit not in read_again for entry in self._kept.read_entries())
        chosen = list(self._choose_readers(units))
        advance = on_start(len(chosen))
        number = begin_reading()
        with ReadingPool(self._builder.settings, None, processes, limits) as pool:
            for event in pool.events(chosen):
                unit, reading = event.unit, event.reading
                if reading is not None:
                    self._take(unit, number, reading)
                    continue
                self._write(unit, number)
                self._end(unit, number)
                number = begin_reading()
                advance(1)

    def _choose_readers(self, units: Sequence[Unit]) -> Iterator[Unit]:
        """Yield units with the readers that their files need, as far as these must be named.

        A library is not read: it names files, which need not be in the folder.
        """
        articles = self._articles
        for unit in units:
            reader = None if unit.archive else _find_reader(unit.path)
            if isinstance(reader, LibraryReader):
                self._reject(Rejected(source_of(unit.path), _LIBRARY, "skipped"))
                self._end(unit, begin_reading())
                continue
            articles += reader is not None
            _require_few(self._folder, articles)  # before any of them is read
            yield unit if reader is None else replace(unit, reader=reader.name)

    def _take(self, unit: Unit, number: int, reading: Reading) -> None:
        if isinstance(reading, PreparedArticle):
            self._read.append(self._make_article(unit, reading))
            self._articles += 1
            _require_few(self._folder, self._articles)
            if len(self._read) >= _WRITTEN_TOGETHER:
                self._write(unit, number)
        elif isinstance(reading, Rejected):
            self._reject(reading)
        elif isinstance(reading, Abstract):
            self._reject(Rejected(reading.source, _ABSTRACT, "skipped"))

    def _reject(self, rejected: Rejected) -> None:
        source = rejected.source.removeprefix(f"{source_of(self._folder)}/")
        self._rejected.append(replace(rejected, source=source))

    def _end(self, unit: Unit, number: int) -> None:
        self._kept.end(unit.key, number, (unit.size, unit.modified), self._rejected)
        self._rejected = []

    def _write(self, unit: Unit, number: int) -> None:
        self._kept.add(unit.key, number, self._read)
        self._read = []

    def _make_article(self, unit: Unit, article: PreparedArticle) -> ReadArticle:
        """Return an article with its entry and documents as a load would write them."""
        built = article.documents
        name = edition(article.id, article.content[:_NAMED])
        numbers = article.sentences, article.spans, article.citations
        layout = self._builder.layout.name
        place = Place(article.id, layout, CITESPAN.shared_index(layout, 0), name, *numbers)
        unmeasured = iter(built.unmeasured)
        lengths = [
            len(find_terms(next(unmeasured))) if length is None else length
            for length in built.lengths
        ]
        placed = replace(article, unit=unit.key)
        lines = b"\n".join(built.pieces).replace(EDITION, name.encode()).split(b"\n")
        return ReadArticle(
            self._builder.make_entry(placed, place, lengths, []),
            b"[" + b",".join(lines[1::2]) + b"]",
            Counter(find_terms(article.text)),
        )


def _list_units(folder: Path) -> Iterator[Unit]:
    """Yield the files and archives of a folder, by their paths in it, with their states."""
    for path in find_units(folder, lambda _: False):
        size, modified = read_state(path)
        key = source_of(path.relative_to(folder))
        yield Unit(key, AUTO, path, is_archive(path), size, modified)


def _find_reader(file: Path) -> Reader | None:
    """Return the reader that recognises a file; None where the process that reads it says why there
    is none."""
    try:
        return recognise(file)
    except InputError:
        return None


def _require_few(folder: Path, articles: int) -> None:
    if articles > MOST_ARTICLES:
        raise InputError(
            f"{source_of(folder)}: has more than {MOST_ARTICLES:,} articles, which need a server: "
            "start one by `citespan node up`, and load them by `citespan index`"
        )
