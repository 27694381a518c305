"""A user's own list of identifiers that exist, against which a reference list is checked.

It is a text with an identifier a line, or a table (CSV) with columns that are called pmid, pmcid or
doi, as PubMed Central's `PMC-ids.csv` with its millions of lines, the list that `citespan check
--missing` writes, and what reference managers export. It is read as a stream.
"""

import csv
import re
from collections.abc import Collection, Iterator
from itertools import chain
from pathlib import Path
from typing import TextIO

from citespan.pipelines.citations.entry_faults import KnownIdentifiers
from citespan.pipelines.corpus.files import open_lines
from citespan.pipelines.corpus.identifiers import find_doi, find_pmcid, find_pmid, identify
from citespan.pipelines.errors import InputError

_COLUMNS = {"pmid": find_pmid, "pmcid": find_pmcid, "doi": find_doi}
_LONGEST_LINE = 100_000
_SEPARATOR = re.compile(r"[,\t]")


def read_known(path: str | Path, wanted: Collection[str]) -> KnownIdentifiers:
    """Return which identifiers a list has of those that are wanted, such as "pmid:12".

    Raises:
        InputError: if it can't be read, or has no identifier.
    """
    file = Path(path)
    kinds: set[str] = set()
    found: set[str] = set()
    asked = frozenset(wanted)
    try:
        with open_lines(file) as text:
            for key in _read_keys(text, str(path)):
                kinds.add(key.partition(":")[0])
                if key in asked:
                    found.add(key)
    except csv.Error as error:
        raise InputError(f"{path}: no CSV: {error}") from error
    if not kinds:
        raise InputError(
            f"{path}: no identifier in it; give one PMID, PMC id or DOI a line, or a table with "
            "columns called pmid, pmcid or doi"
        )
    return KnownIdentifiers(file.name, frozenset(kinds), frozenset(found))


def _read_keys(text: TextIO, source: str) -> Iterator[str]:
    lines = _read_lines(text, source)
    first = next(lines, "")
    separator = "\t" if "\t" in first else ","
    columns = [name.strip(' "').lower() for name in _SEPARATOR.split(first.strip())]
    places = [(at, name) for at, name in enumerate(columns) if name in _COLUMNS]
    if not places:
        for line in chain((first,), lines):
            yield from identify(line.strip()).identifiers
        return
    for row in csv.reader(lines, delimiter=separator):
        for at, name in places:
            if at < len(row) and row[at] and (value := _COLUMNS[name](row[at])):
                yield f"{name}:{value}"


def _read_lines(text: TextIO, source: str) -> Iterator[str]:
    number = 0
    while line := text.readline(_LONGEST_LINE + 1):
        number += 1
        if len(line) > _LONGEST_LINE:
            raise InputError(f"{source}:{number}: a line longer than any of such a list")
        yield line
