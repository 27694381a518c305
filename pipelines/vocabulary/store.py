"""A compiled vocabulary, opened without being read: what is not asked for stays on disk."""

import mmap
import os
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any, Literal, NamedTuple

from citespan.pipelines.errors import UnknownNameError
from citespan.pipelines.vocabulary.store_format import (
    CONCEPT_STARTS,
    CONCEPT_TYPES,
    CONCEPTS,
    HEADER,
    POSTING_STARTS,
    POSTINGS,
    WRITINGS,
    VocabularyError,
    broken_vocabulary,
    read_header,
    trie_name,
    verify_files,
)
from citespan.pipelines.vocabulary.terms import ConceptFilter, VocabularyTerm

_DEFAULT_SOURCE = "SNOMEDCT_US"


class ConceptRecord(NamedTuple):
    """A concept with all its terms, the preferred one first."""

    cui: str
    terms: tuple[VocabularyTerm, ...]


class Concept(NamedTuple):
    """A concept without its terms.

    Attributes:
        number: in this vocabulary.
        preferred: its preferred name; where it has none, a term of type PT, or by source.
        source: of the preferred name.
        semantic_types: as identifiers or names.
        terms: how many it has.
    """

    number: int
    cui: str
    preferred: str
    source: str
    semantic_types: tuple[str, ...]
    terms: int


def open_vocabulary(path: Path) -> "Vocabulary":
    """Return the vocabulary in a folder; the same object as long as the folder is the same.

    Raises:
        VocabularyError: if it is not a vocabulary, of another store version, broken as far as
            sizes and the header's checksum tell (`Vocabulary.verify` reads everything), or empty.
    """
    try:
        stat = (path / HEADER).stat()
    except OSError:
        read_header(path)
        raise
    return _open(path.resolve(), (stat.st_ino, stat.st_mtime_ns, stat.st_size))


@lru_cache(maxsize=4)
def _open(path: Path, identity: tuple[int, int, int]) -> "Vocabulary":  # noqa: ARG001
    return Vocabulary(path)


class Vocabulary:
    """Concepts by their terms and terms by their concepts.

    Concepts have numbers, from 0 in the order of their CUIs.

    Args:
        path: a folder that `builder.build` made.

    Attributes:
        path: the folder.
        header: all that is known without reading: counts, options, checksums.
        version: of the vocabulary, as its source gives it ("UMLS 2025AB").
        checksum: of everything in it; the same for the same vocabulary.
        sources: how many terms of each source.
        semantic_types: how many concepts of each semantic type.
        concepts, terms: how many.
        writings: how terms are written that count only so (`spelling`), by number.

    Raises:
        VocabularyError: as `open_vocabulary`.
    """

    def __init__(self, path: Path) -> None:
        header = read_header(path)
        if not header.concepts:
            raise VocabularyError(f"{path}: the vocabulary is empty; build it from other input")
        self.path = path
        self.header = header
        self.version = header.version
        self.checksum = header.checksum
        self.sources: Mapping[str, int] = header.sources
        self.semantic_types: Mapping[str, int] = header.semantic_types
        self.concepts = header.concepts
        self.terms = header.terms
        self._source_names = list(header.sources)
        self._type_sets = [tuple(types) for types in header.type_sets]
        self._tries = [_open_trie(path, number) for number in range(len(header.first_tokens))]
        self._later_tries = header.first_tokens[1:]
        self._key_bases = [0]
        for trie in self._tries:
            self._key_bases.append(self._key_bases[-1] + len(trie))
        self._posting_starts = _map_numbers(path / POSTING_STARTS, "I")
        self._concept_starts = _map_numbers(path / CONCEPT_STARTS, "Q")
        self._concept_types = _map_numbers(path / CONCEPT_TYPES, "I")
        writings = (path / WRITINGS).read_text(encoding="utf-8")
        self.writings: Sequence[str] = writings.split("\n")
        # The two largest are read, not mapped: the pages around each record would stay resident.
        self._postings = (path / POSTINGS).open("rb", buffering=0)
        self._records = (path / CONCEPTS).open("rb", buffering=0)

    def verify(self) -> None:
        """Read every file and compare its checksum; a VocabularyError naming one that differs."""
        verify_files(self.path, self.header)

    def keys_at(self, keys: str, first_token: str) -> list[tuple[str, int]]:
        """Return the vocabulary's keys that are the first tokens of `keys`, the shortest first,
        each with its number.

        Args:
            keys: tokens, each followed by a space.
            first_token: the first of them.
        """
        trie = bisect_right(self._later_tries, first_token)
        base = self._key_bases[trie]
        found = self._tries[trie].iter_prefixes_with_ids(keys)
        return [(key, base + identifier) for key, identifier in found]

    def postings(self, key_number: int) -> list[int]:
        """Return the postings (see `store_format`) of the key of that number."""
        start, end = self._posting_starts[key_number], self._posting_starts[key_number + 1]
        content = os.pread(self._postings.fileno(), 8 * (end - start), 8 * start)
        return memoryview(content).cast("Q").tolist()

    def record(self, concept: int) -> ConceptRecord:
        """Return the concept of that number, from 0; IndexError if there is none."""
        start, *lines = self._read(concept).decode().split("\n")
        cui, type_set = start.split("\t")
        types = self._type_sets[int(type_set)]
        terms = []
        for line in lines:
            source, flag, term_type, text = line.split("\t")
            name = self._source_names[int(source)]
            terms.append(VocabularyTerm(cui, text, name, term_type, flag == "P", types))
        return ConceptRecord(cui, tuple(terms))

    def concept(self, number: int) -> Concept:
        """Return the same without the terms; only the first two lines of the record are taken
        apart."""
        content = self._read(number)
        start, first = content.split(b"\n", 2)[:2]
        cui, type_set = start.split(b"\t")
        source, _, _, text = first.split(b"\t")
        return Concept(
            number,
            cui.decode(),
            text.decode(),
            self._source_names[int(source)],
            self._type_sets[int(type_set)],
            content.count(b"\n"),
        )

    def _read(self, concept: int) -> bytes:
        """Return the record of a concept."""
        if not 0 <= concept < self.concepts:
            raise IndexError(f"no concept {concept}: there are {self.concepts}")
        start, end = self._concept_starts[concept], self._concept_starts[concept + 1]
        return os.pread(self._records.fileno(), end - start - 1, start)

    def type_set(self, concept: int) -> int:
        """Return which of the header's sets of semantic types a concept has."""
        return self._concept_types[concept]

    def concept_number(self, cui: str) -> int | None:
        """Return the number of the concept with that CUI; None if there is none."""
        low, high = 0, self.concepts
        while low < high:
            middle = (low + high) // 2
            if self.concept(middle).cui < cui:
                low = middle + 1
            else:
                high = middle
        return low if low < self.concepts and self.concept(low).cui == cui else None

    def terms_of(self, concept: int, terms: ConceptFilter) -> tuple[VocabularyTerm, ...]:
        """Return the terms of a concept that count, the preferred one first.

        Raises:
            UnknownNameError: if the vocabulary lacks a source or semantic type of the filter.
        """
        sources = set(self.sources_of(terms))
        types = self.types_in(terms)
        found = self.record(concept).terms
        if types is not None and self.type_set(concept) not in types:
            return ()
        return tuple(
            term for term in found if term.source in sources or (terms.preferred and term.preferred)
        )

    def sources_of(self, terms: ConceptFilter) -> tuple[str, ...]:
        """Return the sources that count, the more trusted first.

        Raises:
            UnknownNameError: if the vocabulary lacks one.
        """
        if terms.sources is None:
            return (_DEFAULT_SOURCE,) if _DEFAULT_SOURCE in self.sources else tuple(self.sources)
        for source in terms.sources:
            if source not in self.sources:
                raise UnknownNameError("source of the vocabulary", source, list(self.sources))
        return terms.sources

    def types_in(self, terms: ConceptFilter) -> frozenset[int] | None:
        """Return the numbers of the header's type sets that count; None for all.

        Raises:
            UnknownNameError: if the vocabulary lacks a type.
        """
        if not terms.semantic_types:
            return None
        wanted = set(terms.semantic_types)
        for name in terms.semantic_types:
            if name not in self.semantic_types:
                raise UnknownNameError("semantic type", name, list(self.semantic_types))
        return frozenset(
            number for number, types in enumerate(self.header.type_sets) if wanted & set(types)
        )

    def __reduce__(self) -> tuple[object, tuple[Path]]:
        return open_vocabulary, (self.path,)


def _open_trie(folder: Path, number: int) -> Any:
    import marisa_trie

    name = trie_name(number)
    try:
        return marisa_trie.Trie().mmap(str(folder / name))
    except RuntimeError as error:
        raise broken_vocabulary(folder, f"{name} can't be read") from error


def _map_numbers(file: Path, kind: Literal["I", "Q"]) -> "memoryview[int]":
    """Map the numbers of a file; reading one takes a fraction of what NumPy takes."""
    with file.open("rb") as content:
        mapped = mmap.mmap(content.fileno(), 0, access=mmap.ACCESS_READ)
    return memoryview(mapped).cast(kind)
