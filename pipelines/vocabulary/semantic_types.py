"""Semantic types of millions of concepts in little memory."""

import re
from array import array
from pathlib import Path

from citespan.pipelines.corpus.article import Rejected
from citespan.pipelines.vocabulary import rrf

_UMLS_CUI = re.compile(rb"C\d{7}")
_CUI, _TUI = 0, 1
_COLUMNS = 6


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
        """The types of a concept, sorted; none if it isn't known."""
        is_umls = _UMLS_CUI.fullmatch(cui)
        number = self._umls[int(cui[1:])] if is_umls else self._other.get(cui, 0)
        return self._names[number]


def read(paths: list[Path]) -> tuple[SemanticTypes, list[Rejected]]:
    """The table MRSTY, and its broken rows.

    Raises:
        InputError: if a file can't be read to its end.
    """
    types = SemanticTypes()
    rejected: list[Rejected] = []
    for number, row in enumerate(rrf.rows(paths, _COLUMNS), 1):
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
