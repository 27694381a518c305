"""UMLS's Rich Release Format: rows of columns that each end in a vertical bar, in UTF-8.

Of its tables, MRSTY is read here as a whole: the semantic types of millions of concepts.
"""

import re
from array import array
from collections.abc import Iterator
from pathlib import Path

from citespan.pipelines.corpus.article import Rejected
from citespan.pipelines.vocabulary.reader import read_lines

_UMLS_CUI = re.compile(rb"C\d{7}")
_CUI, _TUI = 0, 1
_COLUMNS = 6


def find_table(folder: Path, table: str) -> list[Path]:
    """Find the files that hold a table ("MRCONSO"): NAME.RRF, else NAME.RRF.gz, else the pieces
    NAME.RRF.aa.gz, NAME.RRF.ab.gz … that UMLS is delivered in; none if it isn't there."""
    for ending in (".RRF", ".RRF.gz"):
        if (folder / f"{table}{ending}").is_file():
            return [folder / f"{table}{ending}"]
    piece = re.compile(rf"{table}\.RRF\.[a-z]{{2}}(\.gz)?")
    return sorted(p for p in folder.glob(f"{table}.RRF.*") if piece.fullmatch(p.name))


def read_rows(paths: list[Path], columns: int) -> Iterator[list[bytes] | Rejected]:
    """Yield the columns of each row, or what is wrong with it. Lines are numbered across the files.

    Raises:
        InputError: if a file can't be read to its end.
    """
    if not paths:
        return
    for number, line in enumerate(read_lines(paths), 1):
        row = line.split(b"|")
        if len(row) == columns + 1 and not row[columns]:
            yield row
        elif len(row) == columns and row[-1]:
            yield row  # only the last bar is missing
        else:
            found = len(row) - (not row[-1])
            place = f"{paths[0]}:{number}"
            yield Rejected(place, f"{found} columns in place of {columns}; mend or remove the row")


class SemanticTypes:
    """Which types a concept has, as the table MRSTY tells.

    A concept's set of types is a number, of which UMLS has some hundred; with four bytes for each
    possible CUI, all of UMLS takes 40 MB.
    """

    def __init__(self) -> None:
        self._sets: list[tuple[bytes, ...]] = [()]
        self._numbers: dict[tuple[bytes, ...], int] = {(): 0}
        self._names: dict[int, tuple[str, ...]] = {0: ()}
        self._umls = array("I", bytes(4 * 10**7))
        self._other: dict[bytes, int] = {}

    def add(self, cui: bytes, tui: bytes) -> None:
        """A concept has a type. A UnicodeDecodeError for a type that is not UTF-8."""
        is_umls = _UMLS_CUI.fullmatch(cui)
        former = self._umls[int(cui[1:])] if is_umls else self._other.get(cui, 0)
        types = tuple(sorted({*self._sets[former], tui}))
        number = self._numbers.get(types)
        if number is None:
            names = tuple(name.decode() for name in types)
            number = self._numbers[types] = len(self._sets)
            self._sets.append(types)
            self._names[number] = names
        if is_umls:
            self._umls[int(cui[1:])] = number
        else:
            self._other[cui] = number

    def of(self, cui: bytes) -> tuple[str, ...]:
        """Return the types of a concept, sorted; none if it isn't known."""
        is_umls = _UMLS_CUI.fullmatch(cui)
        number = self._umls[int(cui[1:])] if is_umls else self._other.get(cui, 0)
        return self._names[number]


def read_semantic_types(paths: list[Path]) -> tuple[SemanticTypes, list[Rejected]]:
    """Read the table MRSTY, and its broken rows.

    Raises:
        InputError: if a file can't be read to its end.
    """
    types = SemanticTypes()
    rejected: list[Rejected] = []
    for number, row in enumerate(read_rows(paths, _COLUMNS), 1):
        if isinstance(row, Rejected):
            rejected.append(row)
            continue
        try:
            if not row[_CUI] or not row[_TUI]:
                raise ValueError
            types.add(row[_CUI], row[_TUI])
        except ValueError:
            place = f"{paths[0]}:{number}"
            rejected.append(Rejected(place, "CUI or TUI is empty or not UTF-8; mend the row"))
    return types, rejected
