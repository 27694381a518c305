"""Compiling a vocabulary's terms to a store that is opened without being read.

Streaming, in bounded memory: two external sorts, one that brings together the terms of a concept
and one that brings together the concepts of a key. The order of the terms makes no difference,
and the same terms give the same bytes. The store is written beside its place and renamed into
it: a build that is killed leaves the former store as it was, and running it again clears up and
starts over.
"""

import fcntl
import shutil
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import groupby
from pathlib import Path
from typing import TypeVar

from citespan.pipelines.corpus.article import Rejected
from citespan.pipelines.vocabulary.rows import ExternalSort, make_row
from citespan.pipelines.vocabulary.store_format import (
    HEADER,
    MOST_SOURCES,
    Header,
    VocabularyError,
    file_checksum,
    write_header,
)
from citespan.pipelines.vocabulary.store_writer import MOST_TERMS, ConceptWriter, KeyWriter
from citespan.pipelines.vocabulary.terms import VocabularyTerm

T = TypeVar("T")
Progress = Callable[[str, int], object]
_STEP = 10_000
_EXAMPLES = 1000


@dataclass
class BuildReport:
    """The counts of a build: rows = terms + those skipped + those quarantined.

    Attributes:
        rows: terms and rejected rows that were given.
        concepts, terms: in the store.
        sources: terms of each source.
        skipped: rows left out, by reason.
        quarantined: how many rows could not be read.
        examples: the first thousand of these.
    """

    rows: int = 0
    concepts: int = 0
    terms: int = 0
    sources: dict[str, int] = field(default_factory=dict)
    skipped: Counter[str] = field(default_factory=Counter)
    quarantined: int = 0
    examples: list[Rejected] = field(default_factory=list)

    def reject(self, rejected: Rejected) -> None:
        """Count a row that is no term."""
        if rejected.outcome == "skipped":
            self.skipped[rejected.reason] += 1
            return
        self.quarantined += 1
        if len(self.examples) < _EXAMPLES:
            self.examples.append(rejected)


def build(
    terms: Iterable[VocabularyTerm | Rejected],
    folder: Path,
    version: str,
    *,
    progress: Progress | None = None,
) -> BuildReport:
    """Compile terms to the store `folder`, in place of one that is there.

    Args:
        terms: in any order; rejected rows among them are counted.
        folder: where the store will be.
        version: of the vocabulary, as its source gives it.
        progress: called with the stage ("terms", "concepts", "keys") and how many of it are done.

    Raises:
        VocabularyError: if no term is left, the place is taken by something else, or another
            build is writing there.
    """
    folder = folder.resolve()
    with _scratch_beside(folder) as scratch:
        store = scratch / "store"
        store.mkdir()
        report = BuildReport()
        rows = ExternalSort(scratch, "rows")
        sources = set()
        for source, line in _lines(_count_off(terms, "terms", progress), report):
            sources.add(source)
            rows.add(line)
        if len(sources) > MOST_SOURCES:
            raise VocabularyError(f"{folder}: {len(sources)} sources, at most {MOST_SOURCES} fit")
        concepts = ConceptWriter(store, sorted(sources))
        pairs = ExternalSort(scratch, "keys")
        for key, posting in _count_off(concepts.write(rows.read_sorted()), "concepts", progress):
            pairs.add(f"{key}\t{posting:016x}")
        _count(report, concepts)
        if not report.terms:
            raise VocabularyError(f"{folder}: {_nothing_left(report)}")
        keys = KeyWriter(store)
        split = (line.split("\t") for line in _count_off(pairs.read_sorted(), "keys", progress))
        for key, group in groupby(split, key=lambda pair: pair[0]):
            keys.add(key, sorted({int(number, 16) for _, number in group}))
        keys.close()
        write_header(store, _header(store, version, concepts, keys))
        _put_in_place(store, folder, scratch)
    return report


def _count_off(things: Iterable[T], stage: str, progress: Progress | None) -> Iterator[T]:
    if progress is None:
        yield from things
        return
    done = 0
    for done, thing in enumerate(things, 1):
        if done % _STEP == 0:
            progress(stage, done)
        yield thing
    progress(stage, done)


def _lines(
    terms: Iterable[VocabularyTerm | Rejected], report: BuildReport
) -> Iterator[tuple[str, str]]:
    for term in terms:
        report.rows += 1
        if isinstance(term, Rejected):
            report.reject(term)
            continue
        try:
            line = make_row(term)
        except ValueError as reason:
            report.skipped[str(reason)] += 1
        else:
            yield term.source, line


def _count(report: BuildReport, concepts: ConceptWriter) -> None:
    report.concepts = concepts.concepts
    report.terms = concepts.terms
    report.sources = dict(concepts.terms_of_source)
    if concepts.repeated:
        report.skipped["the same term of the same source again"] += concepts.repeated
    if concepts.too_many:
        report.skipped[f"more than {MOST_TERMS:,} terms of one concept"] += concepts.too_many


def _nothing_left(report: BuildReport) -> str:
    if not report.rows:
        return "no term was read, so there is no vocabulary to build; is it the right input?"
    reasons = ", ".join(f"{reason}: {count}" for reason, count in report.skipped.most_common())
    broken = f"can't be read: {report.quarantined}" if report.quarantined else ""
    left_out = "; ".join(filter(None, [reasons, broken]))
    return f"none of {report.rows} rows is left to build a vocabulary of ({left_out})"


def _header(store: Path, version: str, concepts: ConceptWriter, keys: KeyWriter) -> Header:
    files = sorted(store.iterdir())
    return Header(
        version=version,
        concepts=concepts.concepts,
        terms=concepts.terms,
        keys=keys.keys,
        longest=concepts.longest,
        sources=dict(concepts.terms_of_source),
        semantic_types=dict(sorted(concepts.concepts_of_type.items())),
        type_sets=[list(types) for types in concepts.type_sets],
        first_tokens=keys.first_tokens,
        files={file.name: [file.stat().st_size, file_checksum(file)] for file in files},
    )


@contextmanager
def _scratch_beside(folder: Path) -> Iterator[Path]:
    """Give an empty folder of this build alone, on the same disk; gone at the end."""
    if folder.exists() and not (folder / HEADER).is_file() and not _is_empty(folder):
        raise VocabularyError(f"{folder}: this is there and no vocabulary; name another place")
    folder.parent.mkdir(parents=True, exist_ok=True)
    scratch = folder.with_name(f".{folder.name}.building")
    scratch.mkdir(exist_ok=True)
    with (scratch / "lock").open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            raise VocabularyError(f"{folder}: another build is writing it; wait for it") from error
        try:
            _clear(scratch)
            yield scratch
        finally:
            shutil.rmtree(scratch)


def _is_empty(folder: Path) -> bool:
    return folder.is_dir() and not any(folder.iterdir())


def _clear(scratch: Path) -> None:
    for left in scratch.iterdir():
        if left.is_dir():
            shutil.rmtree(left)
        elif left.name != "lock":
            left.unlink()


def _put_in_place(store: Path, folder: Path, scratch: Path) -> None:
    if folder.exists():
        folder.rename(scratch / "former")
    store.rename(folder)
