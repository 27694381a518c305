"""Terms as lines of text: sorting the lines, on disk, brings the terms of a concept together."""

import heapq
import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from citespan.pipelines.vocabulary.normalise import keys
from citespan.pipelines.vocabulary.terms import VocabularyTerm

MOST_TOKENS = 40
"""Terms of more words are left out: no text has them."""
_LINES = 400_000
"""Lines sorted in memory at once: about 100 MB of UMLS rows."""
_NOT_TEXT = re.compile("[\ud800-\udfff]")


class TermRow(NamedTuple):
    """The fields of a line, in the order that sorts a concept's terms: the preferred one first,
    then those of type PT, then by source and text. The first two are "0" for yes."""

    cui: str
    not_preferred: str
    not_main_type: str
    source: str
    text: str
    term_type: str
    semantic_types: str
    key: str


def make_row(term: VocabularyTerm) -> str:
    """Return the line of a term.

    Raises:
        ValueError: with the reason, if it can't be in a store.
    """
    if not term.cui:
        raise ValueError("no concept")
    text = " ".join(term.text.split())
    tokens = keys(text)
    if not tokens:
        raise ValueError("no word to match by")
    if len(tokens) > MOST_TOKENS:
        raise ValueError(f"more than {MOST_TOKENS} words")
    row = TermRow(
        term.cui,
        "0" if term.preferred else "1",
        "0" if term.term_type == "PT" else "1",
        term.source,
        text,
        term.term_type,
        "|".join(term.semantic_types),
        " ".join(tokens),
    )
    line = "\t".join(row)
    if line.count("\t") != len(row) - 1 or "\n" in line:
        raise ValueError("a tab or line break in a field")
    if _NOT_TEXT.search(line):
        raise ValueError("characters that are not Unicode text")
    return line


class ExternalSort:
    """Lines in any order in, sorted lines out, through files in a folder.

    Args:
        folder: where the sorted runs are put; it exists.
        name: what the runs are called; one for each sort in the folder.
    """

    def __init__(self, folder: Path, name: str) -> None:
        self._folder = folder
        self._name = name
        self._runs: list[Path] = []
        self._lines: list[str] = []

    def add(self, line: str) -> None:
        """Add one line, which has no line break inside."""
        self._lines.append(line)
        if len(self._lines) >= _LINES:
            self._write()

    def _write(self) -> None:
        run = self._folder / f"{self._name}-{len(self._runs)}"
        self._lines.sort()
        with run.open("w", encoding="utf-8", newline="\n") as out:
            out.writelines(f"{line}\n" for line in self._lines)
        self._runs.append(run)
        self._lines.clear()

    def read_sorted(self) -> Iterator[str]:
        """Yield all lines in order of code points; the files are gone at the end."""
        if not self._runs:
            self._lines.sort()
            yield from self._lines
            return
        self._write()
        yield from heapq.merge(*map(_read_run, self._runs))
        for run in self._runs:
            run.unlink()


def _read_run(run: Path) -> Iterator[str]:
    with run.open(encoding="utf-8", newline="\n") as lines:
        for line in lines:
            yield line[:-1]
