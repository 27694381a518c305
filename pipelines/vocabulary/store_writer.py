"""Writing a store: the concepts' records from its sorted rows, then tries and postings from its
sorted keys."""

from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from struct import Struct

from citespan.pipelines.vocabulary.normalise import is_acronym
from citespan.pipelines.vocabulary.rows import Row
from citespan.pipelines.vocabulary.spelling import describe_writing
from citespan.pipelines.vocabulary.store_format import (
    ACRONYM,
    CONCEPT_STARTS,
    CONCEPT_TYPES,
    CONCEPTS,
    MOST_CONCEPTS,
    MOST_WRITINGS,
    POSTING_STARTS,
    POSTINGS,
    PREFERRED,
    WRITINGS,
    VocabularyError,
    posting,
    trie_name,
)

_KEYS_PER_TRIE = 1_000_000
"""Bounds the memory of compiling; a first token more frequent than that makes a larger trie."""
_START = Struct("=Q")
_TYPE_SET = Struct("=I")
_CUI = itemgetter(0)
MOST_TERMS = 10_000
"""Of one concept; some have hundreds. The terms of a concept are held in memory, and are written
into the settings of an index as rules."""


class ConceptWriter:
    """Writes the records, and says which key each term has.

    Args:
        folder: the store's, being built.
        sources: all sources, in the order that numbers them.

    Attributes:
        concepts, terms: how many were written.
        repeated: rows left out, because the concept has the text from that source already.
        too_many: rows left out, because the concept has `MOST_TERMS` already.
        terms_of_source: how many of each source.
        concepts_of_type: how many of each semantic type.
        type_sets: number of each set of semantic types.
        longest: tokens of the longest key.
    """

    def __init__(self, folder: Path, sources: list[str]) -> None:
        self.concepts = 0
        self.terms = 0
        self.repeated = 0
        self.too_many = 0
        self.terms_of_source: Counter[str] = Counter(dict.fromkeys(sources, 0))
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
                for row in map(Row._make, group):
                    named.add(row.semantic_types)
                    if (row.source, row.text) in said:
                        self.repeated += 1
                        continue
                    if len(record) >= MOST_TERMS:
                        self.too_many += 1
                        continue
                    said.add((row.source, row.text))
                    self.terms_of_source[row.source] += 1
                    record.append(self._line(row))
                    yield f"{row.key} ", self._posting(row)
                type_set = self._type_set(named)
                records.write("\n".join([f"{cui}\t{type_set}", *record, ""]).encode())
                starts.write(_START.pack(records.tell()))
                types.write(_TYPE_SET.pack(type_set))
                self.concepts += 1
                self.terms += len(record)
        writings = "".join(f"{one}\n" for one in self._writings)
        (self._folder / WRITINGS).write_text(writings, encoding="utf-8", newline="\n")

    def _line(self, row: Row) -> str:
        flag = "" if row.not_preferred == "1" else "P"
        return f"{self._numbers[row.source]}\t{flag}\t{row.term_type}\t{row.text}"

    def _type_set(self, named: set[str]) -> int:
        types = tuple(sorted({one for some in named for one in some.split("|") if one}))
        self.concepts_of_type.update(types)
        return self.type_sets.setdefault(types, len(self.type_sets))

    def _posting(self, row: Row) -> int:
        tokens = row.key.count(" ") + 1
        if tokens > self.longest:
            self.longest = tokens
        flags = PREFERRED if row.not_preferred == "0" else 0
        if is_acronym(row.text):
            flags |= ACRONYM
        number = self._writings.setdefault(describe_writing(row.text), len(self._writings))
        if self.concepts >= MOST_CONCEPTS or number >= MOST_WRITINGS:
            raise VocabularyError(
                f"the vocabulary has more than {MOST_CONCEPTS} concepts, or {MOST_WRITINGS} ways "
                "in which terms with the same key are written; build it of fewer sources"
            )
        return posting(self.concepts, self._numbers[row.source], number, flags)


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
