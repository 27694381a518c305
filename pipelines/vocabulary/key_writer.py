"""The tries and postings of a store, from its sorted keys."""

from collections.abc import Iterable
from pathlib import Path

import marisa_trie
import numpy as np

from citespan.pipelines.vocabulary.store_format import POSTING_STARTS, POSTINGS, trie_name

_KEYS_PER_TRIE = 1_000_000
"""Bounds the memory of compiling; a first token more frequent than that makes a larger trie."""


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
        self._write()
        np.array([self._written], dtype=np.uint32).tofile(self._starts_file)
        self._starts_file.close()
        self._postings_file.close()

    def _write(self) -> None:
        if not self._keys:
            return
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
