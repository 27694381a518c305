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
from operator import itemgetter
from pathlib import Path
from struct import Struct
from typing import TypeVar

from citespan.pipelines.corpus.article import Rejected
from citespan.pipelines.vocabulary.normalise import is_acronym
from citespan.pipelines.vocabulary.rows import ExternalSort, TermRow, make_row
from citespan.pipelines.vocabulary.spelling import describe_writing
from citespan.pipelines.vocabulary.store_format import (
    ACRONYM,
    CONCEPT_STARTS,
    CONCEPT_TYPES,
    CONCEPTS,
    HEADER,
    MOST_CONCEPTS,
    MOST_SOURCES,
    MOST_WRITINGS,
    POSTING_STARTS,
    POSTINGS,
    PREFERRED,
    WRITINGS,
    Header,
    VocabularyError,
    file_checksum,
    posting,
    trie_name,
    write_header,
)
from citespan.pipelines.vocabulary.terms import VocabularyTerm

_KEYS_PER_TRIE = 1_000_000
"""Bounds the memory of compiling; a first token more frequent than that makes a larger trie."""
_START = Struct("=Q")
_TYPE_SET = Struct("=I")
_CUI = itemgetter(0)
MOST_TERMS = 10_000
"""Of one concept; some have hundreds. The terms of a concept are held in memory, and are written
into the settings of an index as rules."""
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


class ConceptWriter:
    """Writes the records, and says which key each term has.

    Args:
        folder: the store's, being built.
        sources: all sources, in the order that numbers them.
        report: counts what is written, and the rows that are left out.

    Attributes:
        concepts_of_type: how many of each semantic type.
        type_sets: number of each set of semantic types.
        longest: tokens of the longest key.
    """

    def __init__(self, folder: Path, sources: list[str], report: BuildReport) -> None:
        report.sources = dict.fromkeys(sources, 0)
        self._report = report
        self.concepts_of_type: Counter[str] = Counter()
        self.type_sets: dict[tuple[str, ...], int] = {}
        self.longest = 0
        self._writings = {"": 0}
        self._folder = folder
        self._numbers = {source: number for number, source in enumerate(sources)}

    def write(self, lines: Iterator[str]) -> Iterator[tuple[str, int]]:
        """Write all concepts; gives (key, posting) of each term on the way.

        Raises:
            VocabularyError: if there are more concepts or writings than postings have numbers for.
        """
        report = self._report
        with (
            (self._folder / CONCEPTS).open("wb") as records,
            (self._folder / CONCEPT_STARTS).open("wb") as starts,
            (self._folder / CONCEPT_TYPES).open("wb") as types,
        ):
            starts.write(_START.pack(0))
            rows = (line.split("\t") for line in lines)
            for cui, group in groupby(rows, key=_CUI):
                record: list[str] = []
                named = set()
                said = set()
                for row in map(TermRow._make, group):
                    named.add(row.semantic_types)
                    if (row.source, row.text) in said:
                        report.skipped["the same term of the same source again"] += 1
                        continue
                    if len(record) >= MOST_TERMS:
                        report.skipped[f"more than {MOST_TERMS:,} terms of one concept"] += 1
                        continue
                    said.add((row.source, row.text))
                    report.sources[row.source] += 1
                    record.append(self._line(row))
                    yield f"{row.key} ", self._posting(row)
                type_set = self._type_set(named)
                records.write("\n".join([f"{cui}\t{type_set}", *record, ""]).encode())
                starts.write(_START.pack(records.tell()))
                types.write(_TYPE_SET.pack(type_set))
                report.concepts += 1
                report.terms += len(record)
        writings = "".join(f"{writing}\n" for writing in self._writings)
        (self._folder / WRITINGS).write_text(writings, encoding="utf-8", newline="\n")

    def _line(self, row: TermRow) -> str:
        flag = "" if row.not_preferred == "1" else "P"
        return f"{self._numbers[row.source]}\t{flag}\t{row.term_type}\t{row.text}"

    def _type_set(self, named: set[str]) -> int:
        types = tuple(sorted({kind for some in named for kind in some.split("|") if kind}))
        self.concepts_of_type.update(types)
        return self.type_sets.setdefault(types, len(self.type_sets))

    def _posting(self, row: TermRow) -> int:
        tokens = row.key.count(" ") + 1
        if tokens > self.longest:
            self.longest = tokens
        flags = PREFERRED if row.not_preferred == "0" else 0
        if is_acronym(row.text):
            flags |= ACRONYM
        number = self._writings.setdefault(describe_writing(row.text), len(self._writings))
        if self._report.concepts >= MOST_CONCEPTS or number >= MOST_WRITINGS:
            raise VocabularyError(
                f"the vocabulary has more than {MOST_CONCEPTS} concepts, or {MOST_WRITINGS} ways "
                "in which terms with the same key are written; build it of fewer sources"
            )
        return posting(self._report.concepts, self._numbers[row.source], number, flags)


class KeyWriter:
    """Writes keys and their postings.

    Args:
        folder: the store's, being built.

    Attributes:
        first_tokens: the first token of each trie's first key.
        keys: how many were written.
    """

    def __init__(self, folder: Path) -> None:
        self.first_tokens: list[str] = []
        self.keys = 0
        self._folder = folder
        self._keys: list[str] = []
        self._counts: list[int] = []
        self._postings: list[int] = []
        self._first = ""
        self._written = 0
        self._starts_file = (folder / POSTING_STARTS).open("wb")
        self._postings_file = (folder / POSTINGS).open("wb")

    def add(self, key: str, postings: Iterable[int]) -> None:
        """One key, later in order than all before it."""
        first = key[: key.index(" ")]
        if first != self._first and len(self._keys) >= _KEYS_PER_TRIE:
            self._write()
        if not self._keys:
            self.first_tokens.append(first)
        self._first = first
        before = len(self._postings)
        self._postings += postings
        self._keys.append(key)
        self._counts.append(len(self._postings) - before)

    def close(self) -> None:
        """Write what is left, and the end of the last key's postings."""
        import numpy as np

        self._write()
        np.array([self._written], dtype=np.uint32).tofile(self._starts_file)
        self._starts_file.close()
        self._postings_file.close()

    def _write(self) -> None:
        if not self._keys:
            return
        import marisa_trie
        import numpy as np

        trie = marisa_trie.Trie(self._keys)
        trie.save(str(self._folder / trie_name(len(self.first_tokens) - 1)))
        ids = np.fromiter(map(trie.key_id, self._keys), dtype=np.int64, count=len(self._keys))
        counts = np.array(self._counts, dtype=np.int64)
        starts = np.cumsum(counts) - counts
        by_id = np.argsort(ids)
        counts_by_id = counts[by_id]
        starts_by_id = np.cumsum(counts_by_id) - counts_by_id
        (self._written + starts_by_id).astype(np.uint32).tofile(self._starts_file)
        gather = np.repeat(starts[by_id] - starts_by_id, counts_by_id) + np.arange(counts.sum())
        np.array(self._postings, dtype=np.uint64)[gather].tofile(self._postings_file)
        self._written += len(self._postings)
        self.keys += len(self._keys)
        self._keys, self._counts, self._postings = [], [], []


T = TypeVar("T")
Progress = Callable[[str, int], object]
_STEP = 10_000


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
        concepts = ConceptWriter(store, sorted(sources), report)
        pairs = ExternalSort(scratch, "keys")
        for key, posting in _count_off(concepts.write(rows.read_sorted()), "concepts", progress):
            pairs.add(f"{key}\t{posting:016x}")
        if not report.terms:
            raise VocabularyError(f"{folder}: {_nothing_left(report)}")
        keys = KeyWriter(store)
        split = (line.split("\t") for line in _count_off(pairs.read_sorted(), "keys", progress))
        for key, group in groupby(split, key=lambda pair: pair[0]):
            keys.add(key, sorted({int(number, 16) for _, number in group}))
        keys.close()
        write_header(store, _header(store, version, report, concepts, keys))
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


def _nothing_left(report: BuildReport) -> str:
    if not report.rows:
        return "no term was read, so there is no vocabulary to build; is it the right input?"
    reasons = ", ".join(f"{reason}: {count}" for reason, count in report.skipped.most_common())
    broken = f"can't be read: {report.quarantined}" if report.quarantined else ""
    left_out = "; ".join(filter(None, [reasons, broken]))
    return f"none of {report.rows} rows is left to build a vocabulary of ({left_out})"


def _header(
    store: Path, version: str, report: BuildReport, concepts: ConceptWriter, keys: KeyWriter
) -> Header:
    files = sorted(store.iterdir())
    return Header(
        version=version,
        concepts=report.concepts,
        terms=report.terms,
        keys=keys.keys,
        longest=concepts.longest,
        sources=report.sources,
        semantic_types=dict(sorted(concepts.concepts_of_type.items())),
        type_sets=[list(types) for types in concepts.type_sets],
        first_tokens=keys.first_tokens,
        files={file.name: [file.stat().st_size, file_checksum(file)] for file in files},
    )


@contextmanager
def _scratch_beside(folder: Path) -> Iterator[Path]:
    """Give an empty folder of this build alone, on the same disk; gone at the end."""
    is_empty = folder.is_dir() and not any(folder.iterdir())
    if folder.exists() and not (folder / HEADER).is_file() and not is_empty:
        raise VocabularyError(f"{folder}: exists and is not a vocabulary; name another place")
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
