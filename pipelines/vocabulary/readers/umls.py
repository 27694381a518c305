"""UMLS Metathesaurus, and other vocabularies in its format: MRCONSO and MRSTY."""

from collections.abc import Iterator
from pathlib import Path

from citespan.pipelines.corpus.article import Rejected
from citespan.pipelines.errors import InputError
from citespan.pipelines.vocabulary import rrf, semantic_types, umls_release
from citespan.pipelines.vocabulary.reader import vocabulary_readers
from citespan.pipelines.vocabulary.term import VocabularyTerm

_COLUMNS = 18
_CUI, _LAT, _TS, _STT, _ISPREF, _SAB, _TTY, _CODE, _STR, _SUPPRESS = (
    0,
    1,
    2,
    4,
    6,
    11,
    12,
    13,
    14,
    16,
)
# How many of the rows may be of concepts that MRSTY doesn't know before it must be of another
# release: two that follow each other differ by some per cent; within one, none is unknown.
_UNTYPED = 0.01
_LOOKED_AT_EACH = 10_000


@vocabulary_readers.register
class Umls:
    """Reads the English rows that are not suppressed. Types are TUIs."""

    name = "umls"
    description = "a META folder with MRCONSO.RRF and, for types, MRSTY.RRF, plain or .gz"

    def version(self, path: Path) -> str:
        """The release's name ("2025AB"), by release.dat or MRSAB.RRF."""
        _mrconso(path)
        return umls_release.version(path)

    def typed(self, path: Path) -> bool:
        """Whether MRSTY is there."""
        return bool(rrf.files(path, "MRSTY"))

    def terms(self, path: Path) -> Iterator[VocabularyTerm | Rejected]:
        """The rows of MRCONSO, after the broken ones of MRSTY.

        Raises:
            InputError: if there is no MRCONSO, or a file can't be read to its end.
            MixedReleasesError: if MRSTY doesn't know MRCONSO's concepts.
        """
        files = _mrconso(path)
        types, rejected = semantic_types.read(rrf.files(path, "MRSTY"))
        yield from rejected
        typed = self.typed(path)
        language = Rejected(str(files[0]), "not English", "skipped")
        suppressed = Rejected(str(files[0]), "suppressed", "skipped")
        # MRCONSO repeats a few sources and term types millions of times.
        names: dict[bytes, str] = {}
        untyped: list[bytes] = []
        number = 0
        for number, row in enumerate(rrf.rows(files, _COLUMNS), 1):
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


def concepts_of_codes(folder: Path) -> dict[str, str]:
    """Which concept has a code of its source; the lowest CUI where several have it.

    Raises:
        InputError: if there is no MRCONSO, or a file can't be read to its end.
    """
    found: dict[str, str] = {}
    for row in rrf.rows(_mrconso(folder), _COLUMNS):
        if not isinstance(row, Rejected):
            code, cui = row[_CODE].decode("utf-8", "replace"), row[_CUI].decode("utf-8", "replace")
            found[code] = min(cui, found.get(code, cui))
    return found


def _mrconso(folder: Path) -> list[Path]:
    if not folder.is_dir():
        raise InputError(f"{folder}: not a folder; name the one that has MRCONSO.RRF, as in META")
    files = rrf.files(folder, "MRCONSO")
    if not files:
        inside = folder / "META"
        hint = f"; did you mean {inside}?" if rrf.files(inside, "MRCONSO") else ""
        raise InputError(f"{folder}: no MRCONSO.RRF (or MRCONSO.RRF.gz) in this folder{hint}")
    return files


def _term(
    row: list[bytes], types: tuple[str, ...], names: dict[bytes, str]
) -> VocabularyTerm | None:
    """The term of a row; None if something is empty or not UTF-8."""
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
        raise umls_release.MixedReleasesError(
            f"{folder}: two releases mixed? MRSTY has no semantic type for the concepts of "
            f"{len(untyped)} of {rows} rows of MRCONSO; take both files from one release, or "
            "remove MRSTY to build without types"
        )
