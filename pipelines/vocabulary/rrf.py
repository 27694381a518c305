"""UMLS's Rich Release Format: rows of columns that each end in a vertical bar, in UTF-8."""

import re
from collections.abc import Iterator
from pathlib import Path

from citespan.pipelines.corpus.article import Rejected
from citespan.pipelines.vocabulary.packed_lines import lines


def files(folder: Path, table: str) -> list[Path]:
    """The files that hold a table ("MRCONSO"): NAME.RRF, else NAME.RRF.gz, else the pieces
    NAME.RRF.aa.gz, NAME.RRF.ab.gz … that UMLS is delivered in; none if it isn't there."""
    for ending in (".RRF", ".RRF.gz"):
        if (folder / f"{table}{ending}").is_file():
            return [folder / f"{table}{ending}"]
    piece = re.compile(rf"{table}\.RRF\.[a-z]{{2}}(\.gz)?")
    return sorted(p for p in folder.glob(f"{table}.RRF.*") if piece.fullmatch(p.name))


def rows(paths: list[Path], columns: int) -> Iterator[list[bytes] | Rejected]:
    """The columns of each row, or what is wrong with it. Lines count on from file to file.

    Raises:
        InputError: if a file can't be read to its end.
    """
    if not paths:
        return
    for number, line in enumerate(lines(paths), 1):
        row = line.split(b"|")
        if len(row) == columns + 1 and not row[columns]:
            yield row
        elif len(row) == columns and row[-1]:
            yield row  # only the last bar is missing
        else:
            found = len(row) - (not row[-1])
            place = f"{paths[0]}:{number}"
            yield Rejected(place, f"{found} columns in place of {columns}; mend or remove the row")
