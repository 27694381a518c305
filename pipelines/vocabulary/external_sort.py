"""Sorting more lines than memory should hold."""

import heapq
from collections.abc import Iterator
from pathlib import Path

_LINES = 400_000
"""Lines sorted in memory at once: about 100 MB of UMLS rows."""


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
        """One line, which has no line break inside."""
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

    def sorted(self) -> Iterator[str]:
        """All lines in order of code points; the files are gone at the end."""
        if not self._runs:
            self._lines.sort()
            yield from self._lines
            return
        self._write()
        yield from heapq.merge(*map(_lines_of, self._runs))
        for run in self._runs:
            run.unlink()


def _lines_of(run: Path) -> Iterator[str]:
    with run.open(encoding="utf-8", newline="\n") as lines:
        for line in lines:
            yield line[:-1]
