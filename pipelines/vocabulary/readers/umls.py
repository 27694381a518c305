"""UMLS Metathesaurus, and other vocabularies in its format: MRCONSO and MRSTY.

Its Rich Release Format has rows of columns that each end in a vertical bar, in UTF-8. Of its
tables, MRSTY is read as a whole: the semantic types of millions of concepts.
"""

import re
from array import array
from collections.abc import Iterator
from pathlib import Path

from citespan.pipelines.corpus.article import Rejected
from citespan.pipelines.errors import InputError
from citespan.pipelines.vocabulary.reader import read_lines, vocabulary_readers
from citespan.pipelines.vocabulary.terms import VocabularyTerm

_UMLS_CUI = re.compile(rb"C\d{7}")
_TYPED_CUI, _TUI = 0, 1
_MRSTY_COLUMNS = 6


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
    for number, row in enumerate(read_rows(paths, _MRSTY_COLUMNS), 1):
        if isinstance(row, Rejected):
            rejected.append(row)
            continue
        try:
            if not row[_TYPED_CUI] or not row[_TUI]:
                raise ValueError
            types.add(row[_TYPED_CUI], row[_TUI])
        except ValueError:
            place = f"{paths[0]}:{number}"
            rejected.append(Rejected(place, "CUI or TUI is empty or not UTF-8; mend the row"))
    return types, rejected


_COLUMNS = 18
_CUI, _LAT, _TS, _STT, _ISPREF = 0, 1, 2, 4, 6
_SAB, _TTY, _CODE, _STR, _SUPPRESS = 11, 12, 13, 14, 16
# How many of the rows may be of concepts that MRSTY doesn't know before it must be of another
# release: two that follow each other differ by some per cent; within one, none is unknown.
_UNTYPED = 0.01
_LOOKED_AT_EACH = 10_000

_RELEASE_NAME = re.compile(r"^umls\.release\.name=[ \t]*(\S+)", re.MULTILINE)
# Releases are named so that those named later sort later.
_NAMED = re.compile(r"\d{4}A[A-Z]")
_MRSAB_COLUMNS, _IMETA = 25, 9
"""IMETA: the release by which a source's version came in."""
_MRFILES_COLUMNS, _FIL, _BTS = 6, 0, 5
"""A file's name, and its size as delivered."""


class MixedReleasesError(InputError):
    """Files of several releases in one folder."""


@vocabulary_readers.register
class Umls:
    """Reads the English rows that are not suppressed. Types are TUIs."""

    name = "umls"
    description = "a META folder with MRCONSO.RRF and, for types, MRSTY.RRF, plain or .gz"

    def version(self, path: Path) -> str:
        """Return the release's name ("2025AB"), by release.dat or MRSAB.RRF."""
        _mrconso(path)
        return _find_release(path)

    def typed(self, path: Path) -> bool:
        """Whether MRSTY is there."""
        return bool(find_table(path, "MRSTY"))

    def terms(self, path: Path) -> Iterator[VocabularyTerm | Rejected]:
        """Yield the rows of MRCONSO, after the broken ones of MRSTY.

        Raises:
            InputError: if there is no MRCONSO, or a file can't be read to its end.
            MixedReleasesError: if MRSTY doesn't know MRCONSO's concepts.
        """
        files = _mrconso(path)
        types, rejected = read_semantic_types(find_table(path, "MRSTY"))
        yield from rejected
        typed = self.typed(path)
        language = Rejected(str(files[0]), "not English", "skipped")
        suppressed = Rejected(str(files[0]), "suppressed", "skipped")
        # MRCONSO repeats a few sources and term types millions of times.
        names: dict[bytes, str] = {}
        untyped: list[bytes] = []
        number = 0
        for number, row in enumerate(read_rows(files, _COLUMNS), 1):
            if isinstance(row, Rejected):
                yield row
                continue
            cui = row[_CUI]
            of_concept = types.of(cui)
            if typed and not of_concept:
                untyped.append(cui)
                if len(untyped) % _LOOKED_AT_EACH == 0:
                    _refuse_other_release(path, untyped, number, len(rejected))
                place = f"{files[0]}:{number}"
                yield Rejected(place, "MRSTY has no semantic type for this concept; complete it")
            elif row[_LAT] != b"ENG":
                yield language
            elif row[_SUPPRESS] != b"N":
                yield suppressed
            else:
                yield _term(row, of_concept, names) or _faulty(row, files[0], number)
        _refuse_other_release(path, untyped, number, len(rejected))


def map_codes(folder: Path) -> dict[str, str]:
    """Return which concept has a code of its source; the lowest CUI where several have it.

    Raises:
        InputError: if there is no MRCONSO, or a file can't be read to its end.
    """
    found: dict[str, str] = {}
    for row in read_rows(_mrconso(folder), _COLUMNS):
        if not isinstance(row, Rejected):
            code, cui = row[_CODE].decode("utf-8", "replace"), row[_CUI].decode("utf-8", "replace")
            found[code] = min(cui, found.get(code, cui))
    return found


def _mrconso(folder: Path) -> list[Path]:
    if not folder.is_dir():
        raise InputError(f"{folder}: not a folder; name the one that has MRCONSO.RRF, as in META")
    files = find_table(folder, "MRCONSO")
    if not files:
        inside = folder / "META"
        hint = f"; did you mean {inside}?" if find_table(inside, "MRCONSO") else ""
        raise InputError(f"{folder}: no MRCONSO.RRF (or MRCONSO.RRF.gz) in this folder{hint}")
    return files


def _term(
    row: list[bytes], types: tuple[str, ...], names: dict[bytes, str]
) -> VocabularyTerm | None:
    """Return the term of a row; None if something is empty or not UTF-8."""
    try:
        text = row[_STR].decode()
        for name in (row[_SAB], row[_TTY]):
            if name not in names:
                names[name] = name.decode()
        cui = row[_CUI].decode()
    except UnicodeDecodeError:
        return None
    if not (cui and text.strip() and row[_SAB]):
        return None
    preferred = row[_TS] == b"P" and row[_STT] == b"PF" and row[_ISPREF] == b"Y"
    return VocabularyTerm(cui, text, names[row[_SAB]], names[row[_TTY]], preferred, types)


def _faulty(row: list[bytes], file: Path, number: int) -> Rejected:
    try:
        b"".join(row).decode()
        fault = "CUI, SAB or STR is empty"
    except UnicodeDecodeError:
        fault = "not UTF-8"
    return Rejected(f"{file}:{number}", f"{fault}; mend or remove the row")


def _refuse_other_release(folder: Path, untyped: list[bytes], rows: int, lost: int) -> None:
    """`untyped`: for each row without types its concept; `lost`: broken rows of MRSTY."""
    if len(untyped) > _UNTYPED * rows and len(set(untyped)) > lost:
        raise MixedReleasesError(
            f"{folder}: two releases mixed? MRSTY has no semantic type for the concepts of "
            f"{len(untyped)} of {rows} rows of MRCONSO; take both files from one release, or "
            "remove MRSTY to build without types"
        )


def _find_release(folder: Path) -> str:
    """Return the release's name, as in "2025AB": by release.dat in the folder or above it, else the
    latest that MRSAB.RRF tells of; "" if neither is there.

    Raises:
        MixedReleasesError: if release.dat and MRSAB.RRF, or MRFILES.RRF and the files' sizes
            contradict each other.
    """
    _check_sizes(folder)
    named = _release_name(folder)
    latest = _latest_source(folder)
    if named and latest and _NAMED.fullmatch(named) and latest > named:
        raise MixedReleasesError(
            f"{folder}: two releases mixed: release.dat says {named}, and MRSAB.RRF has sources "
            f"of {latest}; take all files from one release"
        )
    return named or latest


def _release_name(folder: Path) -> str:
    for place in (folder / "release.dat", folder.resolve().parent / "release.dat"):
        if place.is_file():
            found = _RELEASE_NAME.search(place.read_text(encoding="utf-8", errors="replace"))
            return found[1] if found else ""
    return ""


def _latest_source(folder: Path) -> str:
    releases = {
        row[_IMETA].decode("utf-8", "replace")
        for row in read_rows(find_table(folder, "MRSAB"), _MRSAB_COLUMNS)
        if not isinstance(row, Rejected)
    }
    return max(filter(_NAMED.fullmatch, releases), default="")


def _check_sizes(folder: Path) -> None:
    delivered = {
        row[_FIL].decode("utf-8", "replace"): row[_BTS]
        for row in read_rows(find_table(folder, "MRFILES"), _MRFILES_COLUMNS)
        if not isinstance(row, Rejected) and row[_BTS].isdigit()
    }
    for table in ("MRCONSO.RRF", "MRSTY.RRF"):
        file = folder / table
        if not file.is_file() or table not in delivered:
            continue
        found, wanted = file.stat().st_size, int(delivered[table])
        if found != wanted:
            raise MixedReleasesError(
                f"{file}: {found} bytes, where MRFILES.RRF says {wanted}: of another release, or "
                "cut off; take all files from one release (or, if you changed it yourself, "
                "remove MRFILES.RRF)"
            )
